"""Queries of a worker: their outputs are those of inference, their gradients slopes, and nothing is left of
them."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from crossbind_worker.losses import LOSSES
from crossbind_worker.safetensors import read_safetensors
from crossbind_worker.testing import Message

from . import jobs
from .cases import WorkerCase, combined
from .subject import SERIES

Tensors = dict[str, np.ndarray]

NUDGE = 1e-4


def uphill(gradient: np.ndarray) -> np.ndarray:
    """A direction that no element is left out of: where the gradient is 0 it goes up or down."""
    random = np.random.default_rng(11)
    signs = np.where(gradient == 0, random.choice((-1, 1), gradient.shape), np.sign(gradient))
    return (signs * random.uniform(0.5, 1.5, gradient.shape)).astype(np.float32)


class QueryCase(WorkerCase):
    ways: ClassVar[Sequence[Message]] = ({},)

    def test_a_query_of_any_size_gives_the_outputs_of_inference(self) -> None:
        for settings, model in combined(self.ways, ("lenet5", "resnet20", "bert-base")):
            job = self.job(model, train=0, **settings)
            self.prepared(job)
            expected = self.outputs()
            data = read_safetensors(Path(job["data"]["path"]))
            inputs = {each["name"]: data[f"test.{each['name']}"] for each in job["graph"]["inputs"]}
            for size in (12, 1, 5):
                found = self.query({name: values[:size] for name, values in inputs.items()})
                self.assertEqual(found.keys(), {"outputs"})
                # In batches of 8 and 4 there: the products may be summed up in another order.
                np.testing.assert_allclose(found["outputs"], expected[:size], rtol=1e-5, atol=1e-6)

    def slope(self, graph: Message, samples: Tensors, directions: Tensors) -> float:
        """Of the sum of the losses, by a central difference."""
        lost = []
        for nudge in (NUDGE, -NUDGE):
            nudged = {name: samples[name] + nudge * direction for name, direction in directions.items()}
            outputs = self.query({**samples, **nudged})["outputs"]
            lost.append(LOSSES[graph["loss"]["type"]](outputs.astype(float), samples).sum())
        return float(lost[0] - lost[1]) / (2 * NUDGE)

    def test_gradients_are_slopes_of_the_sum_of_the_losses(self) -> None:
        for model in ("lenet5", "resnet20", self.subject.file("images.toml"), SERIES):
            job = self.job(model, train=0, test=0)
            graph = job["graph"]
            reals = {each["name"]: each["shape"] for each in graph["inputs"] if each["type"] == "float"}
            self.prepared(job)
            samples = jobs.samples(graph, 5)
            found = self.query(samples, gradients=True)
            np.testing.assert_allclose(
                found.pop("outputs"), self.query(samples)["outputs"], rtol=1e-5, atol=1e-6
            )
            gradients = {name.removesuffix(".grad"): values for name, values in found.items()}
            self.assertEqual(
                {name: values.shape for name, values in gradients.items()},
                {name: (5, *shape) for name, shape in reals.items()},
            )
            directions = {name: uphill(values) for name, values in gradients.items()}
            expected = sum(float((values * directions[name]).sum()) for name, values in gradients.items())
            # Outputs of float32 make the difference of two losses uncertain by about a thousandth, and some
            # windows and ReLUs change their minds on the way.
            self.assertAlmostEqual(
                self.slope(graph, samples, directions) / expected, 1, delta=0.02, msg=model
            )

    def test_each_sample_has_its_own_gradient(self) -> None:
        job = self.job("resnet20", train=0)  # batch norms would mix samples in training
        self.prepared(job)
        samples = jobs.samples(job["graph"], 4)
        name = f"{job['graph']['inputs'][0]['name']}.grad"
        together = self.query(samples, gradients=True)[name]
        for number in range(4):
            alone = self.query({k: v[number : number + 1] for k, v in samples.items()}, gradients=True)[name]
            scale = float(np.abs(alone).max())
            np.testing.assert_allclose(together[number : number + 1], alone, rtol=0, atol=1e-4 * scale)

    def test_integers_have_no_gradient(self) -> None:
        job = self.job("lstm", train=0)
        self.prepared(job)
        found = self.query(jobs.samples(job["graph"], 3), gradients=True)
        self.assertEqual(found.keys(), {"outputs"})

    def test_queries_leave_no_trace_in_a_training_and_see_what_it_came_to(self) -> None:
        for settings, model in combined(self.ways, ("lenet5", "resnet20", self.sequence)):
            job = self.job(model, **settings)
            samples = jobs.samples(job["graph"], 5)
            reference = self.trained(job)
            outputs = self.outputs()
            self.prepared(job)
            before = self.query(samples, gradients=True)
            path = self.path / "trained.safetensors"
            for _ in range(2):  # the second after queries of what was trained
                events = self.harness.ask("train", save=str(path))[0]
                losses = [event["loss"] for event in events if event["type"] == "epoch"]
                self.assertEqual((losses, path.read_bytes()), reference)
                after = self.query(samples, gradients=True)
                self.assertFalse(np.array_equal(after["outputs"], before["outputs"]))
                np.testing.assert_array_equal(self.outputs(), outputs)
            again = self.query(samples, gradients=True)
            for name, values in after.items():
                np.testing.assert_array_equal(again[name], values)

    def test_memory_stays_flat_over_many_queries(self) -> None:
        """Each makes 4 MB of activations."""
        job = self.job(train=0)
        self.prepared(job)
        samples, statm = jobs.samples(job["graph"], 64), Path(f"/proc/{self.harness.process.pid}/statm")
        pages = []
        for _ in range(60):
            self.query(samples)
            self.query(samples, gradients=True)
            pages.append(int(statm.read_text().split()[1]))
        self.assertLess((max(pages[30:]) - max(pages[:30])) * 4096, 8e6)
