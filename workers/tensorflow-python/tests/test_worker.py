"""The worker as crossbind runs it."""

import unittest
from pathlib import Path
from typing import Any

import context
import jobs
import numpy as np

from crossbind_worker.safetensors import read_safetensors, write_safetensors
from crossbind_worker.testing import Harness, Message
from layers import LAYERS
from losses import LOSSES

SEQUENCE = str(context.FOLDER / "tests" / "sequence.toml")


class WorkerCase(unittest.TestCase):
    """All tests of a class talk to one worker: preparing it anew forgets whatever was before."""

    harness: Harness

    @classmethod
    def setUpClass(cls) -> None:
        context.graph("lenet5")  # skips where crossbind is not built
        cls.harness = cls.enterClassContext(jobs.harness())

    @property
    def path(self) -> Path:
        return self.harness.path

    def job(self, model: str = "lenet5", train: int = 44, **settings: Any) -> Message:
        conform = not model.endswith(".toml")
        graph, weights = context.graph(model, conform=conform), context.weights(model, conform=conform)
        return jobs.job(self.path, graph, weights, train=train, test=12, **settings)

    def prepare(self, job: Message) -> Message:
        return self.harness.ask("prepare", **job)[1]

    def trained(self, job: Message) -> tuple[list[float], bytes]:
        """The losses of the epochs, and the file of the trained parameters."""
        reply = self.prepare(job)
        self.assertEqual((reply["type"], reply["effective"]), ("done", {}), reply)
        path = self.path / "trained.safetensors"
        events, reply = self.harness.ask("train", save=str(path))
        self.assertEqual(reply["type"], "done", reply)
        return [event["loss"] for event in events if event["type"] == "epoch"], path.read_bytes()

    def outputs(self) -> np.ndarray:
        path = self.path / "outputs.safetensors"
        self.assertEqual(self.harness.ask("infer", outputs=str(path))[1]["type"], "done")
        return read_safetensors(path)["outputs"]

    def assert_failed(self, reply: Message, code: str, text: str) -> None:
        self.assertEqual((reply["type"], reply.get("code")), ("failed", code), reply)
        self.assertIn(text, reply["message"])


