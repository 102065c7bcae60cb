"""The step as a CUDA graph: the worker that `crossbind setup` made, whose home is $CROSSBIND_WORKER_HOME.

python3 -m unittest discover -s tests      # any Python with NumPy
"""

import os
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent.parent
sys.path[:0] = [str(FOLDER.parent / "sdk" / "python")]

from worker_tests.graph import GraphCase  # noqa: E402 - found by the line above
from worker_tests.subject import Subject  # noqa: E402

PROGRAM = Path(os.environ.get("CROSSBIND_WORKER_HOME", "none")) / "bin" / "crossbind-worker-pytorch"


class GraphTest(GraphCase):
    subject = Subject(FOLDER, command=(str(PROGRAM), str(FOLDER / "worker.toml")))

    @classmethod
    def setUpClass(cls) -> None:
        if not PROGRAM.exists():
            raise unittest.SkipTest(f"{PROGRAM} is not there: CROSSBIND_WORKER_HOME names its home")
        super().setUpClass()


del GraphCase  # or it would be run too

if __name__ == "__main__":
    unittest.main()
