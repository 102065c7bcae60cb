"""Writes a network as a SavedModel, for every binding of TensorFlow; PROTOCOL.md has its signatures."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from layouts import Tensor, Tensors
from network import Network, Variable

Traced = Callable[..., Any]  # a tf.function: a graph, made at its first call


@dataclass(frozen=True)
class Training:
    """What a network needs besides, to be trained where it is loaded."""

    step: Callable[[Tensors, Tensors], tuple[Tensor, Tensor]]  # of inputs and targets: outputs and loss
    targets: Sequence[str]
    state: Sequence[Variable]  # of the optimizer


def export_saved_model(network: Network, path: Path, training: Training | None) -> None:
    """The folder appears whole or not at all."""
    module = tf.Module()
    variables = [*network.model.weights, *network.seeds, *(training.state if training else ())]
    module.state = [variable.value for variable in variables]
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        tf.saved_model.save(module, str(temporary), signatures=_signatures(network, training))
        if path.is_dir():
            shutil.rmtree(path)  # a folder takes the place of an empty one only
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
