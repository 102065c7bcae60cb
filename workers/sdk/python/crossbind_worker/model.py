"""The seam between the procedures, which all workers share, and a binding.

A worker is a function `build(job) -> Model`; everything that differs between bindings stands in its Model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NoReturn, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .data import Data, Ids, Samples, Split
from .errors import Unsupported
from .graph import Graph
from .model_file import ModelFile, Serialization
from .requests import Settings

Batch = TypeVar("Batch")  # a batch on the device, as the binding has it
Tensor = TypeVar("Tensor")  # a tensor of the binding


@dataclass(frozen=True)
class Job:
    """What a worker is prepared with: read and checked."""

    graph: Graph
    weights: Mapping[str, NDArray[np.float32]]  # canonical; empty when the model comes serialized
    serialized: ModelFile | None
    data: Data
    order: NDArray[np.int64] | None  # [epochs, samples]
    settings: Settings
    scratch: Path


@dataclass(frozen=True)
class Step(Generic[Tensor]):
    """What is kept of a training step until the epoch's timer has stopped: detached, on the device."""

    outputs: Tensor
    loss: Tensor  # the mean over the batch


@dataclass(frozen=True)
class State:
    """Where a probed step starts."""

    parameters: Mapping[str, NDArray[np.float32]]
    moments: Mapping[str, NDArray[np.float32]]  # `<parameter>.state.m` and `.v`; those not there are zero
    step: int  # the number of the step, from 1


@dataclass(frozen=True)
class Probed:
    tensors: Mapping[
        str, np.ndarray
    ]  # by their names in the protocol; more than the wanted ones may be there
    loss: float | None
    fused: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Answer:
    """To a query: canonical, on the host."""

    outputs: np.ndarray
    gradients: Mapping[str, np.ndarray] = field(default_factory=dict)  # by the names of the inputs


class Model(Protocol[Batch, Tensor]):
    """A model of a binding, prepared. Timers run around batches, forward, backward and predict: they do what
    a user of the binding would do there, and nothing else."""

    parameters: int  # how many numbers were built, running statistics included
    effective: Mapping[str, Any]  # every setting that is not as requested; the manifest has the conventions

    def reset(self) -> None:
        """Parameters, statistics, optimizer state and random generators become as prepared."""

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Batch]:
        """The loader: one batch for each element of the order, on the device when it is yielded. Made anew
        for each epoch; asking it for a batch is *load*."""

    def forward(self, batch: Batch) -> Step[Tensor]:
        """In training mode, with the loss."""

    def backward(self) -> None:
        """Of the last forward: zeroes the gradients, goes backward, updates."""

    def predict(self, batch: Batch) -> Tensor:
        """The final output in evaluation mode, detached, on the device."""

    def synchronize(self) -> None:
        """Waits until the device has done all that was asked of it."""

    def to_host(self, tensor: Tensor) -> np.ndarray: ...

    def reached(self, batch: Batch) -> Samples:
        """The batch as it is on the device, back on the host, in canonical layout."""

    def export(self) -> Mapping[str, NDArray[np.float32]]:
        """All parameters and running statistics, canonical."""

    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        """One step from that state, taken apart; without `train` only forward. Dropout is off, but for a step
        with `dropout`: it draws as in training, from generators that go on from probe to probe; a binding
        that cannot raises Unsupported("dropout in a probe"). A model that came serialized keeps its own
        parameters: the state has none."""


class Untrainable:
    """What a Model that came serialized answers to all that trains."""

    def _refuse(self) -> NoReturn:
        raise Unsupported("training of a serialized model")

    def reset(self) -> None:
        self._refuse()

    def forward(self, batch: Any) -> Step[Any]:
        self._refuse()

    def backward(self) -> None:
        self._refuse()

    def export(self) -> Mapping[str, NDArray[np.float32]]:
        self._refuse()


@runtime_checkable
class Queryable(Protocol):
    """What a Model is besides, whose worker declares `queries`."""

    def query(self, batch: Samples, gradients: bool) -> Answer:
        """The final output for a batch of any size, in evaluation mode, with the parameters in force; with
        `gradients` also those of the sum of the samples' losses, by every input that is not of integers. It
        draws nothing and leaves nothing behind, and what can be made once is not made for each."""


@runtime_checkable
class Serializable(Protocol):
    """What a Model is besides, whose worker declares `writes`."""

    def serialize(self, wanted: Serialization) -> None:
        """Writes the model as a file of one of those formats, whole or not at all; with `training` also its
        step, and the random generators as prepared. `wanted.require_at_most` refuses what cannot be had."""


@runtime_checkable
class WholeEpochs(Protocol):
    """What a Model is besides, where the binding goes through all batches in one call: variant fit. Its
    `forward`, `backward` and `predict` are not called."""

    def fit(self, split: Split, order: Sequence[Ids], after: Callable[[Any, Step[Any]], None]) -> None:
        """Trains on each batch of the order, and calls `after` when a step is done. What that raises ends
        the training."""

    def predict_all(self, split: Split, order: Sequence[Ids], after: Callable[[], None]) -> Sequence[Any]:
        """The final output for each batch of the order, in evaluation mode; `after` is called between."""


Build = Callable[[Job], Model[Any, Any]]
