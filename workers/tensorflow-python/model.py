"""A model that Keras trains, as the procedures of the SDK want it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from crossbind_worker import Job, Probed, Samples, State, Step
from export import export_saved_model
from inference import InferenceModel, typed_errors
from loaders import Batch, Tensor, whole
from losses import LOSSES
from network import Network
from optimizers import Moments, build_optimizer
from serialized import SerializedModel


class KerasModel(InferenceModel):
    """Built from the graph and its parameters. Forward, its gradient and the update are graphs of their own
    (`tf.function`), so that a step has parts."""

    @typed_errors()
    def __init__(self, job: Job, conventions: Mapping[str, str]) -> None:
        super().__init__(job, conventions)
        keras.utils.set_random_seed(job.settings.seed)
        self.network = Network(job.graph)
        self.network.load(job.weights)
        self.parameters = sum(values.size for values in self.export().values())
        self._seeds = [state.numpy() for state in self.network.seeds]
        self._trained = [variable.value for variable in self.network.model.trainable_variables]
        self._tape: tf.GradientTape  # of the last forward, with its loss
        self._loss: Tensor
        inputs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in self.network.model.inputs]
        targets = [tf.TensorSpec([None], tf.int64)] * len(job.graph.targets)
        self._forward = tf.function(self._with_loss, input_signature=[tuple(inputs), tuple(targets)])
        self._predict = tf.function(self._evaluated, input_signature=inputs)

    def _evaluated(self, *inputs: Tensor) -> Tensor:
        return self.network.model(list(inputs), training=False)

    def _with_loss(self, inputs: tuple[Tensor, ...], targets: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        outputs = self.network.model(list(inputs), training=True)
        return outputs, self._criterion(outputs, targets)

    def _criterion(self, outputs: Tensor, targets: tuple[Tensor, ...]) -> Tensor:
        return LOSSES[self.job.graph.loss](outputs, *targets)

    @cached_property
    def _optimizer(self) -> keras.optimizers.Optimizer:
        return build_optimizer(self.job.graph, self.network)

    @cached_property
    def _moments(self) -> Moments:
        return Moments(self._optimizer, self.job.graph, self.network)

    @cached_property
    def _update(self) -> Callable[..., None]:
        def apply(gradients: list[Tensor]) -> None:
            self._optimizer.apply(gradients, self.network.model.trainable_variables)

        signature = [[tf.TensorSpec(variable.shape, variable.dtype) for variable in self._trained]]
        update: Callable[..., None] = tf.function(apply, input_signature=signature)
        return update

    def reset(self) -> None:
        """Whatever has been traced is kept: only values change."""
        self.network.load(self.job.weights)
        self._moments.clear()
        for state, values in zip(self.network.seeds, self._seeds, strict=True):
            state.assign(values)

    @typed_errors()
    def forward(self, batch: Batch) -> Step[Tensor]:
        with tf.GradientTape() as self._tape:
            outputs, self._loss = self._forward(batch.inputs, batch.targets)
        return Step(outputs, self._loss)

    @typed_errors()
    def backward(self) -> None:
        self._update(self._gradients())

    def _gradients(self) -> list[Tensor]:
        """Those of embeddings come as rows; Keras makes all of the table of them anyway."""
        return [tf.convert_to_tensor(each) for each in self._tape.gradient(self._loss, self._trained)]

    def export(self) -> Mapping[str, np.ndarray]:
        return self.network.export({v.path: v.numpy() for v in self.network.model.weights})

    def serialize(self, path: Path) -> None:
        export_saved_model(self.network, path)

    @cached_property
    def _tapped(self) -> Callable[..., list[Tensor]]:
        taps: Callable[..., list[Tensor]] = tf.function(
            lambda inputs, train: self.network.taps(list(inputs), training=train), reduce_retracing=True
        )
        return taps

    @typed_errors()
    def probe(self, state: State, batch: Samples, train: bool) -> Probed:
        self.network.load(state.parameters)
        native = whole(batch)
        with tf.GradientTape() as self._tape:
            outputs = self._tapped(native.inputs, train)
            loss = self._criterion(outputs[-1], native.targets) if native.targets else None
        names = [f"{node.name}.out" for node in self.job.graph.nodes]
        tensors = dict(zip(names, map(self.to_host, outputs), strict=True))
        if train:
            self._loss = loss
            tensors |= self._probe_update(state)
        tensors |= self.export()
        return Probed(tensors, None if loss is None else float(loss))

    def _probe_update(self, state: State) -> dict[str, np.ndarray]:
        """Gradients, and moments after the update."""
        self._moments.load(state)
        gradients = self._gradients()
        self._update(gradients)
        paths = [variable.path for variable in self.network.model.trainable_variables]
        values = [gradient.numpy() for gradient in gradients]
        exported = self.network.export(dict(zip(paths, values, strict=True)))
        return {f"{name}.grad": values for name, values in exported.items()} | self._moments.export()


def build(job: Job, conventions: Mapping[str, str]) -> KerasModel | SerializedModel:
    return (SerializedModel if job.serialized else KerasModel)(job, conventions)
