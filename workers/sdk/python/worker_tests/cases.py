"""Training, refusals and serialization of a worker, as crossbind runs it."""

import unittest
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crossbind_worker.losses import LOSSES
from crossbind_worker.safetensors import read_safetensors, write_safetensors
from crossbind_worker.testing import Harness, Message

from . import jobs
from .subject import SERIES, Subject, weights


def combined(ways: Sequence[Message], models: Sequence[str]) -> Iterator[tuple[Message, str]]:
    """All models in the first way, and the first model in the others: building a model takes long."""
    yield from ((ways[0], model) for model in models)
    yield from ((way, models[0]) for way in ways[1:])


class WorkerCase(unittest.TestCase):
    """All tests of a class talk to one worker: preparing it anew forgets whatever was before."""

    subject: ClassVar[Subject]
    harness: ClassVar[Harness]

    @classmethod
    def setUpClass(cls) -> None:
        cls.subject.graph("lenet5")  # skips where crossbind is not built
        cls.harness = cls.enterClassContext(cls.subject.harness())

    @property
    def path(self) -> Path:
        return self.harness.path

    @property
    def sequence(self) -> str:
        """A model with dropout and the moments of Adam."""
        return self.subject.file("sequence.toml")

    def job(self, model: str = "lenet5", train: int = 44, test: int = 12, **settings: Any) -> Message:
        graph = self.subject.graph(model)
        return jobs.job(self.path, graph, weights(model), train=train, test=test, **settings)

    def prepare(self, job: Message) -> Message:
        return self.harness.ask("prepare", **job)[1]

    def prepared(self, job: Message) -> Message:
        reply = self.prepare(job)
        self.assertEqual((reply["type"], reply.get("effective", {})), ("done", {}), reply)
        return reply

    def epochs(self, job: Message, **members: Any) -> list[Message]:
        """What a training tells of its epochs."""
        self.prepared(job)
        events, reply = self.harness.ask("train", **members)
        self.assertEqual(reply["type"], "done", reply)
        return [{**event, "id": 0} for event in events if event["type"] == "epoch"]

    def trained(self, job: Message) -> tuple[list[float], bytes]:
        """The losses of the epochs, and the file of the trained parameters."""
        path = self.path / "trained.safetensors"
        losses = [epoch["loss"] for epoch in self.epochs(job, save=str(path))]
        return losses, path.read_bytes()

    def outputs(self) -> np.ndarray:
        path = self.path / "outputs.safetensors"
        self.assertEqual(self.harness.ask("infer", outputs=str(path))[1]["type"], "done")
        return read_safetensors(path)["outputs"].copy()

    def query(self, samples: Mapping[str, np.ndarray], gradients: bool = False) -> dict[str, np.ndarray]:
        batch, answer = self.path / "query.safetensors", self.path / "answer.safetensors"
        write_safetensors(batch, samples)
        reply = self.harness.ask("query", batch=str(batch), gradients=gradients, answer=str(answer))[1]
        self.assertEqual(reply["type"], "done", reply)
        return {name: values.copy() for name, values in read_safetensors(answer).items()}

    def assert_failed(self, reply: Message, code: str, text: str) -> None:
        self.assertEqual((reply["type"], reply.get("code")), ("failed", code), reply)
        self.assertIn(text, reply["message"])

    def assert_unsupported(self, reply: Message, feature: str) -> None:
        self.assertEqual((reply["type"], reply.get("feature")), ("unsupported", feature), reply)


