"""SavedModels: written here, read back, and served by the worker."""

import unittest
from pathlib import Path
from typing import Any

import context
import jobs
import numpy as np
import tensorflow as tf

from crossbind_worker.safetensors import read_safetensors, write_safetensors
from crossbind_worker.testing import Harness, Message

SEQUENCE = str(context.FOLDER / "tests" / "sequence.toml")


class ExportTest(unittest.TestCase):
    harness: Harness

    @classmethod
    def setUpClass(cls) -> None:
        context.graph("lenet5")  # skips where crossbind is not built
        cls.harness = cls.enterClassContext(jobs.harness())

    def written(self, graph: Message, weights: Path, **members: Any) -> Path:
        job = jobs.job(self.harness.path / "written", graph, weights)
        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        path = self.harness.path / "model"
        self.assertEqual(self.harness.ask("serialize", path=str(path), **members)[1]["type"], "done")
        return path

    def infer(self, job: Message) -> tuple[Message, np.ndarray]:
        reply = self.harness.ask("prepare", **job)[1]
        self.assertEqual(reply["type"], "done", reply)
        path = self.harness.path / "outputs.safetensors"
        self.assertEqual(self.harness.ask("infer", outputs=str(path))[1]["type"], "done")
        return reply, read_safetensors(path)["outputs"].copy()

    def test_a_serialized_model_infers_what_its_parameters_do(self) -> None:
        for model in ("lenet5", "lstm", "resnet20", "bert-base"):  # the last three have what training changes
            with self.subTest(model):
                graph, weights = context.graph(model), context.weights(model)
                job = jobs.job(self.harness.path, graph, weights, test=12)  # batches of 8 and of 4
                by_parameters = self.infer(job)
                job["serialized"] = str(self.written(graph, Path(job.pop("weights"))))
                by_serialization = self.infer(job)
                self.assertEqual(by_serialization[0]["parameters"], by_parameters[0]["parameters"])
                np.testing.assert_array_equal(by_serialization[1], by_parameters[1])

    def test_a_folder_has_the_signatures_of_the_protocol(self) -> None:
        for model in ("bert-base", "gru"):
            graph, weights = context.graph(model), context.weights(model)
            for members in ({}, {"training": True}):
                found = tf.saved_model.load(str(self.written(graph, weights, **members))).signatures
                inputs = {given["name"] for given in graph["inputs"]}
                self.assertEqual(found["serving_default"].structured_input_signature[1].keys(), inputs)
                parameters, expected = found["parameters"](), read_safetensors(weights)
                self.assertEqual(parameters.keys(), expected.keys())
                for name, values in expected.items():
                    np.testing.assert_array_equal(parameters[name], values)
                self.assertEqual("train_step" in found, "training" in members)
            targets = {"start", "end"} if model == "bert-base" else {"label"}
            self.assertEqual(found["train_step"].structured_input_signature[1].keys(), inputs | targets)
            self.assertEqual(found["train_step"].structured_outputs["loss"].shape, [])

    def test_a_serialized_model_is_not_trained(self) -> None:
        graph, weights = context.graph("lenet5"), context.weights("lenet5")
        job = jobs.job(self.harness.path, graph, weights, train=16, test=8)
        job["serialized"] = str(self.written(graph, Path(job.pop("weights"))))
        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        self.assertEqual(self.harness.ask("train")[1]["type"], "unsupported")

    def trained(self, job: Message) -> tuple[list[float], bytes]:
        """The losses of the epochs, and the file of the trained parameters."""
        reply = self.harness.ask("prepare", **job)[1]
        self.assertEqual(reply["type"], "done", reply)
        path = self.harness.path / "trained.safetensors"
        events, reply = self.harness.ask("train", save=str(path))
        self.assertEqual(reply["type"], "done", reply)
        return [event["loss"] for event in events if event["type"] == "epoch"], path.read_bytes()

    def saved_step(self, job: Message, **settings: Any) -> Message:
        """The same training, of the SavedModel of that job."""
        path = self.written(job["graph"], Path(job["weights"]), training=True)
        settings = {**job["settings"], "variant": "savedmodel", **settings}
        others = {name: value for name, value in job.items() if name != "weights"}
        return {**others, "settings": settings, "serialized": str(path)}

    def test_a_step_that_was_saved_is_the_same_step(self) -> None:
        for model in ("lenet5", "resnet20", SEQUENCE):  # statistics; dropout, and the moments of Adam
            with self.subTest(model):
                conform = not model.endswith(".toml")
                graph, weights = (
                    context.graph(model, conform=conform),
                    context.weights(model, conform=conform),
                )
                job = jobs.job(self.harness.path, graph, weights, train=8, test=4, epochs=20)
                steps = self.trained(job)
                saved = self.saved_step(job)
                reference = self.trained(saved)
                np.testing.assert_allclose(reference[0][0], steps[0][0], rtol=1e-6)
                np.testing.assert_allclose(reference[0], steps[0], rtol=1e-4)
                self.assertEqual(self.trained(saved), reference)
                warm = {**saved, "settings": {**saved["settings"], "warmup_steps": 1}}
                self.assertEqual(self.trained(warm), reference)

    def test_a_folder_without_a_step_cannot_be_trained(self) -> None:
        graph, weights = context.graph("lenet5"), context.weights("lenet5")
        job = self.saved_step(jobs.job(self.harness.path, graph, weights, train=8, test=4))
        self.written(graph, weights)
        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        reply = self.harness.ask("train")[1]
        self.assertEqual((reply["type"], reply.get("code")), ("failed", "bad_input"), reply)
        self.assertIn("train_step", reply["message"])
        self.assertEqual(self.harness.ask("infer")[1]["type"], "done")

    def test_a_saved_step_has_no_parts(self) -> None:
        graph, weights = context.graph("lenet5"), context.weights("lenet5")
        job = self.saved_step(jobs.job(self.harness.path, graph, weights, train=8), measure="parts")
        reply = self.harness.ask("prepare", **job)[1]
        self.assertEqual(reply.get("feature"), "measure parts of variant savedmodel", reply)

    def test_what_was_trained_is_what_is_serialized(self) -> None:
        graph, weights = context.graph("lenet5"), context.weights("lenet5")
        job = jobs.job(self.harness.path, graph, weights, train=16, test=8)
        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        self.assertEqual(self.harness.ask("train")[1]["type"], "done")
        outputs, path = self.harness.path / "trained.safetensors", self.harness.path / "model"
        self.assertEqual(self.harness.ask("infer", outputs=str(outputs))[1]["type"], "done")
        self.assertEqual(self.harness.ask("serialize", path=str(path))[1]["type"], "done")
        del job["weights"]
        serialized = self.infer({**job, "serialized": str(path)})[1]
        np.testing.assert_array_equal(serialized, read_safetensors(outputs)["outputs"])

    def test_of_a_serialized_model_the_output_can_be_probed_as_it_is(self) -> None:
        graph, weights = context.graph("lenet5"), context.weights("lenet5")
        job = jobs.job(self.harness.path, graph, weights, test=8)
        batch = self.harness.path / "batch.safetensors"
        write_safetensors(batch, jobs.samples(graph, 4))
        last, first = (f"{graph['nodes'][i]['name']}.out" for i in (-1, 0))
        members = {"mode": "eval", "step": 1, "batch": str(batch), "wanted": [last, first],
                   "directory": str(self.harness.path)}  # fmt: skip

        def probed(**more: str) -> Message:
            return self.harness.ask("probe", **members, **more)[1]

        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        by_parameters = read_safetensors(Path(probed()["tensors"]))[last].copy()
        job["serialized"] = str(self.written(graph, Path(job.pop("weights"))))
        self.assertEqual(self.harness.ask("prepare", **job)[1]["type"], "done")
        reply = probed()
        self.assertEqual(reply["missing"], [first])
        # There each layer's output was wanted too, here TensorFlow computes some of them in one kernel.
        np.testing.assert_allclose(read_safetensors(Path(reply["tensors"]))[last], by_parameters, atol=1e-6)
        self.assertEqual(probed(state=str(weights))["feature"], "parameters of a serialized model")

    def test_a_folder_of_another_model_or_of_none_is_bad_input(self) -> None:
        graph = context.graph("lenet5")
        job = jobs.job(self.harness.path, graph, context.weights("lenet5"), test=8)
        del job["weights"]
        other = self.written(context.graph("lenet1"), context.weights("lenet1"))
        none = self.harness.path / "none"
        none.write_bytes(b"not a model")
        for path in (other, none, self.harness.path / "missing"):
            reply = self.harness.ask("prepare", **{**job, "serialized": str(path)})[1]
            self.assertEqual((reply["type"], reply.get("code")), ("failed", "bad_input"), reply)
            self.assertIn(str(path), reply["message"])


if __name__ == "__main__":
    unittest.main()
