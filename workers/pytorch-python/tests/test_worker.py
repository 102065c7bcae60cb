"""The worker as crossbind runs it."""

import unittest
from typing import ClassVar

import context
import numpy as np
import torch

from layers import LAYERS
from losses import LOSSES
from worker_tests import cases


class TrainingTest(cases.TrainingCase):
    subject = context.SUBJECT
    same: ClassVar = (*cases.TrainingCase.same, {"measure": "parts"})

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_a_gpu_trains_as_the_processor_does(self) -> None:
        expected = self.trained(self.job(epochs=3))[0]
        for loader in ("idiomatic", "resident"):
            for measure in ("total", "parts"):
                job = self.job(epochs=3, device="cuda", loader=loader, measure=measure)
                # Other kernels sum up in another order; 18 steps of rounding grow to less than that.
                np.testing.assert_allclose(self.trained(job)[0], expected, rtol=1e-4)


class ExtentTest(cases.ExtentCase):
    subject = context.SUBJECT
    layers, losses = set(LAYERS), set(LOSSES)
    poison: ClassVar = ("conv2.weight", (0, 0, 0, 0))

    def test_what_pytorch_lacks_is_unsupported_by_name(self) -> None:
        hard = self.job("lstm")
        hard["graph"]["nodes"][1]["fields"]["recurrent_activation"] = "hard_sigmoid"
        self.assert_unsupported(self.prepare(hard), "lstm.recurrent_activation=hard_sigmoid")
        self.assert_unsupported(self.prepare(self.job("grurb")), "gru.reset_after=false")

    def test_decoupled_decay_is_adams_only(self) -> None:
        job = self.job()
        job["graph"]["optimizer"]["weight_decay"] = {"value": 0.1, "form": "decoupled", "applies_to": "all"}
        self.prepared(job)
        self.assert_unsupported(self.harness.ask("train")[1], "weight_decay.form=decoupled")
        self.assertEqual(self.harness.ask("infer")[1]["type"], "done")

    def test_a_device_that_is_not_there_is_unsupported(self) -> None:
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assert_unsupported(self.prepare(self.job(device="cuda")), "device cuda")


if __name__ == "__main__":
    unittest.main()