class TrainingCase(WorkerCase):
    ways: ClassVar[Sequence[Message]] = ({"loader": "idiomatic"}, {"loader": "resident"})
    same: ClassVar[Sequence[Message]] = ({"loader": "idiomatic"}, {"warmup_steps": 3})

    def test_twenty_steps_give_the_same_losses_every_time(self) -> None:
        for model in ("lenet5", "lstm", "resnet20"):
            job = self.job(model, train=8, epochs=20)
            losses, parameters = self.trained(job)
            self.assertEqual(len(losses), 20)
            self.assertEqual((losses, parameters), self.trained(job))
            self.assertLess(losses[-1], losses[0])

    def test_settings_that_must_not_matter_leave_no_trace(self) -> None:
        for model in ("lenet5", self.sequence):
            reference = self.trained(self.job(model))
            for settings in self.same:
                self.assertEqual(self.trained(self.job(model, **settings)), reference, settings)

    def test_the_batches_that_reach_the_model_are_those_of_the_order(self) -> None:
        evidence = []
        for settings in self.ways:
            job = self.job(**settings, epochs=2)
            self.prepare(job)
            events = self.harness.ask("train", evidence=-1)[0]
            batches = [event for event in events if event["type"] == "batch"]
            order = read_safetensors(Path(job["order"]))["order"]
            self.assertEqual([each for batch in batches for each in batch["ids"]], order.ravel().tolist())
            self.assertEqual([batch["count"] for batch in batches], [8, 8, 8, 8, 8, 4] * 2)
            evidence.append([(batch["inputs_sha256"], batch["labels_sha256"]) for batch in batches])
        self.assertEqual(evidence, [evidence[0]] * len(self.ways))

    def test_a_seed_draws_dropout_and_evaluation_turns_it_off_two_levels_down(self) -> None:
        losses = [self.trained(self.job(self.sequence, seed=seed))[0] for seed in (1, 2)]
        self.assertNotEqual(losses[0], losses[1])
        first, second = self.outputs(), self.outputs()  # after a training, which had it on
        np.testing.assert_array_equal(first, second)
        job = self.job(self.sequence)
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
        job = self.job(self.sequence)
        reference = self.trained(job)
        self.prepared(job)
        jobs.probe(self.harness, job["graph"], Path(job["weights"]))
        events = self.harness.ask("train")[0]
        self.assertEqual([event["loss"] for event in events if event["type"] == "epoch"], reference[0])

    def test_the_test_loss_is_that_of_the_outputs(self) -> None:
        one_of_each_loss = ("lenet5", SERIES, "bert-base")
        for settings, model in combined(self.ways, one_of_each_loss):
            job = self.job(model, evaluate="every_epoch", epochs=2, **settings)
            told = self.epochs(job)
            data = read_safetensors(Path(job["data"]["path"]))
            targets = {name.removeprefix("test."): data[name] for name in data if name.startswith("test.")}
            lost = LOSSES[job["graph"]["loss"]["type"]](self.outputs().astype(float), targets)
            self.assertEqual(["test_loss" in epoch for epoch in told], [True, True])
            self.assertAlmostEqual(told[-1]["test_loss"] / lost.mean(), 1, delta=1e-12)

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
        for settings in self.ways:
            self.prepare(self.job(train=128, epochs=20, batch_size=16, evaluate="every_epoch", **settings))
            request, pages = self.harness.start("train"), []
            while (event := self.harness.receive())["type"] != "done":
                self.assertNotEqual(event["type"], "failed", event)
                if event["type"] == "epoch":
                    pages.append(int(statm.read_text().split()[1]))
            self.assertEqual((event["id"], len(pages)), (request, 20))
            self.assertLess((max(pages[8:]) - max(pages[:8])) * 4096, 7e6, settings)


