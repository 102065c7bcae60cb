import hashlib
import unittest

import numpy as np

from crossbind_worker.data import Samples, cut
from crossbind_worker.errors import Failed
from crossbind_worker.metrics import count_correct, hashes


class CountCorrectTest(unittest.TestCase):
    def test_the_lowest_index_wins_among_equals(self) -> None:
        outputs = np.array([[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
        self.assertEqual(count_correct(outputs, {"label": np.array([0, 1, 1])}), 2)

    def test_one_output_above_zero_means_one(self) -> None:
        outputs = np.array([[0.1], [0.0], [-1.0], [2.0]])
        self.assertEqual(count_correct(outputs, {"label": np.array([1, 0, 1, 0])}), 2)

    def test_of_spans_both_ends_must_be_right(self) -> None:
        outputs = np.zeros((2, 3, 2))
        outputs[:, 1, 0] = outputs[:, 2, 1] = 1
        targets = {"start": np.array([1, 1]), "end": np.array([2, 1])}
        self.assertEqual(count_correct(outputs, targets), 1)

    def test_outputs_that_are_not_finite_are_a_failure(self) -> None:
        with self.assertRaises(Failed) as caught:
            count_correct(np.array([[np.nan, 1.0]]), {"label": np.array([1])})
        self.assertEqual(caught.exception.code, "not_finite")


class EvidenceTest(unittest.TestCase):
    def test_hashes_the_canonical_bytes_of_one_input_after_the_other(self) -> None:
        floats = np.arange(6, dtype=np.float64).reshape(2, 3)
        integers = np.array([[7], [8]], dtype=np.int32)
        evidence = hashes(Samples({"a": floats.T.copy().T, "b": integers}, {"label": np.array([1, 0])}))
        expected = floats.astype("<f4").tobytes() + integers.astype("<i8").tobytes()
        self.assertEqual(evidence["inputs_sha256"], hashlib.sha256(expected).hexdigest())
        labels = np.array([1, 0], dtype="<i8").tobytes()
        self.assertEqual(evidence["labels_sha256"], hashlib.sha256(labels).hexdigest())


class CutTest(unittest.TestCase):
    def test_keeps_the_last_batch_though_it_is_short(self) -> None:
        self.assertEqual([ids.tolist() for ids in cut(np.arange(5), 2)], [[0, 1], [2, 3], [4]])


if __name__ == "__main__":
    unittest.main()
