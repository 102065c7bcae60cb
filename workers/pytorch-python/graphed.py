"""The variant graph: the whole training step recorded as a CUDA graph and replayed."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from crossbind_worker import Ids, Job, Samples, Split, Step
from inference import typed_errors
from loaders import Batch, ResidentLoader
from model import TorchModel
from optimizers import build_optimizer, restart

REHEARSALS = 3  # as torch.cuda.make_graphed_callables


class GraphedModel(TorchModel):
    """Trains whole epochs: data, order and the place in it are on the device, which the host neither feeds
    nor waits for. All else is as ever."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}  # by the size of the batch
        self._order: Tensor  # [steps, batch size]
        self._place: Tensor  # [1], the row of the order
        self._losses: Tensor  # [steps]
        self._outputs: Tensor  # [steps, batch size, ...]

    @typed_errors()
    def reset(self) -> None:
        if not self._graphs:
            self._optimizer = build_optimizer(self.job.graph, self._canonical, capturable=True)
            self._record()
        self._load(self.job.weights)
        restart(self._optimizer)
        torch.manual_seed(self.job.settings.seed)

    def _record(self) -> None:
        """Rehearsing trains; whoever calls this resets what it changes."""
        assert self.job.data.train is not None  # there is an order
        samples, size = self.job.data.train.size, self.job.settings.batch_size
        steps = -(-samples // size)
        self._order = torch.zeros((steps, size), dtype=torch.int64, device=self.device)
        self._place = torch.zeros(1, dtype=torch.int64, device=self.device)
        self._losses = torch.zeros(steps, device=self.device)
        self._outputs = torch.zeros((steps, size, *self.job.graph.nodes[-1].output), device=self.device)
        self.network.train()
        # The shapes of a recording never change: the fastest kernels are worth looking for.
        torch.backends.cudnn.benchmark = True
        for count in {min(size, samples), samples - (steps - 1) * size}:
            self._graphs[count] = self._recorded(count)
        torch.backends.cudnn.benchmark = False

    def _recorded(self, count: int) -> torch.cuda.CUDAGraph:
        stream = torch.cuda.Stream()  # the default one cannot be recorded
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(REHEARSALS):  # libraries choose and allocate when they are first called
                self._place.zero_()
                self._step(count)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            self._step(count)
        return graph

    def _now(self, place: Tensor, count: int) -> Batch:
        loader = cast(ResidentLoader, self._loaders["train"])
        return loader.rows(self._order.index_select(0, place)[0, :count])

    def _step(self, count: int) -> None:
        batch = self._now(self._place, count)
        outputs = self.network(*batch.inputs)
        loss = self._criterion(outputs, batch)
        self._update(self._optimizer, loss)
        with torch.no_grad():
            self._losses.index_copy_(0, self._place, loss.detach().view(1))
            self._outputs[:, :count].index_copy_(0, self._place, outputs.detach().unsqueeze(0))
            self._place.add_(1)

    @typed_errors()
    def fit(self, split: Split, order: Sequence[Ids], after: Callable[[Any, Step[Tensor]], None]) -> None:
        if not self.network.training:
            self.network.train()
        rows = np.zeros(self._order.shape, np.int64)
        for row, ids in zip(rows, order, strict=False):
            row[: len(ids)] = ids
        self._order.copy_(torch.from_numpy(rows))
        self._place.zero_()
        for number, ids in enumerate(order):
            self._graphs[len(ids)].replay()
            outputs = self._outputs[number, : len(ids)]
            after((number, len(ids)), Step(outputs, self._losses[number]))

    def predict_all(self, split: Split, order: Sequence[Ids], after: Callable[[], None]) -> Sequence[Tensor]:
        outputs = []
        for batch in self.batches(split, order):
            outputs.append(self.predict(batch))
            after()
        return outputs

    def reached(self, batch: Any) -> Samples:
        number, count = batch
        return super().reached(self._now(torch.tensor([number], device=self.device), count))
