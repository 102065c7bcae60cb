"""Lets `python -m unittest discover -s tests` find worker, SDK and crossbind; imported before them.

What the tests ask of a worker (jobs.py) is the same as in pytorch-python."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent
SDK = FOLDER.parent / "sdk" / "python"
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(FOLDER), str(SDK)]
sys.path.append(str(FOLDER.parent / "pytorch-python" / "tests"))

PROGRAM = Path(os.environ.get("CROSSBIND_PROGRAM", ROOT / "build" / "release" / "crossbind"))
REFEREE = PROGRAM.with_name("crossbind-worker-reference")
WORKER = (sys.executable, str(FOLDER / "worker.py"))
ENVIRONMENT = {
    "PYTHONPATH": str(SDK), "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "2", "OMP_NUM_THREADS": "1"
}  # fmt: skip
os.environ |= ENVIRONMENT  # for the worker's own modules, where a test imports them

_files = tempfile.TemporaryDirectory()  # weights, for as long as the tests run


def _run(*arguments: str) -> str:
    if not (PROGRAM.exists() and REFEREE.exists()):
        raise unittest.SkipTest(
            f"{PROGRAM} and {REFEREE.name} are not built; CROSSBIND_PROGRAM names another"
        )
    finished = subprocess.run((PROGRAM, *arguments), cwd=ROOT, check=True, capture_output=True, text=True)
    return finished.stdout


@cache
def _graph(model: str, conform: bool) -> str:
    return _run("models", "show", model, "--json", *(["--conform"] if conform else []))


def graph(model: str, *, conform: bool = True) -> dict[str, Any]:
    """The canonical graph of a ready model, or of a file that ends in .toml, anew for each caller, with
    the forms that Keras has."""
    members: dict[str, Any] = json.loads(_graph(model, conform))
    for node in members["nodes"]:
        if node["type"] == "batchnorm":
            node["fields"]["running_variance"] = "biased"
    if members["optimizer"]["type"] == "adam":
        members["optimizer"]["epsilon_form"] = "hat"
    return members


@cache
def weights(model: str, *, conform: bool = True) -> Path:
    path = Path(_files.name) / f"{Path(model).stem}.safetensors"
    _run("weights", "--model", model, "--seed", "1", "-o", str(path), *(["--conform"] if conform else []))
    return path
