"""Writes a network as a SavedModel, for every binding of TensorFlow, or as a checkpoint; PROTOCOL.md has the
signatures. What is written appears whole or not at all."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import keras
import tensorflow as tf

from inference import Traced
from layouts import Tensor, Tensors
from network import Network, Variable


@dataclass(frozen=True)
class Training:
    """What a network needs besides, to be trained where it is loaded."""

    step: Callable[[Tensors, Tensors], tuple[Tensor, Tensor]]  # of inputs and targets: outputs and loss
    targets: Sequence[str]


def export_saved_model(
    network: Network, training: Training | None, optimizer: Sequence[Variable], path: Path
) -> None:
    """With the variables of the optimizer, as they are."""
    module = tf.Module()
    variables = [*network.model.weights, *network.seeds, *optimizer]
    module.state = [variable.value for variable in variables]
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        tf.saved_model.save(module, str(temporary), signatures=_signatures(network, training))
        if path.is_dir():
            shutil.rmtree(path)  # a folder takes the place of an empty one only
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def export_checkpoint(network: Network, optimizer: keras.optimizers.Optimizer | None, path: Path) -> None:
    """One file of weights, as Keras writes it; an optimizer goes in where the model is compiled with it."""
    model = keras.Model(network.model.inputs, network.model.outputs)
    if optimizer is not None:
        model.compile(optimizer)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.weights.h5")  # Keras takes no other ending
    try:
        model.save_weights(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _signatures(network: Network, training: Training | None) -> Mapping[str, Traced]:
    inputs = [tf.TensorSpec(each.shape, each.dtype, name=each.name) for each in network.model.inputs]

    @tf.function(input_signature=inputs)
    def predict(*inputs: Tensor) -> dict[str, Tensor]:
        return {"outputs": network.model(list(inputs), training=False)}

    signatures = {
        "serving_default": predict,
        "parameters": tf.function(network.parameters, input_signature=[]),
    }
    if training:
        signatures["train_step"] = _train_step(inputs, training)
    return signatures


def _train_step(inputs: Sequence[tf.TensorSpec], training: Training) -> Traced:
    targets = [tf.TensorSpec([None], tf.int64, name=name) for name in training.targets]

    @tf.function(input_signature=[*inputs, *targets])
    def train_step(*given: Tensor) -> dict[str, Tensor]:
        outputs, loss = training.step(given[: len(inputs)], given[len(inputs) :])
        return {"outputs": outputs, "loss": loss}

    step: Traced = train_step
    return step
