"""What a model needs to infer, however it came here: from parameters or from a SavedModel."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Answer, Failed, Ids, Job, Samples, Split
from layouts import Tensor, Tensors, images_to_canonical, shape_to_native
from loaders import LOADERS, Batch, to_samples, whole
from losses import LOSSES

Traced = Callable[..., Any]  # a tf.function: a graph, made at its first call


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
        self._input_specs = tuple(
            tf.TensorSpec(
                [None, *shape_to_native(given.shape)], tf.float32 if given.entries is None else tf.int64
            )
            for given in job.graph.inputs
        )
        self._target_specs = (tf.TensorSpec([None], tf.int64),) * len(job.graph.targets)

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Batch]:
        with typed_errors():
            yield from self._loaders[split.name].batches(order)

    @typed_errors()
    def predict(self, batch: Batch) -> Tensor:
        return self._predict(*batch.inputs)

    def _criterion(self, outputs: Tensor, targets: Tensors) -> Tensor:
        return LOSSES[self.job.graph.loss](outputs, *targets)

    @typed_errors()
    def query(self, batch: Samples, gradients: bool) -> Answer:
        given = whole(batch)
        reals = [each.name for each in self.job.graph.inputs if each.entries is None]
        if not (gradients and reals):
            return Answer(self.to_host(self.predict(given)))
        outputs, slopes = self._differentiate(given.inputs, given.targets)
        return Answer(self.to_host(outputs), dict(zip(reals, map(self.to_host, slopes), strict=True)))

    @cached_property
    def _differentiate(self) -> Traced:
        """The outputs, and the gradients of the sum of the losses by the inputs that have one."""
        return self._differentiated(self._predict)

    def _differentiated(self, predict: Callable[..., Tensor]) -> Traced:
        @tf.function(input_signature=[self._input_specs, self._target_specs])
        def differentiate(inputs: Tensors, targets: Tensors) -> tuple[Tensor, list[Tensor]]:
            reals = [tensor for tensor in inputs if tensor.dtype.is_floating]
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(reals)
                outputs = predict(*inputs)
                samples = tf.cast(tf.shape(outputs)[0], outputs.dtype)
                loss = samples * self._criterion(outputs, targets)
            return outputs, tape.gradient(loss, reals, unconnected_gradients=tf.UnconnectedGradients.ZERO)

        traced: Traced = differentiate
        return traced

    def synchronize(self) -> None:
        """On a processor TensorFlow computes before it returns."""

    def to_host(self, tensor: Tensor) -> np.ndarray:
        return images_to_canonical(np.asarray(tensor))

    def reached(self, batch: Batch) -> Samples:
        return to_samples(batch, [given.name for given in self.job.graph.inputs], self.job.graph.targets)
