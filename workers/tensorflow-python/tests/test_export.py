"""SavedModels."""

import unittest
from typing import Any

import context
import numpy as np
import tensorflow as tf

from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Message
from worker_tests import cases
from worker_tests.subject import weights


class ExportTest(cases.ExportCase):
    subject = context.SUBJECT
    name = "model"
    # Where each layer's output is wanted, TensorFlow computes fewer of them in one kernel.
    probe_tolerance = 1e-6

    def test_a_folder_has_the_signatures_of_the_protocol(self) -> None:
        for model, targets in (("bert-base", {"start", "end"}), ("gru", {"label"})):
            job = self.job(model)
            inputs = {given["name"] for given in job["graph"]["inputs"]}
            for training in (False, True):
                path = self.written(job, training=training)
                found = tf.saved_model.load(str(path)).signatures
                self.assertEqual(found["serving_default"].structured_input_signature[1].keys(), inputs)
                parameters, expected = found["parameters"](), read_safetensors(weights(model))
                self.assertEqual(parameters.keys(), expected.keys())
                for name, values in expected.items():
                    np.testing.assert_array_equal(parameters[name], values)
                self.assertEqual("train_step" in found, training)
            self.assertEqual(found["train_step"].structured_input_signature[1].keys(), inputs | targets)
            self.assertEqual(found["train_step"].structured_outputs["loss"].shape, [])

    def saved_step(self, job: Message, **settings: Any) -> Message:
        """The same training, of the SavedModel of that job."""
        settings = {**job["settings"], "variant": "savedmodel", **settings}
        return {**self.serialized(job, training=True), "settings": settings}

    def test_a_step_that_was_saved_is_the_same_step(self) -> None:
        for model in ("lenet5", "resnet20", self.sequence):  # the others with statistics, dropout, moments
            with self.subTest(model):
                job = self.job(model, train=8, epochs=20)
                steps, saved = self.trained(job), self.saved_step(job)
                reference = self.trained(saved)
                # The second shows the first update. In a session kernels are others than in a function, and
                # from step to step batch norms make ever more of their roundings.
                np.testing.assert_allclose(reference[0][:2], steps[0][:2], rtol=1e-6)
                self.assertEqual(self.trained(saved), reference)
                warm = {**saved, "settings": {**saved["settings"], "warmup_steps": 1}}
                self.assertEqual(self.trained(warm), reference)

    def test_a_folder_without_a_step_cannot_be_trained(self) -> None:
        job = self.job()
        saved = self.saved_step(job)
        self.written(job)
        self.prepared(saved)
        self.assert_failed(self.harness.ask("train")[1], "bad_input", "train_step")
        self.assertEqual(self.harness.ask("infer")[1]["type"], "done")

    def test_a_saved_step_has_no_parts(self) -> None:
        reply = self.prepare(self.saved_step(self.job(), measure="parts"))
        self.assert_unsupported(reply, "measure parts of variant savedmodel")


if __name__ == "__main__":
    unittest.main()
