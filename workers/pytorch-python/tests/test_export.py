"""TorchScript files and checkpoints."""

import unittest

import context
import numpy as np
import torch

from crossbind_worker.safetensors import read_safetensors
from worker_tests import cases


class ExportTest(cases.ExportCase):
    subject = context.SUBJECT
    name = "model.pt"

    def test_what_is_serialized_cannot_be_trained(self) -> None:
        path = self.written(self.job())
        reply = self.harness.ask("serialize", path=str(path), training=True)[1]
        self.assert_unsupported(reply, "training of a serialized model")
        reply = self.harness.ask("serialize", path=str(path), optimizer=True)[1]
        self.assert_unsupported(reply, "optimizer state in format torchscript")

    def test_a_checkpoint_holds_the_state_dict_and_on_request_the_optimizers(self) -> None:
        _, steps = self.after_one_step()
        state = torch.load(self.checkpoint("weights.pt"), weights_only=True)
        trained = read_safetensors(self.path / "trained.safetensors")
        self.assertEqual(state.keys(), trained.keys())
        both = torch.load(self.checkpoint("both.pt", optimizer=True), weights_only=True)
        self.assertEqual(both.keys(), {"model_state_dict", "optimizer_state_dict"})
        for name, values in trained.items():
            np.testing.assert_array_equal(state[name], values)
            np.testing.assert_array_equal(both["model_state_dict"][name], values)
        kept = both["optimizer_state_dict"]["state"]
        for number, name in enumerate(state):
            moment = kept[number]["momentum_buffer"].numpy()
            # Parameters are below 1, and so are their roundings below 6e-8, which the rate makes twice that.
            np.testing.assert_allclose(moment, -steps[name] / 0.5, rtol=1e-6, atol=2e-7)

    def test_before_a_training_the_optimizer_has_no_moments(self) -> None:
        self.prepared(self.job(train=0))
        both = torch.load(self.checkpoint("both.pt", optimizer=True), weights_only=True)
        self.assertEqual(both["optimizer_state_dict"]["state"], {})


if __name__ == "__main__":
    unittest.main()
