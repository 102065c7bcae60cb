"""Lets `python -m unittest discover -s tests` find the worker and the SDK; imported before both."""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent
SDK = FOLDER.parent / "sdk" / "python"
sys.path[:0] = [str(FOLDER), str(SDK)]


def lenet5() -> dict[str, Any]:
    """Made by `crossbind models show lenet5 --conform --json`, without its spaces."""
    graph: dict[str, Any] = json.loads((Path(__file__).parent / "lenet5-conform.json").read_text())
    return graph
