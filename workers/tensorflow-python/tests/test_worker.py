"""The worker as crossbind runs it."""

import unittest
from typing import ClassVar

import context
import numpy as np

from crossbind_worker.testing import Message
from layers import LAYERS
from losses import LOSSES
from worker_tests import cases

FIT: Message = {"variant": "fit", "loader": "idiomatic"}


class TrainingTest(cases.TrainingCase):
    subject = context.SUBJECT
    ways: ClassVar = (*cases.TrainingCase.ways, FIT)

    def test_a_step_in_parts_is_the_same_step(self) -> None:
        """But for roundings: other operations share a kernel when the step is one graph."""
        for model in ("lenet5", self.sequence):
            losses = [self.trained(self.job(model, measure=measure))[0] for measure in ("total", "parts")]
            np.testing.assert_allclose(losses[1], losses[0], rtol=1e-6)

    def test_fit_trains_as_the_steps_do(self) -> None:
        """With the moments of Adam, dropout and running statistics, and a last batch of 4."""
        for model in ("lenet5", "resnet20", self.sequence):
            steps = self.epochs(self.job(model, epochs=3))
            outputs = self.outputs()
            self.assertEqual(self.epochs(self.job(model, epochs=3, warmup_steps=2, **FIT)), steps)
            np.testing.assert_array_equal(self.outputs(), outputs)

    def test_fit_can_be_given_up_between_two_batches(self) -> None:
        self.prepare(self.job(train=4000, batch_size=1, **FIT))
        request = self.harness.start("train", evidence=1)
        self.assertEqual(self.harness.receive()["type"], "batch")
        self.harness.send({"type": "cancel", "id": request})
        self.assert_failed(self.harness.finish(request)[1], "cancelled", "")


class ExtentTest(cases.ExtentCase):
    subject = context.SUBJECT
    layers, losses = set(LAYERS), set(LOSSES)  # its max pools let no NaN through: that is put behind them

    def test_what_keras_lacks_is_unsupported_by_name(self) -> None:
        for model, field, value, feature in (
            ("lstm", "biases", 2, "lstm.biases=2"),
            ("gru", "reset_after", False, "gru.biases=2"),
        ):
            job = self.job(model)
            job["graph"]["nodes"][1]["fields"][field] = value
            self.assert_unsupported(self.prepare(job), feature)

    def test_fit_has_neither_parts_nor_resident_data(self) -> None:
        parts = self.job(measure="parts", **FIT)
        self.assert_unsupported(self.prepare(parts), "measure parts of variant fit")
        resident = self.job(variant="fit", loader="resident")
        self.assert_unsupported(self.prepare(resident), "loader resident of variant fit")

    def test_threads_that_are_there_already_are_said(self) -> None:
        self.assertEqual(self.prepare(self.job(threads=3))["effective"], {"threads": 1})


if __name__ == "__main__":
    unittest.main()
