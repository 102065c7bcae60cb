"""A network of layers, as the graph connects them."""

from collections.abc import Mapping

import numpy as np

from crossbind_worker import Graph
from layers import LAYERS, Array, Pullback


class Network:
    """Remembers of a forward pass what the backward pass needs: its outputs and pullbacks."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._pullbacks: dict[str, Pullback] = {}
        self.outputs: dict[str, Array] = {}  # of inputs and layers, of the last forward
        # Layers whose input depends on a parameter: only they pass a gradient on.
        self._passing: set[str] = set()
        learning: set[str] = set()
        for node in graph.nodes:
            if not learning.isdisjoint(node.inputs):
                self._passing.add(node.name)
            if node.parameters or node.name in self._passing:
                learning.add(node.name)

    def forward(self, inputs: Mapping[str, Array], parameters: Mapping[str, Array]) -> Array:
        self.outputs = dict(inputs)
        for node in self._graph.nodes:
            arguments = [self.outputs[name] for name in node.inputs]
            arguments += [parameters[parameter.name] for parameter in node.parameters]
            self.outputs[node.name], self._pullbacks[node.name] = LAYERS[node.type](node.fields, *arguments)
        return self.outputs[self._graph.nodes[-1].name]

    def backward(self, gradient: Array) -> dict[str, Array]:
        """The gradients of the parameters, from that of the final output."""
        return self._pull_back(gradient, self._passing)[0]

    def input_gradients(self, gradient: Array) -> dict[str, Array]:
        """Those of the inputs; 0 where no layer passes one on to them."""
        passed = self._pull_back(gradient, {node.name for node in self._graph.nodes})[1]
        return {
            given.name: passed.get(given.name, np.zeros_like(self.outputs[given.name]))
            for given in self._graph.inputs
        }

    def _pull_back(self, gradient: Array, passing: set[str]) -> tuple[dict[str, Array], dict[str, Array]]:
        """The gradients of the parameters, and what is left over: those of the inputs."""
        of_outputs = {self._graph.nodes[-1].name: gradient}
        of_parameters: dict[str, Array] = {}
        for node in reversed(self._graph.nodes):
            if node.name not in of_outputs or not (node.parameters or node.name in passing):
                continue
            passed, gradients = self._pullbacks[node.name](of_outputs.pop(node.name), node.name in passing)
            of_parameters.update(
                (parameter.name, gradient)
                for parameter, gradient in zip(node.parameters, gradients, strict=True)
            )
            if passed is not None:
                source = node.inputs[0]
                of_outputs[source] = of_outputs[source] + passed if source in of_outputs else passed
        return of_parameters, of_outputs
