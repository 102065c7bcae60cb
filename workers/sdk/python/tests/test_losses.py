"""Losses against their definitions, which overflow where the losses must not."""

import unittest
from math import exp, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from crossbind_worker.data import Split, cut
from crossbind_worker.errors import Failed
from crossbind_worker.losses import LOSSES
from crossbind_worker.metrics import score


class LossTest(unittest.TestCase):
    def lost(self, loss: str, logits: ArrayLike, **targets: int) -> float:
        """By one sample."""
        batch = np.asarray(logits, float)[None]
        (value,) = LOSSES[loss](batch, {name: np.array([target]) for name, target in targets.items()})
        return float(value)

    def test_cross_entropy(self) -> None:
        expected = log(exp(1) + exp(-2) + exp(0.5)) - 0.5
        self.assertAlmostEqual(self.lost("cross_entropy", [1.0, -2.0, 0.5], label=2), expected, places=14)

    def test_binary_cross_entropy(self) -> None:
        for z in (-3.0, 0.0, 2.0):
            self.assertAlmostEqual(self.lost("binary_cross_entropy", [z], label=1), log1p(exp(-z)), places=14)
            self.assertAlmostEqual(self.lost("binary_cross_entropy", [z], label=0), log1p(exp(z)), places=14)

    def test_span_cross_entropy_is_the_mean_of_both_ends(self) -> None:
        starts, ends = [1.0, 2.0, 3.0], [0.5, -0.5, 0.0]
        spans = np.stack([starts, ends], axis=1)
        expected = (log(sum(map(exp, starts))) - 2.0 + log(sum(map(exp, ends))) - 0.0) / 2
        self.assertAlmostEqual(self.lost("span_cross_entropy", spans, start=1, end=2), expected, places=14)

    def test_large_outputs_overflow_nothing(self) -> None:
        with np.errstate(over="raise", invalid="raise"):
            self.assertEqual(self.lost("cross_entropy", [1e4, -1e4], label=1), 2e4)
            self.assertEqual(self.lost("binary_cross_entropy", [-1e4], label=1), 1e4)
            self.assertEqual(self.lost("binary_cross_entropy", [-1e4], label=0), 0)


class ScoreTest(unittest.TestCase):
    outputs = np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], np.float32)
    split = Split({}, {"label": np.array([0, 1, 1])}, "test", 3)

    def test_every_sample_counts_the_same_also_in_a_short_batch(self) -> None:
        batches = cut(np.arange(3), 2)
        found = score([self.outputs[ids] for ids in batches], batches, self.split, "cross_entropy")
        self.assertEqual(found.accuracy, 2 / 3)
        expected = (log1p(exp(-2)) + log1p(exp(-1)) + log1p(exp(3))) / 3
        self.assertAlmostEqual(found.loss, expected, places=14)

    def test_outputs_that_are_not_finite_are_a_failure(self) -> None:
        with self.assertRaises(Failed) as caught:
            score([np.full_like(self.outputs, np.inf)], cut(np.arange(3), 3), self.split, "cross_entropy")
        self.assertEqual(caught.exception.code, "not_finite")


if __name__ == "__main__":
    unittest.main()
