"""The worker reference/python: proves that any language can be a worker, and is the shortest of them."""

import platform
import sys
from pathlib import Path

import numpy as np

from crossbind_worker import Hello, serve
from model import NumpyModel

if __name__ == "__main__":
    versions = {"worker": "1", "python": platform.python_version(), "numpy": np.__version__}
    sys.exit(serve(NumpyModel, Hello.from_manifest(Path(__file__).with_name("worker.toml"), versions)))
