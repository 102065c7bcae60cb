"""Batches in TensorFlow's layout, by either loader."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Ids, Samples
from layouts import Tensor, Tensors, images_to_canonical, images_to_native


@dataclass(frozen=True)
class Batch:
    """In the order of the graph."""

    inputs: Tensors
    targets: Tensors


def whole(samples: Samples) -> Batch:
    return Batch(
        tuple(tf.constant(images_to_native(values)) for values in samples.inputs.values()),
        tuple(tf.constant(values) for values in samples.targets.values()),
    )


class Loader(ABC):
    """Batches of one split."""

    def __init__(self, split: Samples, batch_size: int) -> None:
        self._whole = whole(split)

    @abstractmethod
    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]: ...

    def _rows(self, ids: Tensor) -> tuple[Tensors, Tensors]:
        """Of inputs and of targets."""
        return (
            tuple(tf.gather(tensor, ids) for tensor in self._whole.inputs),
            tuple(tf.gather(tensor, ids) for tensor in self._whole.targets),
        )


class IdiomaticLoader(Loader):
    """tf.data, over the ids of an epoch. The pipeline is made once, as a user would do, and reads the order
    from a variable. It does not prefetch: that would be a thread more than were asked for."""

    def __init__(self, split: Samples, batch_size: int) -> None:
        super().__init__(split, batch_size)
        self._order = tf.Variable(np.zeros(0, np.int64), shape=[None])
        epoch = tf.data.Dataset.from_tensors(0)
        epoch = epoch.flat_map(lambda _: tf.data.Dataset.from_tensor_slices(self._order.read_value()))
        self._dataset = epoch.batch(batch_size).map(self._rows)

    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]:
        for rows in self.dataset(order):
            yield Batch(*rows)

    def dataset(self, order: Sequence[Ids]) -> Any:
        """Each batch is a pair of inputs and targets."""
        self._order.assign(np.concatenate(order))
        return self._dataset


class ResidentLoader(Loader):
    """Whole tensors; a batch is some of their rows."""

    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]:
        for ids in order:
            yield Batch(*self._rows(tf.constant(ids)))


LOADERS: Mapping[str, type[Loader]] = {"idiomatic": IdiomaticLoader, "resident": ResidentLoader}


def to_samples(batch: Batch, inputs: Sequence[str], targets: Sequence[str]) -> Samples:
    """The batch as crossbind has it, under its names."""

    def named(names: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, np.ndarray]:
        return {
            name: images_to_canonical(tensor.numpy()) for name, tensor in zip(names, tensors, strict=True)
        }

    return Samples(named(inputs, batch.inputs), named(targets, batch.targets))
