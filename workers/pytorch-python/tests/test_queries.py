"""Queries, and probes with dropout."""

import unittest

import context
import numpy as np
import torch

from worker_tests import dropout, jobs, queries
from worker_tests.subject import SERIES


class QueryTest(queries.QueryCase):
    subject = context.SUBJECT

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_a_gpu_answers_as_the_processor_does(self) -> None:
        for model in ("lenet5", "resnet20", SERIES):  # the last has recurrent layers
            samples = jobs.samples(self.subject.graph(model), 5)
            self.prepared(self.job(model, train=0, test=0))
            expected = self.query(samples, gradients=True)
            self.prepared(self.job(model, train=0, test=0, device="cuda"))
            found = self.query(samples, gradients=True)
            self.assertEqual(found.keys(), expected.keys())
            for name, values in expected.items():
                # Other kernels sum up in another order, in up to twenty layers.
                scale = float(np.abs(values).max())
                np.testing.assert_allclose(found[name], values, rtol=0, atol=1e-3 * scale, err_msg=name)


class DropoutTest(dropout.DropoutCase):
    subject = context.SUBJECT


if __name__ == "__main__":
    unittest.main()
