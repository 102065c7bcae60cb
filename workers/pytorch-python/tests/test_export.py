"""TorchScript files."""

import unittest

import context

from worker_tests import cases


class ExportTest(cases.ExportCase):
    subject = context.SUBJECT
    name = "model.pt"

    def test_what_is_serialized_cannot_be_trained(self) -> None:
        path = self.written(self.job())
        reply = self.harness.ask("serialize", path=str(path), training=True)[1]
        self.assert_unsupported(reply, "training of a serialized model")


if __name__ == "__main__":
    unittest.main()