class ExtentCase(WorkerCase):
    """What the worker refuses, and that it goes on afterwards."""

    layers: ClassVar[set[str]]
    losses: ClassVar[set[str]]
    poison: ClassVar[tuple[str, tuple[int, ...]]] = ("fc1.weight", (0, 0))  # a NaN there reaches the loss

    def tearDown(self) -> None:
        self.assertEqual(self.prepare(self.job())["type"], "done")

    def test_the_manifest_lists_what_is_there(self) -> None:
        capabilities = self.harness.hello["capabilities"]
        self.assertEqual(set(capabilities["layers"]), self.layers)
        self.assertEqual(set(capabilities["losses"]), self.losses)

    def test_a_layer_that_nobody_has_is_unsupported_by_name(self) -> None:
        job = self.job()
        job["graph"]["nodes"][0]["type"] = "conv3d"
        self.assert_unsupported(self.prepare(job), "layer conv3d")

    def test_conventions_that_cannot_be_met_are_said(self) -> None:
        has = self.harness.hello["capabilities"]["conventions"]["batchnorm.running_variance"]
        job = self.job("vgg-small")
        other = "biased" if has == "unbiased" else "unbiased"
        job["graph"]["nodes"][1]["fields"]["running_variance"] = other
        self.assertEqual(self.prepare(job)["effective"], {"batchnorm.running_variance": has})

    def test_weights_of_another_shape_or_without_a_name_are_bad_input(self) -> None:
        job, path = self.job(), self.path / "wrong.safetensors"
        right = read_safetensors(Path(job["weights"]))
        for wrong in (
            right | {"fc1.weight": np.zeros((2, 2), np.float32)},
            {name: values for name, values in right.items() if name != "fc1.weight"},
        ):
            write_safetensors(path, wrong)
            self.assert_failed(self.prepare({**job, "weights": str(path)}), "bad_input", "fc1.weight")

    def test_data_that_vanished_are_bad_input(self) -> None:
        job = self.job()
        Path(job["data"]["path"]).unlink()
        self.assert_failed(self.prepare(job), "bad_input", job["data"]["path"])

    def test_a_loss_that_is_not_finite_is_said_to_be(self) -> None:
        job, path = self.job(), self.path / "nan.safetensors"
        poisoned = {name: values.copy() for name, values in read_safetensors(Path(job["weights"])).items()}
        name, place = self.poison
        poisoned[name][place] = np.nan
        write_safetensors(path, poisoned)
        self.assertEqual(self.prepare({**job, "weights": str(path)})["type"], "done")
        self.assert_failed(self.harness.ask("train")[1], "not_finite", "loss")
        self.assert_failed(self.harness.ask("infer")[1], "not_finite", "output")


