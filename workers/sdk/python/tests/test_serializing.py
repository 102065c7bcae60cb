import json
import unittest
from typing import Any, ClassVar

import numpy as np
from serving_case import ServingTest, write

from crossbind_worker.testing import Harness, Message


class SerializeTest(ServingTest):
    claims: ClassVar[Message] = {
        "writes": ["torchscript", "checkpoint"], "reads": ["checkpoint", "onnx"], "queries": "gradients",
    }  # fmt: skip

    def told(self, harness: Harness, **members: Any) -> Message:
        """What the binding was told of the file."""
        path = harness.path / "model"
        reply = harness.ask("serialize", path=str(path), **members)[1]
        self.assertEqual((reply["type"], len(reply)), ("done", 2), reply)
        told: Message = json.loads(path.read_text())
        self.assertEqual(told.pop("path"), str(path))
        return told

    def test_what_is_left_out_is_as_ever(self) -> None:
        harness, _ = self.prepared()
        expected = {
            "format": "torchscript", "precision": "float32", "training": False, "optimizer": False,
            "calibration": None,
        }  # fmt: skip
        self.assertEqual(self.told(harness), expected)

    def test_the_binding_is_told_all_that_was_asked_for(self) -> None:
        harness, _ = self.prepared()
        samples = write(harness, x=np.zeros((7, 5), np.float32))
        asked = {"format": "checkpoint", "precision": "int8", "optimizer": True}
        told = self.told(harness, calibration=samples, **asked)
        self.assertEqual(told, {**asked, "training": False, "calibration": 7})

    def test_what_cannot_be_written_is_unsupported_by_name(self) -> None:
        harness, _ = self.prepared()
        path = harness.path / "model"
        for members, feature in (
            ({"format": "onnx"}, "format onnx"),
            ({"precision": "float16"}, "precision float16 of format torchscript"),
            ({"optimizer": True}, "optimizer state in format torchscript"),
            ({"training": True}, "training of a serialized model"),
        ):
            self.assert_unsupported(harness.ask("serialize", path=str(path), **members)[1], feature)
        self.assertFalse(path.exists())

    def test_samples_that_do_not_fit_are_bad_input(self) -> None:
        harness, _ = self.prepared()
        reply = harness.ask("serialize", path="/x", precision="int8", calibration="/nowhere")[1]
        self.assert_failed(reply, "bad_input", "/nowhere")

    def test_a_model_may_come_in_any_format_that_the_worker_reads(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        job["serialized"] = job.pop("weights")
        for named in ({}, {"format": "checkpoint"}, {"format": "onnx"}):
            self.assertEqual(harness.ask("prepare", **job, **named)[1]["type"], "done")
        reply = harness.ask("prepare", **job, format="torchscript")[1]
        self.assert_unsupported(reply, "format torchscript")

    def test_of_a_serialized_model_gradients_may_be_missing(self) -> None:
        harness = self.harness()
        job = self.job(harness)
        job["serialized"] = job.pop("weights")
        harness.ask("prepare", **job)
        batch = write(harness, x=np.zeros((1, 5), np.float32), label=np.zeros(1, int))
        asked = {"batch": batch, "answer": str(harness.path / "answer")}
        reply = harness.ask("query", gradients=True, **asked)[1]
        self.assert_unsupported(reply, "gradients of a serialized model")
        self.assertEqual(harness.ask("query", **asked)[1]["type"], "done")


class NoFilesTest(ServingTest):
    def test_a_worker_that_writes_nothing_says_so(self) -> None:
        harness, _ = self.prepared()
        path = str(harness.path / "model")
        self.assert_unsupported(harness.ask("serialize", path=path)[1], "serialization")
        self.assert_unsupported(harness.ask("serialize", path=path, format="onnx")[1], "format onnx")


if __name__ == "__main__":
    unittest.main()
