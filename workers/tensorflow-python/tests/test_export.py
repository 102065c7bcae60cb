"""SavedModels and checkpoints."""

import unittest
from typing import Any

import context
import h5py
import numpy as np
import tensorflow as tf

from crossbind_worker.graph import parse_graph
from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Message
from network import Network
from worker_tests import cases, jobs
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

    def stored(self, job: Message, name: str, **members: Any) -> tuple[Network, Any]:
        """A network that Keras has read a checkpoint into, and the file."""
        path = self.checkpoint(f"{name}.weights.h5", **members)  # Keras reads no other ending
        network = Network(parse_graph(job["graph"]))
        network.model.load_weights(path)
        return network, self.enterContext(h5py.File(path))

    def test_a_checkpoint_holds_the_weights_and_on_request_the_moments(self) -> None:
        job, steps = self.after_one_step()
        trained = read_safetensors(self.path / "trained.safetensors")
        for optimizer in (False, True):
            network, file = self.stored(job, "checkpoint", optimizer=optimizer)
            self.assertEqual(network.parameters().keys(), trained.keys())
            for name, values in network.parameters().items():
                np.testing.assert_array_equal(values, trained[name])
            self.assertEqual("optimizer" in file, optimizer)
        kept = file["optimizer/vars"]
        self.assertEqual(kept["0"][()], 1)  # steps; then comes the rate
        paths = [variable.path for variable in network.model.trainable_variables]
        moments = {path: np.array(kept[str(number)]) for number, path in enumerate(paths, 2)}
        for name, values in network.canonical(moments).items():
            # Keras keeps -rate · m. Parameters are below 1, so their roundings are below 6e-8.
            np.testing.assert_allclose(values, steps[name], rtol=1e-6, atol=1e-7)

    def test_a_saved_step_goes_on_from_the_optimizers_state_where_that_was_saved(self) -> None:
        job, steps = self.after_one_step()
        after, folders = [], [self.path / f"step{number}" for number in range(2)]
        for optimizer, folder in zip((True, False), folders, strict=True):  # the second forgets the moments
            members = {"path": str(folder), "training": True, "optimizer": optimizer}
            self.assertEqual(self.harness.ask("serialize", **members)[1]["type"], "done")
        del job["weights"]
        for folder in folders:
            settings = {**job["settings"], "variant": "savedmodel"}
            self.trained({**job, "serialized": str(folder), "settings": settings})
            after.append(read_safetensors(self.path / "trained.safetensors"))
        for name, values in steps.items():
            np.testing.assert_allclose(after[0][name] - after[1][name], 0.9 * values, rtol=1e-5, atol=2e-7)

    def test_a_folder_may_hold_the_optimizers_state_without_a_step(self) -> None:
        self.after_one_step()
        sizes = []
        for optimizer in (False, True):
            path = self.path / f"folder{optimizer}"
            reply = self.harness.ask("serialize", path=str(path), optimizer=optimizer)[1]
            self.assertEqual(reply["type"], "done", reply)
            self.assertNotIn("train_step", tf.saved_model.load(str(path)).signatures)
            sizes.append(sum(each.stat().st_size for each in path.rglob("*")))
        self.assertGreater(sizes[1] - sizes[0], 4 * 61706)

    def test_a_saved_step_answers_queries_with_the_parameters_in_force(self) -> None:
        job = self.job("resnet20")
        samples = jobs.samples(job["graph"], 5)
        self.prepared(job)
        before = self.query(samples, gradients=True)
        saved = self.saved_step(job)
        losses, parameters = self.trained(saved)
        after = self.query(samples, gradients=True)
        self.prepared(saved)
        self.assert_close(self.query(samples, gradients=True), before)
        self.assertEqual(self.trained(saved), (losses, parameters))
        trained = self.path / "trained.safetensors"
        self.prepared({**job, "weights": str(trained)})
        self.assert_close(after, self.query(samples, gradients=True))

    def assert_close(self, found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
        self.assertEqual(found.keys(), expected.keys())
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values, rtol=0, atol=1e-5 * np.abs(values).max())

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
