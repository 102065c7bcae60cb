"""What a model needs to infer, however it came here: from parameters or from a SavedModel."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Failed, Ids, Job, Samples, Split
from layouts import Tensor, images_to_canonical
from loaders import LOADERS, Batch, to_samples


@contextmanager
def typed_errors() -> Iterator[None]:
    """TensorFlow's way to say that there is no memory left."""
    try:
        yield
    except tf.errors.ResourceExhaustedError as error:
        raise Failed("out_of_memory", str(error)) from error


def _set_threads(threads: int) -> int:
    """How many there are: once TensorFlow has begun to compute, it keeps its threads. All of them compute one
    operation, and one operation at a time."""
    try:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:
        pass
    return int(tf.config.threading.get_intra_op_parallelism_threads())


class InferenceModel:
    """Of the SDK's Model, all that does not train."""

    parameters: int
    _predict: Callable[..., Tensor]  # of the inputs, in evaluation mode

    @typed_errors()
    def __init__(self, job: Job) -> None:
        self.job = job
        threads = _set_threads(job.settings.threads)
        self.effective: Mapping[str, Any] = {"threads": threads} if threads != job.settings.threads else {}
        loader = LOADERS[job.settings.loader]
        splits = [split for split in (job.data.train, job.data.test) if split]
        self._loaders = {split.name: loader(split, job.settings.batch_size) for split in splits}

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Batch]:
        with typed_errors():
            yield from self._loaders[split.name].batches(order)

    @typed_errors()
    def predict(self, batch: Batch) -> Tensor:
        return self._predict(*batch.inputs)

    def synchronize(self) -> None:
        """On a processor TensorFlow computes before it returns."""

    def to_host(self, tensor: Tensor) -> np.ndarray:
        return images_to_canonical(np.asarray(tensor))

    def reached(self, batch: Batch) -> Samples:
        return to_samples(batch, [given.name for given in self.job.graph.inputs], self.job.graph.targets)
