"""Side by side with the referee. The largest difference seen is 8e-6, and 5e-5 in vgg16-bn-all, whose last
batch norms are over 8 vectors."""

import unittest
from typing import ClassVar

import context

from worker_tests import agreement


class AgreementTest(agreement.AgreementCase):
    subject = context.SUBJECT
    wider: ClassVar = {"vgg16-bn-all": 3e-4}
    without: ClassVar = ("grurb",)  # PyTorch has no GRU with the reset before the product


if __name__ == "__main__":
    unittest.main()
