"""A figure that a benchmark measured, for the table of benchmarks/README.md: as figures.h."""

import os


def note(key: str, measured: str, is_met: bool) -> None:
    path = os.environ.get("CROSSBIND_BENCH_FIGURES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{key}\t{measured}\t{'met' if is_met else 'missed'}\n")
