"""A model that Keras trains, as the procedures of the SDK want it."""

from collections.abc import Mapping
from functools import cached_property

import keras
import numpy as np
import tensorflow as tf

from crossbind_worker import Job, Probed, Samples, Serialization, State, Step
from export import Training, export_checkpoint, export_saved_model
from inference import InferenceModel, Traced, typed_errors
from layouts import Tensor, Tensors
from loaders import Batch, whole
from network import Network
from optimizers import Moments, build_optimizer


class KerasModel(InferenceModel):
    """Built from the graph and its parameters. A training step is one graph, as users write it; where its
    parts are timed it is three: forward, its gradient, the update."""

    @typed_errors()
    def __init__(self, job: Job) -> None:
        super().__init__(job)
        keras.utils.clear_session()  # frees what was built for an earlier job
        keras.utils.set_random_seed(job.settings.seed)
        self.network = Network(job.graph)
        self.network.load(job.weights)
        self.parameters = sum(values.size for values in self.export().values())
        self._seeds = [state.numpy() for state in self.network.seeds]
        self._trained = [variable.value for variable in self.network.model.trainable_variables]
        self._tape: tf.GradientTape  # of the last forward, with its loss
        self._loss: Tensor
        inputs, targets = self._input_specs, self._target_specs
        self._predict = tf.function(self._evaluate, input_signature=inputs)
        self._step: Traced = tf.function(self._train, input_signature=[inputs, targets])
        self._forward: Traced = tf.function(self._with_loss, input_signature=[inputs, targets])
        self._tapped: Traced = tf.function(self._tap, input_signature=[inputs])
        self._tapped_step = self._tapped_by(self.network.calm_taps)
        self._dropping_step = self._tapped_by(self.network.taps)

    def _evaluate(self, *inputs: Tensor) -> Tensor:
        return self.network.model(list(inputs), training=False)

    def _with_loss(self, inputs: Tensors, targets: Tensors) -> tuple[Tensor, Tensor]:
        constants = [tf.stop_gradient(tensor) for tensor in inputs]  # a graph of its own has gradients of all
        outputs = self.network.model(constants, training=True)
        return outputs, self._criterion(outputs, targets)

    def _train(self, inputs: Tensors, targets: Tensors) -> tuple[Tensor, Tensor]:
        with tf.GradientTape() as tape:
            outputs, loss = self._with_loss(inputs, targets)
        self._apply(tape.gradient(loss, self._trained))
        return outputs, loss

    def _gradients(self, tape: tf.GradientTape, loss: Tensor) -> list[Tensor]:
        """Dense, as the optimizer would make them: graphs and files take tensors."""
        return [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, self._trained)]

    def _apply(self, gradients: list[Tensor]) -> None:
        self._optimizer.apply(gradients, self.network.model.trainable_variables)

    @cached_property
    def _optimizer(self) -> keras.optimizers.Optimizer:
        return build_optimizer(self.job.graph, self.network)

    @cached_property
    def _moments(self) -> Moments:
        return Moments(self._optimizer, self.job.graph, self.network)

    @cached_property
    def _update(self) -> Traced:
        specs = [tf.TensorSpec(variable.shape, variable.dtype) for variable in self._trained]
        update: Traced = tf.function(self._apply, input_signature=[specs])
        return update

    def reset(self) -> None:
        """Whatever has been traced is kept: only values change."""
        self.network.load(self.job.weights)
        self._moments.clear()
        self._restart_generators()

    def _restart_generators(self) -> None:
        for state, values in zip(self.network.seeds, self._seeds, strict=True):
            state.assign(values)

    @typed_errors()
    def forward(self, batch: Batch) -> Step[Tensor]:
        """All of the step, where nobody asks for its parts."""
        if self.job.settings.measure == "total":
            return Step(*self._step(batch.inputs, batch.targets))
        with tf.GradientTape() as self._tape:
            outputs, self._loss = self._forward(batch.inputs, batch.targets)
        return Step(outputs, self._loss)

    @typed_errors()
    def backward(self) -> None:
        if self.job.settings.measure == "parts":
            self._update(self._gradients(self._tape, self._loss))

    def export(self) -> Mapping[str, np.ndarray]:
        return {name: tensor.numpy() for name, tensor in self.network.parameters().items()}

    @typed_errors()
    def serialize(self, wanted: Serialization) -> None:
        if wanted.format == "checkpoint":
            wanted.require_at_most(optimizer=True)
            export_checkpoint(self.network, self._optimizer if wanted.optimizer else None, wanted.path)
            return
        wanted.require_at_most(training=True, optimizer=True)
        if wanted.training:
            self._restart_generators()
            if not wanted.optimizer:
                self._moments.clear()
        export_saved_model(
            self.network,
            Training(self._train, self.job.graph.targets) if wanted.training else None,
            self._optimizer.variables if wanted.training or wanted.optimizer else (),
            wanted.path,
        )

    def _tap(self, inputs: Tensors) -> list[Tensor]:
        outputs: list[Tensor] = self.network.calm_taps(list(inputs), training=False)
        return outputs

    def _tapped_by(self, taps: keras.Model) -> Traced:
        """A training step that shows the outputs of all layers, its loss, and its gradients."""

        @tf.function(input_signature=[self._input_specs, self._target_specs])
        def step(inputs: Tensors, targets: Tensors) -> tuple[list[Tensor], Tensor, list[Tensor]]:
            with tf.GradientTape() as tape:
                outputs = taps(list(inputs), training=True)
                loss = self._criterion(outputs[-1], targets)
            gradients = self._gradients(tape, loss)
            self._apply(gradients)
            return outputs, loss, gradients

        traced: Traced = step
        return traced

    @typed_errors()
    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        self.network.load(state.parameters)
        native, tensors = whole(batch), {}
        if train:
            self._moments.load(state)
            step = self._dropping_step if dropout else self._tapped_step
            outputs, loss, gradients = step(native.inputs, native.targets)
            tensors = self._export_gradients(gradients) | self._moments.export()
        else:
            outputs = self._tapped(native.inputs)
            loss = self._criterion(outputs[-1], native.targets) if native.targets else None
        names = [f"{node.name}.out" for node in self.job.graph.nodes]
        tensors |= dict(zip(names, map(self.to_host, outputs), strict=True))
        return Probed({**tensors, **self.export()}, None if loss is None else float(loss))

    def _export_gradients(self, gradients: list[Tensor]) -> dict[str, np.ndarray]:
        paths = [variable.path for variable in self.network.model.trainable_variables]
        values = [gradient.numpy() for gradient in gradients]
        exported = self.network.export(dict(zip(paths, values, strict=True)))
        return {f"{name}.grad": each for name, each in exported.items()}
