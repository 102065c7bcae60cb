# What people type. The work is done by CMake presets and the scripts beside this file; each target
# installs the Debian packages it needs (as root) or says which are missing.

.PHONY: help build test test-full conform-full quickstart dist bench fuzz format tidy coverage clean

help:
	@echo "make quickstart   build, run the study "quick" and write a report of it"
	@echo "make test         everything CI checks        make test-full   the same with more breadth"
	@echo "make conform-full every binding that is set up and every bug of the zoo, 5 seeds of 20 steps"
	@echo "make build        build/release/crossbind     make bench       speed, side by side with Python"
	@echo "make dist         one archive that runs on any x86_64 Linux with glibc 2.36: build/crossbind-*.tar.gz"
	@echo "make fuzz         each fuzz target for FUZZ_SECONDS (default 60)"
	@echo "make format       clang-format                make tidy        clang-tidy over src/"
	@echo "make coverage     line coverage of the tests  make clean       remove build/"

build:
	@scripts/packages build
	@scripts/build release crossbind

test:
	@scripts/test

test-full:
	@scripts/test --full

conform-full:
	@scripts/packages build test
	@scripts/conform-full

quickstart:
	@scripts/packages build quickstart
	@scripts/build release crossbind
	@scripts/quickstart

dist:
	@scripts/packages build dist
	@scripts/dist

bench:
	@scripts/packages build bench
	@benchmarks/run

fuzz:
	@scripts/packages build fuzz
	@scripts/fuzz

format:
	@scripts/packages test
	@scripts/format --write

tidy:
	@scripts/packages build tidy
	@scripts/build tidy all

coverage:
	@scripts/packages build test coverage
	@scripts/coverage

clean:
	rm -rf build
