"""Probes with dropout on: one mask a probe, which all of the step is computed with."""

from pathlib import Path
from typing import Any

import numpy as np

from crossbind_worker.losses import LOSSES
from crossbind_worker.testing import Message

from . import jobs
from .cases import WorkerCase

Tensors = dict[str, np.ndarray]


class DropoutCase(WorkerCase):
    def probe(self, job: Message, **members: Any) -> tuple[Message, Tensors]:
        reply, tensors = jobs.probe(self.harness, job["graph"], Path(job["weights"]), **members)
        self.assertEqual(reply["missing"], [])
        return reply, {name: values.copy() for name, values in tensors.items()}

    def layer(self, job: Message) -> tuple[str, str, float]:
        """The dropout of the model: its input, its output, its rate."""
        (node,) = (each for each in job["graph"]["nodes"] if each["type"] == "dropout")
        return f"{node['inputs'][0]}.out", f"{node['name']}.out", node["fields"]["rate"]

    def mask(self, job: Message, tensors: Tensors) -> np.ndarray:
        before, after, _ = self.layer(job)
        mask: np.ndarray = (tensors[after] != 0) | (tensors[before] == 0)
        return mask

    def test_what_is_kept_is_scaled_up_and_the_rest_is_0(self) -> None:
        job = self.job(self.sequence, train=0)
        self.prepared(job)
        before, after, rate = self.layer(job)
        for _ in range(2):
            tensors = self.probe(job, dropout=True)[1]
            mask = self.mask(job, tensors)
            np.testing.assert_allclose(tensors[after], mask * tensors[before] / (1 - rate), rtol=1e-6)
            deviation = (rate * (1 - rate) / mask.size) ** 0.5
            self.assertAlmostEqual(1 - mask.mean(), rate, delta=4 * deviation)

    def test_the_whole_step_is_of_that_mask(self) -> None:
        job = self.job(self.sequence, train=0)
        self.prepared(job)
        reply, tensors = self.probe(job, dropout=True)
        (fc,) = (node for node in job["graph"]["nodes"] if node["name"] == "fc")
        logits, inputs = tensors["fc.out"].astype(float), tensors[f"{fc['inputs'][0]}.out"]
        targets = jobs.samples(job["graph"], job["graph"]["batch"])
        expected = LOSSES[job["graph"]["loss"]["type"]](logits, targets).mean()
        self.assertAlmostEqual(reply["loss"] / expected, 1, delta=1e-5)
        exponentials = np.exp(logits)
        slopes = exponentials / exponentials.sum(axis=1, keepdims=True)
        slopes[np.arange(len(slopes)), targets["label"]] -= 1
        gradient = slopes.T @ inputs / len(slopes)
        np.testing.assert_allclose(tensors["fc.weight.grad"], gradient, rtol=1e-4, atol=1e-6)
        m = jobs.moments(job["graph"])["fc.weight.state.m"]
        beta = job["graph"]["optimizer"]["beta1"]
        found = tensors["fc.weight.state.m"]
        np.testing.assert_allclose(found, beta * m + (1 - beta) * gradient, rtol=1e-4, atol=1e-6)

    def test_two_probes_draw_twice_and_a_seed_draws_the_same_again(self) -> None:
        drawn = {}
        for attempt, seed in enumerate((1, 1, 2)):
            job = self.job(self.sequence, train=0, seed=seed)
            self.prepared(job)
            masks = [self.mask(job, self.probe(job, dropout=True)[1]).tobytes() for _ in range(3)]
            self.assertEqual(len(set(masks)), 3)
            drawn[attempt] = masks
        self.assertEqual(drawn[0], drawn[1])
        self.assertTrue(set(drawn[0]).isdisjoint(drawn[2]))

    def test_neither_queries_nor_other_probes_draw(self) -> None:
        job = self.job(self.sequence, train=0)
        self.prepared(job)
        expected = [self.mask(job, self.probe(job, dropout=True)[1]) for _ in range(2)]
        self.prepared(job)
        for mask in expected:
            self.query(jobs.samples(job["graph"], 3), gradients=True)
            self.probe(job)
            np.testing.assert_array_equal(self.mask(job, self.probe(job, dropout=True)[1]), mask)

    def test_it_is_off_where_nobody_asks_for_it(self) -> None:
        job = self.job(self.sequence, train=0)
        self.prepared(job)
        before, after, _ = self.layer(job)
        self.probe(job, dropout=True)
        for members in ({}, {"dropout": False}):
            tensors = self.probe(job, **members)[1]
            np.testing.assert_array_equal(tensors[after], tensors[before])

    def test_a_training_after_it_is_as_ever(self) -> None:
        job = self.job(self.sequence)
        reference = self.trained(job)
        self.prepared(job)
        self.probe(job, dropout=True)
        events = self.harness.ask("train")[0]
        self.assertEqual([event["loss"] for event in events if event["type"] == "epoch"], reference[0])
