"""What tests of conversations share: the fake worker, and a model for it."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crossbind_worker.safetensors import write_safetensors
from crossbind_worker.testing import Harness, Message, write_job

HERE = Path(__file__).parent
COMMAND = (sys.executable, str(HERE / "fake_worker.py"))
ENVIRONMENT = {"PYTHONPATH": str(HERE.parent)}
GRAPH: Message = {
    "version": 1,
    "id": "fake",
    "inputs": [{"name": "x", "type": "float", "shape": [5]}],
    "nodes": [
        {
            "name": "fc",
            "type": "linear",
            "inputs": ["x"],
            "output": [3],
            "fields": {"in_features": 5, "out_features": 3, "bias": False},
            "parameters": [{"name": "fc.weight", "shape": [3, 5], "role": "weight", "trainable": True}],
        }
    ],
    "loss": {"type": "cross_entropy", "reduction": "mean"},
    "optimizer": {"type": "sgd", "rate": 0.1, "momentum": 0.0},
}


class ServingTest(unittest.TestCase):
    claims: ClassVar[Message] = {}  # what the worker claims besides

    def harness(self, **options: Any) -> Harness:
        environment = {**ENVIRONMENT, "FAKE_CAPABILITIES": json.dumps(self.claims)}
        return self.enterContext(Harness(COMMAND, environment, **options))

    def job(self, harness: Harness, **settings: Any) -> Message:
        return write_job(harness.path, GRAPH, train=20, test=6, **settings)

    def prepared(self, **settings: Any) -> tuple[Harness, Message]:
        harness = self.harness()
        job = self.job(harness, **settings)
        reply = harness.ask("prepare", **job)[1]
        self.assertEqual(reply, {"type": "done", "id": 1, "parameters": 15, "effective": {"threads": 3}})
        return harness, job

    def slow(self, **settings: Any) -> Harness:
        """Prepared for one epoch of many slow batches."""
        harness = self.harness()
        choices = {"epochs": 1, "batch_size": 1, **settings}
        job = write_job(harness.path, {**GRAPH, "id": "slow"}, train=5000, test=6, **choices)
        self.assertEqual(harness.ask("prepare", **job)[1]["type"], "done")
        return harness

    def assert_failed(self, reply: Message, code: str, part: str = "") -> None:
        self.assertEqual((reply["type"], reply.get("code")), ("failed", code), reply)
        self.assertIn(part, reply["message"])

    def assert_unsupported(self, reply: Message, feature: str) -> None:
        self.assertEqual((reply["type"], reply.get("feature")), ("unsupported", feature), reply)


def write(harness: Harness, **tensors: np.ndarray) -> str:
    handle, name = tempfile.mkstemp(dir=harness.path)
    os.close(handle)
    write_safetensors(Path(name), tensors)
    return name
