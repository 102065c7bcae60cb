"""Queries, and probes with dropout."""

import unittest
from typing import ClassVar

import context

from worker_tests import dropout, queries


class QueryTest(queries.QueryCase):
    subject = context.SUBJECT
    ways: ClassVar = ({}, {"variant": "fit", "loader": "idiomatic"})


class DropoutTest(dropout.DropoutCase):
    subject = context.SUBJECT


if __name__ == "__main__":
    unittest.main()
