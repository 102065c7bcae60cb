"""The step of a CUDA graph, done without one: on the processor it must come to what the loop comes to."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import context
import numpy as np
import torch

from crossbind_worker.reporter import Reporter
from crossbind_worker.requests import Prepare, Train, parse_request
from crossbind_worker.serving import _read
from crossbind_worker.testing import Message
from crossbind_worker.training import train
from graphed import GraphedModel
from model import TorchModel
from worker_tests import jobs
from worker_tests.subject import weights


class _Again:
    """A recording that is not one."""

    def __init__(self, model: GraphedModel, count: int) -> None:
        self._model, self._count = model, count

    def replay(self) -> None:
        self._model._step(self._count)


class _Unrecorded(GraphedModel):
    def _recorded(self, count: int) -> Any:
        self._place.zero_()
        self._step(count)
        return _Again(self, count)


class GraphedTest(unittest.TestCase):
    def trained(self, kind: type[TorchModel], job: Message) -> tuple[list[Message], dict[str, np.ndarray]]:
        request = parse_request({"id": 1, **json.loads(json.dumps(job)), "type": "prepare"})
        assert isinstance(request, Prepare)
        read = _read(request)
        model = kind(read)
        events: list[Message] = []

        def event(kind: str, **members: Any) -> None:
            if kind in ("epoch", "batch"):
                events.append({"type": kind, **members})

        train(read, model, Train(2, None, -1), Reporter(event, lambda: False))
        return events, dict(model.export())

    def test_a_step_on_resident_order_and_state_is_that_of_the_loop(self) -> None:
        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as folder:
            for momentum in (0.0, 0.9):
                for accuracy in ("running", "eval"):
                    graph = context.SUBJECT.graph("lenet5")
                    graph["optimizer"]["momentum"] = momentum
                    job = jobs.job(
                        Path(folder), graph, weights("lenet5"), train=44, test=12, epochs=3, warmup_steps=2,
                        training_accuracy=accuracy,
                    )  # fmt: skip
                    events, parameters = self.trained(TorchModel, job)
                    own_events, own = self.trained(_Unrecorded, job)
                    self.assertEqual(own_events, events)
                    for name, values in parameters.items():
                        np.testing.assert_array_equal(own[name], values, name)


if __name__ == "__main__":
    unittest.main()
