"""The optimizers of Keras that do what the graph says, and their moments under the protocol's names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from keras import optimizers

from crossbind_worker import Graph, State
from layouts import to_native
from network import Network, Variable


def _decays(graph: Graph, network: Network) -> dict[str, float]:
    """By path, without those that are spared."""
    decay = graph.optimizer["weight_decay"]
    return {
        variable.path: decay["value"]
        for parameter, variable in network.variables()
        if decay["value"] and (decay["applies_to"] == "all" or parameter.role == "weight")
    }


def _dense(kind: type[Any]) -> type[Any]:
    """Gradients of embeddings come as rows, one for each token. They are added up first: Keras's Adam would
    square each of them."""

    class Dense(kind):
        def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable]) -> None:
            super().apply([tf.convert_to_tensor(gradient) for gradient in grads], trainable_variables)

    return Dense


def _coupled(kind: type[Any], decays: Mapping[str, float]) -> type[Any]:
    """Keras has this form only as a penalty in the loss, and it would be in the loss that is told, too."""

    class Coupled(kind):
        def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable]) -> None:
            decayed = [
                gradient + decays[variable.path] * variable if variable.path in decays else gradient
                for gradient, variable in zip(grads, trainable_variables, strict=True)
            ]
            super().apply(decayed, trainable_variables)

    return Coupled


def build_optimizer(graph: Graph, network: Network) -> optimizers.Optimizer:
    fields, decays = graph.optimizer, _decays(graph, network)
    is_decoupled = fields["weight_decay"]["form"] == "decoupled"
    kind = optimizers.SGD if fields["type"] == "sgd" else optimizers.Adam
    settings: dict[str, Any] = {"learning_rate": fields["rate"]}
    if decays and is_decoupled:
        settings["weight_decay"] = fields["weight_decay"]["value"]
    elif decays:
        kind = _coupled(kind, decays)
    if fields["type"] == "sgd":
        settings |= {"momentum": float(fields["momentum"]), "nesterov": False}
    else:
        settings |= {"beta_1": fields["beta1"], "beta_2": fields["beta2"], "epsilon": fields["epsilon"]}
    optimizer = _dense(kind)(**settings)
    variables = network.model.trainable_variables
    if is_decoupled:
        optimizer.exclude_from_weight_decay(var_list=[v for v in variables if v.path not in decays])
    optimizer.build(variables)
    return optimizer


class Moments:
    """What an optimizer remembers of its steps."""

    def __init__(self, optimizer: optimizers.Optimizer, graph: Graph, network: Network) -> None:
        self._optimizer, self._graph, self._network = optimizer, graph, network
        kept: dict[str, Sequence[Variable]] = {}
        # Keras subtracts the gradient in its momentum, and has it times the rate.
        self._scale = 1.0
        if graph.optimizer["type"] == "adam":
            kept = {"m": optimizer._momentums, "v": optimizer._velocities}
        elif graph.optimizer["momentum"]:
            kept, self._scale = {"m": optimizer.momentums}, -graph.optimizer["rate"]
        paths = [variable.path for variable in network.model.trainable_variables]
        self._kept = {moment: dict(zip(paths, each, strict=True)) for moment, each in kept.items()}

    def clear(self) -> None:
        self._optimizer.iterations.assign(0)
        for each in self._kept.values():
            for moment in each.values():
                moment.assign(tf.zeros_like(moment))

    def load(self, start: State) -> None:
        """As if all steps before the start had been done; moments that are not there are zero."""
        self._optimizer.iterations.assign(start.step - 1)
        for kind, kept in self._kept.items():
            for node in self._graph.nodes:
                canonical = {
                    each.name: self._scale
                    * start.moments.get(f"{each.name}.state.{kind}", np.zeros(each.shape, np.float32))
                    for each in node.parameters
                }
                for weight, values in to_native(node, canonical).items():
                    if (path := self._network.weights[node.name][weight].path) in kept:
                        kept[path].assign(values)

    def export(self) -> dict[str, np.ndarray]:
        result: dict[str, np.ndarray] = {}
        for kind, kept in self._kept.items():
            values = {path: moment.numpy() / self._scale for path, moment in kept.items()}
            canonical = self._network.export(values)
            result |= {f"{name}.state.{kind}": each for name, each in canonical.items()}
        return result
