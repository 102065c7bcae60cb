"""The step as a CUDA graph."""

import unittest

import context

from worker_tests.graph import GraphCase


class GraphTest(GraphCase):
    subject = context.SUBJECT


del GraphCase  # or it would be run too

if __name__ == "__main__":
    unittest.main()
