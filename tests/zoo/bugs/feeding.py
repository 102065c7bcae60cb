"""Loaders that give the model another batch than the order says."""

from collections.abc import Iterator, Sequence

import numpy as np

from crossbind_worker import Ids, Split, training
from crossbind_worker.data import cut
from inference import InferenceModel
from loaders import Batch

from .registry import replaces

_batches = InferenceModel.batches


@replaces("last-batch-dropped", training, "cut")
def whole_batches(ids: Ids, batch_size: int) -> Sequence[Ids]:
    return [batch for batch in cut(ids, batch_size) if len(batch) == batch_size]


@replaces("labels-one-batch-off", InferenceModel, "batches")
def labels_of_the_next(self: InferenceModel, split: Split, order: Sequence[Ids]) -> Iterator[Batch]:
    """The labels come from an iterator of their own, which is one batch ahead."""
    ends = np.cumsum([len(ids) for ids in order])
    ahead = np.split(np.roll(np.concatenate(order), -len(order[0])), ends[:-1])
    for batch, other in zip(_batches(self, split, order), _batches(self, split, ahead), strict=True):
        yield Batch(batch.inputs, other.targets)
