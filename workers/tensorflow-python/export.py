"""Writes a network as a SavedModel, for every binding of TensorFlow that infers by serialization.

It is a folder, with the signature `serving_default`: the inputs by their names in the graph, in TensorFlow's
layout, in batches of any size; the output is `outputs`. The object `weights` holds the variables by layer and
by their names in Keras.
"""

import os
import shutil
from pathlib import Path

import tensorflow as tf

from loaders import Tensor
from network import Network


def export_saved_model(network: Network, path: Path) -> None:
    """In evaluation mode. The folder appears whole or not at all."""
    given = [tf.TensorSpec(each.shape, each.dtype, name=each.name) for each in network.model.inputs]

    @tf.function(input_signature=given)
    def predict(*inputs: Tensor) -> dict[str, Tensor]:
        return {"outputs": network.model(list(inputs), training=False)}

    module = tf.Module()
    module.weights = {
        layer: {name: variable.value for name, variable in weights.items()}
        for layer, weights in network.weights.items()
    }
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        tf.saved_model.save(module, str(temporary), signatures={"serving_default": predict})
        if path.is_dir():
            shutil.rmtree(path)  # a folder takes the place of an empty one only
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
