"""The worker pytorch/python with one real bug of a binding in it: zoo_worker.py --bug NAME.

Runs in the Python of that worker. `--bug none` is the worker as it is.
"""

import argparse
import runpy
import sys
from pathlib import Path

WORKERS = Path(__file__).resolve().parents[2] / "workers"
WORKER = WORKERS / "pytorch-python"
sys.path[:0] = [str(WORKER), str(WORKERS / "sdk" / "python")]

from bugs import BUGS  # noqa: E402 - imports the worker, found by the line above


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--bug", choices=["none", *BUGS])
    which.add_argument("--list", action="store_true", help="print the names of all bugs")
    options = parser.parse_args()
    if options.list:
        print(*sorted(BUGS), sep="\n")
        return
    if options.bug != "none":
        BUGS[options.bug]()
    runpy.run_path(str(WORKER / "worker.py"), run_name="__main__")


if __name__ == "__main__":
    main()