class TrainingTest(WorkerCase):
    def test_twenty_steps_give_the_same_losses_every_time(self) -> None:
        for model in ("lenet5", "lstm", "resnet20"):
            job = self.job(model, train=8, epochs=20)
            losses, parameters = self.trained(job)
            self.assertEqual(len(losses), 20)
            self.assertEqual((losses, parameters), self.trained(job))
            self.assertLess(losses[-1], losses[0])

    def test_loader_and_warm_up_leave_no_trace(self) -> None:
        for model in ("lenet5", SEQUENCE):  # the latter with dropout and the moments of Adam
            reference = self.trained(self.job(model))
            for settings in ({"loader": "idiomatic"}, {"warmup_steps": 3}):
                self.assertEqual(self.trained(self.job(model, **settings)), reference, settings)

    def test_a_step_in_parts_is_the_same_step(self) -> None:
        """But for roundings: other operations share a kernel when the step is one graph."""
        for model in ("lenet5", SEQUENCE):
            losses = [self.trained(self.job(model, measure=measure))[0] for measure in ("total", "parts")]
            np.testing.assert_allclose(losses[1], losses[0], rtol=1e-6)

    def test_fit_trains_as_the_steps_do(self) -> None:
        """One by one, with the moments of Adam, dropout and running statistics, and a last batch of 4."""
        for model in ("lenet5", "resnet20", SEQUENCE):
            settings: Message = {"epochs": 3, "loader": "idiomatic", "training_accuracy": "running"}
            steps = self.epochs(self.job(model, **settings))
            outputs = self.outputs()
            self.assertEqual(self.epochs(self.job(model, **settings, variant="fit", warmup_steps=2)), steps)
            np.testing.assert_array_equal(self.outputs(), outputs)

    def epochs(self, job: Message) -> list[Message]:
        self.assertEqual(self.prepare(job)["type"], "done")
        events, reply = self.harness.ask("train")
        self.assertEqual(reply["type"], "done", reply)
        members = ("epoch", "loss", "train_accuracy", "test_accuracy")
        return [{key: e.get(key) for key in members} for e in events if e["type"] == "epoch"]

    def test_fit_can_be_given_up_between_two_batches(self) -> None:
        self.prepare(self.job(train=4000, variant="fit", loader="idiomatic", batch_size=1))
        request = self.harness.start("train", evidence=1)
        self.assertEqual(self.harness.receive()["type"], "batch")
        self.harness.send({"type": "cancel", "id": request})
        self.assert_failed(self.harness.finish(request)[1], "cancelled", "")

    def test_the_batches_that_reach_the_model_are_those_of_the_order(self) -> None:
        evidence = []
        for variant, loader in (("step", "idiomatic"), ("step", "resident"), ("fit", "idiomatic")):
            job = self.job(variant=variant, loader=loader, epochs=2)
            self.prepare(job)
            events = self.harness.ask("train", evidence=-1)[0]
            batches = [event for event in events if event["type"] == "batch"]
            order = read_safetensors(Path(job["order"]))["order"]
            self.assertEqual([each for batch in batches for each in batch["ids"]], order.ravel().tolist())
            self.assertEqual([batch["count"] for batch in batches], [8, 8, 8, 8, 8, 4] * 2)
            evidence.append([(batch["inputs_sha256"], batch["labels_sha256"]) for batch in batches])
        self.assertEqual(evidence, [evidence[0]] * 3)

    def test_a_seed_draws_dropout_and_evaluation_turns_it_off_two_levels_down(self) -> None:
        losses = [self.trained(self.job(SEQUENCE, seed=seed))[0] for seed in (1, 2)]
        self.assertNotEqual(losses[0], losses[1])
        first, second = self.outputs(), self.outputs()  # after a training, which had it on
        np.testing.assert_array_equal(first, second)
        job = self.job(SEQUENCE)
        data = read_safetensors(Path(job["data"]["path"]))
        batch = self.path / "batch.safetensors"
        write_safetensors(batch, {name: data[f"test.{name}"] for name in ("tokens", "label")})
        reply = self.harness.ask(
            "probe", mode="eval", step=1, batch=str(batch), state=str(self.path / "trained.safetensors"),
            wanted=["fc.out"], directory=str(self.path),
        )[1]  # fmt: skip
        probed = read_safetensors(Path(reply["tensors"]))["fc.out"]
        # In batches of 8 and 4 there, and of 12 here: the products are summed up in another order.
        np.testing.assert_allclose(first, probed, rtol=1e-5, atol=1e-6)

    def test_a_probe_leaves_dropout_on_for_training(self) -> None:
        job = self.job(SEQUENCE)
        reference = self.trained(job)
        self.assertEqual(self.prepare(job)["type"], "done")
        jobs.probe(self.harness, job["graph"], Path(job["weights"]))
        events = self.harness.ask("train")[0]
        self.assertEqual([event["loss"] for event in events if event["type"] == "epoch"], reference[0])

    def test_parts_are_those_of_every_step(self) -> None:
        self.prepare(self.job(measure="parts", warmup_steps=2))
        timings = [event for event in self.harness.ask("train")[0] if event["type"] == "timings"]
        self.assertEqual([event["phase"] for event in timings], ["warmup", "train"])
        self.assertEqual(len(timings[0]["steps_ns"]), 2)
        parts = [timings[1][f"{part}_ns"] for part in ("load", "forward", "backward")]
        self.assertEqual([len(part) for part in parts], [6, 6, 6])
        self.assertLessEqual(sum(map(sum, parts)), timings[1]["total_ns"])

    def test_memory_stays_flat_over_twenty_epochs(self) -> None:
        """An epoch makes 7 MB of activations; what the allocator keeps may grow by that in twelve epochs."""
        statm = Path(f"/proc/{self.harness.process.pid}/statm")
        for variant, loader in (("step", "idiomatic"), ("step", "resident"), ("fit", "idiomatic")):
            settings: Message = {
                "variant": variant,
                "loader": loader,
                "epochs": 20,
                "evaluate": "every_epoch",
            }
            self.prepare(self.job(train=128, batch_size=16, **settings))
            request, pages = self.harness.start("train"), []
            while (event := self.harness.receive())["type"] != "done":
                self.assertNotEqual(event["type"], "failed", event)
                if event["type"] == "epoch":
                    pages.append(int(statm.read_text().split()[1]))
            self.assertEqual((event["id"], len(pages)), (request, 20))
            self.assertLess((max(pages[8:]) - max(pages[:8])) * 4096, 7e6, settings)