class ExportCase(WorkerCase):
    """A model in its framework's own file: written, read back, and served."""

    name: ClassVar[str]
    probe_tolerance: ClassVar[float] = 0.0

    def written(self, job: Message, **members: Any) -> Path:
        self.prepared({key: job[key] for key in ("graph", "weights", "settings", "scratch")})
        path = self.path / self.name
        reply = self.harness.ask("serialize", path=str(path), **members)[1]
        self.assertEqual(reply["type"], "done", reply)
        return path

    def serialized(self, job: Message, **members: Any) -> Message:
        """The same job, of the model in a file."""
        path = self.written(job, **members)
        return {**{key: value for key, value in job.items() if key != "weights"}, "serialized": str(path)}

    def infer(self, job: Message) -> tuple[int, np.ndarray]:
        return self.prepared(job)["parameters"], self.outputs()

    def test_a_serialized_model_infers_what_its_parameters_do(self) -> None:
        for model in ("lenet5", "lstm", "resnet20", "bert-base"):  # the last three have what training changes
            with self.subTest(model):
                job = self.job(model, train=0)
                by_parameters, by_serialization = self.infer(job), self.infer(self.serialized(job))
                self.assertEqual(by_serialization[0], by_parameters[0])
                np.testing.assert_array_equal(by_serialization[1], by_parameters[1])

    def test_a_serialized_model_is_not_trained_step_by_step(self) -> None:
        self.prepared(self.serialized(self.job()))
        self.assert_unsupported(self.harness.ask("train")[1], "training of a serialized model")

    def test_what_was_trained_is_what_is_serialized(self) -> None:
        job = self.job()
        self.trained(job)
        outputs, path = self.outputs(), self.path / self.name
        self.assertEqual(self.harness.ask("serialize", path=str(path))[1]["type"], "done")
        del job["weights"]
        np.testing.assert_array_equal(self.infer({**job, "serialized": str(path)})[1], outputs)

    def test_of_a_serialized_model_the_output_can_be_probed_as_it_is(self) -> None:
        job = self.job(train=0)
        batch = self.path / "batch.safetensors"
        write_safetensors(batch, jobs.samples(job["graph"], 4))
        last, first = (f"{job['graph']['nodes'][i]['name']}.out" for i in (-1, 0))
        members = {"mode": "eval", "step": 1, "batch": str(batch), "wanted": [last, first],
                   "directory": str(self.path)}  # fmt: skip

        def probed(**more: str) -> Message:
            return self.harness.ask("probe", **members, **more)[1]

        self.prepared(job)
        by_parameters = read_safetensors(Path(probed()["tensors"]))[last].copy()
        self.prepared(self.serialized(job))
        reply = probed()
        self.assertEqual(reply["missing"], [first])
        found = read_safetensors(Path(reply["tensors"]))[last]
        np.testing.assert_allclose(found, by_parameters, rtol=0, atol=self.probe_tolerance)
        self.assert_unsupported(probed(state=job["weights"]), "parameters of a serialized model")

    def test_a_serialized_model_answers_queries_as_its_parameters_do(self) -> None:
        for model in ("lenet5", "lstm", "resnet20", SERIES):
            with self.subTest(model):
                job = self.job(model, train=0, test=0)
                samples = jobs.samples(job["graph"], 5)
                self.prepared(job)
                by_parameters = self.query(samples), self.query(samples, gradients=True)
                self.prepared(self.serialized(job))
                for expected, gradients in zip(by_parameters, (False, True), strict=True):
                    found = self.query(samples, gradients)
                    self.assertEqual(found.keys(), expected.keys())
                    for name, values in expected.items():
                        scale = np.abs(values).max()
                        np.testing.assert_allclose(found[name], values, rtol=0, atol=1e-5 * scale)

    def test_formats_and_precisions_that_it_has_not_are_unsupported_by_name(self) -> None:
        job = self.job(train=0)
        self.prepared(job)
        written = self.harness.hello["capabilities"]["writes"][0]
        for members, feature in (
            ({"format": "coreml"}, "format coreml"),
            ({"precision": "int8"}, f"precision int8 of format {written}"),
        ):
            reply = self.harness.ask("serialize", path=str(self.path / "never"), **members)[1]
            self.assert_unsupported(reply, feature)
        self.assertFalse((self.path / "never").exists())
        reply = self.prepare({**self.serialized(job), "format": "coreml"})
        self.assert_unsupported(reply, "format coreml")

    def after_one_step(self) -> tuple[Message, dict[str, np.ndarray]]:
        """A training of one step by SGD with momentum: its job, and how far each parameter went."""
        job = self.job(train=8)
        job["graph"]["optimizer"] |= {"type": "sgd", "rate": 0.5, "momentum": 0.9}
        self.trained(job)
        trained = read_safetensors(self.path / "trained.safetensors")
        start = read_safetensors(Path(job["weights"]))
        return job, {name: trained[name] - values for name, values in start.items()}

    def checkpoint(self, name: str, **members: Any) -> Path:
        path = self.path / name
        reply = self.harness.ask("serialize", path=str(path), format="checkpoint", **members)[1]
        self.assertEqual(reply["type"], "done", reply)
        return path

    def test_a_checkpoint_with_the_optimizers_state_is_the_larger_file(self) -> None:
        self.after_one_step()
        without, other = (
            self.checkpoint("checkpoint", optimizer=optimizer).stat().st_size for optimizer in (False, True)
        )
        parameters = 4 * self.prepared(self.job(train=0))["parameters"]
        self.assertGreater(without, parameters)
        self.assertGreater(other - without, parameters)  # a momentum for each

    def test_a_checkpoint_is_no_model_to_train(self) -> None:
        self.prepared(self.job(train=0))
        asked = {"path": str(self.path / "never"), "format": "checkpoint", "training": True}
        self.assert_unsupported(self.harness.ask("serialize", **asked)[1], "training of a serialized model")

    def test_a_file_of_another_model_or_of_none_is_bad_input(self) -> None:
        job = self.serialized(self.job(train=0))
        other, none = self.written(self.job("lenet1", train=0)), self.path / "none"
        none.write_bytes(b"not a model")
        for path in (other, none, self.path / "missing"):
            self.assert_failed(self.prepare({**job, "serialized": str(path)}), "bad_input", str(path))
