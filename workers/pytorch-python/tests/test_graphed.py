"""The step of a CUDA graph, done without one: on the processor it must come to what the loop comes to."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import context
import numpy as np
import torch

from crossbind_worker import State
from crossbind_worker.data import read_batch
from crossbind_worker.reporter import Reporter
from crossbind_worker.requests import Prepare, Train, parse_request
from crossbind_worker.safetensors import write_safetensors
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
    def built(self, kind: type[TorchModel], job: Message) -> TorchModel:
        request = parse_request({"id": 1, **json.loads(json.dumps(job)), "type": "prepare"})
        assert isinstance(request, Prepare)
        return kind(_read(request, None))

    def trained(self, model: TorchModel) -> tuple[list[Message], dict[str, np.ndarray]]:
        events: list[Message] = []

        def event(kind: str, **members: Any) -> None:
            if kind in ("epoch", "batch"):
                events.append({"type": kind, **members})

        train(model.job, model, Train(2, None, -1), Reporter(event, lambda: False))
        return events, {name: values.copy() for name, values in model.export().items()}

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
                    events, parameters = self.trained(self.built(TorchModel, job))
                    own_events, own = self.trained(self.built(_Unrecorded, job))
                    self.assertEqual(own_events, events)
                    for name, values in parameters.items():
                        np.testing.assert_array_equal(own[name], values, name)

    def test_queries_and_probes_between_two_trainings_leave_no_trace(self) -> None:
        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as folder:
            graph, path = context.SUBJECT.graph("lenet5"), Path(folder) / "batch.safetensors"
            write_safetensors(path, jobs.samples(graph, 5))
            model = self.built(
                _Unrecorded, jobs.job(Path(folder), graph, weights("lenet5"), train=44, test=12)
            )
            first = self.trained(model)
            batch = read_batch(path, model.job.graph)
            self.assertEqual(model.query(batch, True).gradients.keys(), {"image"})
            model.probe(State(model.job.weights, {}, 1), batch, train=True, dropout=True)
            second = self.trained(model)
            self.assertEqual(first[0], second[0])
            for name, values in first[1].items():
                np.testing.assert_array_equal(second[1][name], values, name)


if __name__ == "__main__":
    unittest.main()