class ExtentTest(WorkerCase):
    """What the worker refuses, and that it goes on afterwards."""

    def tearDown(self) -> None:
        self.assertEqual(self.prepare(self.job())["type"], "done")

    def test_the_manifest_lists_what_is_there(self) -> None:
        capabilities = self.harness.hello["capabilities"]
        self.assertEqual(set(capabilities["layers"]), set(LAYERS))
        self.assertEqual(set(capabilities["losses"]), set(LOSSES))

    def test_what_keras_lacks_is_unsupported_by_name(self) -> None:
        strange = context.graph("lenet5")
        strange["nodes"][0]["type"] = "conv3d"
        two = context.graph("lstm")
        two["nodes"][1]["fields"]["biases"] = 2
        before = context.graph("gru")
        before["nodes"][1]["fields"]["reset_after"] = False
        for graph, feature in (
            (strange, "layer conv3d"),
            (two, "lstm.biases=2"),
            (before, "gru.biases=2"),
        ):
            job = jobs.job(self.path, graph, context.weights(graph["id"]))
            reply = self.prepare(job)
            self.assertEqual((reply["type"], reply.get("feature")), ("unsupported", feature), reply)

    def test_fit_has_neither_parts_nor_resident_data(self) -> None:
        parts = self.job(variant="fit", loader="idiomatic", measure="parts")
        self.assertEqual(self.prepare(parts).get("feature"), "measure parts of variant fit")
        resident = self.job(variant="fit", loader="resident")
        self.assertEqual(self.prepare(resident).get("feature"), "loader resident of variant fit")

    def test_conventions_that_cannot_be_met_are_said(self) -> None:
        job = self.job("vgg-small")
        job["graph"]["nodes"][1]["fields"]["running_variance"] = "unbiased"
        self.assertEqual(self.prepare(job)["effective"], {"batchnorm.running_variance": "biased"})

    def test_threads_that_are_there_already_are_said(self) -> None:
        self.assertEqual(self.prepare(self.job(threads=3))["effective"], {"threads": 1})

    def test_weights_of_another_shape_or_without_a_name_are_bad_input(self) -> None:
        job, path = self.job(), self.path / "wrong.safetensors"
        weights = read_safetensors(Path(job["weights"]))
        for wrong in (
            weights | {"fc1.weight": np.zeros((2, 2), np.float32)},
            {name: values for name, values in weights.items() if name != "fc1.weight"},
        ):
            write_safetensors(path, wrong)
            self.assert_failed(self.prepare({**job, "weights": str(path)}), "bad_input", "fc1.weight")

    def test_data_that_vanished_are_bad_input(self) -> None:
        job = self.job()
        Path(job["data"]["path"]).unlink()
        self.assert_failed(self.prepare(job), "bad_input", job["data"]["path"])

    def test_a_loss_that_is_not_finite_is_said_to_be(self) -> None:
        job, path = self.job(), self.path / "nan.safetensors"
        weights = {name: values.copy() for name, values in read_safetensors(Path(job["weights"])).items()}
        weights["fc1.weight"][0, 0] = np.nan  # behind the max pools: those of TensorFlow let no NaN through
        write_safetensors(path, weights)
        self.assertEqual(self.prepare({**job, "weights": str(path)})["type"], "done")
        self.assert_failed(self.harness.ask("train")[1], "not_finite", "loss")
        self.assert_failed(self.harness.ask("infer")[1], "not_finite", "output")


if __name__ == "__main__":
    unittest.main()
