"""The graph as a model of Keras, and its weights by the names of the graph."""

from collections.abc import Iterator, Mapping
from typing import Any

import keras
import numpy as np

from crossbind_worker import Graph, Node, Parameter
from layers import LAYERS
from layouts import Tensor, pieces, shape_to_native, to_canonical, to_native

Variable = Any  # of Keras


def _weight_name(node: Node, variable: Variable) -> str:
    """Within its layer. Recurrent layers have it in a cell, whose name is counted up."""
    path: str = variable.path
    return path.rpartition("/")[2] if node.type in ("lstm", "gru") else path.removeprefix(f"{node.name}/")


class Network:
    """`model` takes the inputs in the order of the graph; `taps` is the same, of the same layers, and gives
    what each layer gave. `calm_taps` are without dropout."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        inputs = [
            keras.Input(
                shape_to_native(given.shape),
                name=given.name,
                dtype="float32" if given.entries is None else "int64",
            )
            for given in graph.inputs
        ]
        values = {given.name: tensor for given, tensor in zip(graph.inputs, inputs, strict=True)}
        for node in graph.nodes:
            values[node.name] = LAYERS[node.type](node, *(values[name] for name in node.inputs))
        self.model = keras.Model(inputs, values[graph.nodes[-1].name])
        self.taps = keras.Model(inputs, [values[node.name] for node in graph.nodes])
        self.calm_taps = _without_dropout(self.taps)
        self.weights = {
            node.name: {_weight_name(node, v): v for v in self.taps.get_layer(node.name).weights}
            for node in graph.nodes
            if node.parameters
        }

    @property
    def seeds(self) -> list[Variable]:
        """Where the generators of dropout stand."""
        return [
            layer.seed_generator.state
            for layer in self.model.layers
            if isinstance(layer, keras.layers.Dropout) and layer.rate > 0  # else it has none
        ]

    def variables(self) -> Iterator[tuple[Parameter, Variable]]:
        """Each parameter with the variable that holds it."""
        for node in self._graph.nodes:
            for parameter, piece in pieces(node):
                yield parameter, self.weights[node.name][piece.weight]

    def load(self, canonical: Mapping[str, np.ndarray]) -> None:
        for node in self._graph.nodes:
            for weight, values in to_native(node, canonical).items():
                self.weights[node.name][weight].assign(values)

    def canonical(self, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What belongs to the variables (values, gradients or moments), given by their paths."""
        canonical: dict[str, Tensor] = {}
        for node in self._graph.nodes:
            weights = self.weights.get(node.name, {})
            native = {name: values[v.path] for name, v in weights.items() if v.path in values}
            canonical |= to_canonical(node, native)
        return canonical

    def parameters(self) -> dict[str, Tensor]:
        """Parameters and running statistics as they are, canonical."""
        return self.canonical({variable.path: variable.value for variable in self.model.weights})

    def export(self, values: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
        return {name: tensor.numpy() for name, tensor in self.canonical(values).items()}


def _without_dropout(model: keras.Model) -> keras.Model:
    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        return args[0] if isinstance(layer, keras.layers.Dropout) else layer(*args, **kwargs)

    return keras.models.clone_model(model, clone_function=lambda layer: layer, call_function=call)
