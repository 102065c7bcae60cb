"""The worker that is tested, and what crossbind itself makes for it: graphs and weights."""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
import unittest
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from crossbind_worker.testing import Harness, Message

SDK = Path(__file__).parent.parent
ROOT = SDK.parent.parent.parent
PROGRAM = Path(os.environ.get("CROSSBIND_PROGRAM", ROOT / "build" / "release" / "crossbind"))
REFEREE = PROGRAM.with_name("crossbind-worker-reference")
SERIES = str(Path(__file__).with_name("series.toml"))  # a model with inputs of all kinds

_files = tempfile.TemporaryDirectory()  # weights, for as long as the tests run


def _run(*arguments: str) -> str:
    if not (PROGRAM.exists() and REFEREE.exists()):
        raise unittest.SkipTest(
            f"{PROGRAM} and {REFEREE.name} are not built; CROSSBIND_PROGRAM names another"
        )
    finished = subprocess.run((PROGRAM, *arguments), cwd=ROOT, check=True, capture_output=True, text=True)
    return finished.stdout


def _form(model: str) -> list[str]:
    """Ready models are tested in a small form; a file is as it is."""
    return [] if model.endswith(".toml") else ["--conform"]


@cache
def _graph(model: str) -> str:
    return _run("models", "show", model, "--json", *_form(model))


@cache
def weights(model: str) -> Path:
    path = Path(_files.name) / f"{Path(model).stem}.safetensors"
    _run("weights", "--model", model, "--seed", "1", "-o", str(path), *_form(model))
    return path


@dataclass(frozen=True)
class Subject:
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()  # of a worker that is no worker.py

    def harness(self) -> Harness:
        environment = {"PYTHONPATH": str(SDK), "OMP_NUM_THREADS": "1", **self.environment}
        return Harness(self.command or (sys.executable, str(self.folder / "worker.py")), environment)

    def file(self, name: str) -> str:
        """A model file of the worker's tests."""
        return str(self.folder / "tests" / name)

    def graph(self, model: str) -> Message:
        """The canonical graph of a ready model, or of a file that ends in .toml, anew for each caller, in the
        forms that the binding has."""
        members: Message = json.loads(_graph(model))
        manifest = tomllib.loads((self.folder / "worker.toml").read_text())
        for convention, form in manifest["capabilities"]["conventions"].items():
            kind, key = convention.split(".")
            for part in (members["optimizer"], *members["nodes"]):
                fields = part.get("fields", part)
                if part["type"] == kind and key in fields:
                    fields[key] = form
        return members


def referee() -> Harness:
    return Harness((str(REFEREE),), {})
