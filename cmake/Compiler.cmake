# Language level, warnings, sanitizers, coverage, clang-tidy and ccache for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# -O3 buys nothing outside the referee's kernels, which ask for it themselves, and compiles slowly.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# Initial weights and generated data must be the same bytes on every machine: no fused multiply-add
# behind our back. The referee's product kernels, where only speed counts, lift this for themselves.
add_compile_options(-ffp-contract=off)

# A `switch` that leaves an enumerator unanswered is an error in every build: what is added to a list
# of tasks, layers or outcomes is asked for place by place.
add_library(crossbind_warnings INTERFACE)
target_compile_options(crossbind_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Wno-missing-field-initializers -Werror=switch $<$<BOOL:${CROSSBIND_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overflows in inlined std::string operations that are not there (its bugs 105329 and
  # 105651), depending on so little as the length of a path; the sanitizers find the real ones.
  target_compile_options(crossbind_warnings INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CROSSBIND_UNITY)
  # They would be of names in other files, which are beside these only here.
  target_compile_options(crossbind_warnings INTERFACE -Wno-shadow -Wno-subobject-linkage)
endif()
if(CROSSBIND_FUZZ OR CROSSBIND_TIDY)
  # clang warns of things g++ does not; g++ is the compiler whose warnings are errors.
  target_compile_options(crossbind_warnings INTERFACE -Wno-unused-command-line-argument)
endif()

if(CROSSBIND_SANITIZE)
  # Not optimised: instrumented code compiles in half the time of -O1, and few tests feel it.
  add_compile_options(-O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(CROSSBIND_FUZZ)
  add_compile_options(-O1 -g1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
if(CROSSBIND_COVERAGE)
  add_compile_options(--coverage -O0 -fprofile-update=atomic)  # threads count too
  add_link_options(--coverage)
endif()
if(CROSSBIND_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy --quiet)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CROSSBIND_TIDY)
  # A clone elsewhere on the machine shares the cache: paths are hashed relative to the source folder.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
