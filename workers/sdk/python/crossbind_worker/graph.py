"""The canonical graph of a model (docs/model-files.md), typed. Fields of layers and of the optimizer stay
mappings: only the worker that builds them knows which it needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import bad_request
from .members import integer, mapping, objects, shape, text, texts, truth


@dataclass(frozen=True)
class Input:
    name: str
    shape: tuple[int, ...]
    entries: int | None  # of an input of integers: they are below it


@dataclass(frozen=True)
class Parameter:
    name: str
    shape: tuple[int, ...]
    role: str
    trainable: bool


@dataclass(frozen=True)
class Node:
    name: str
    type: str
    inputs: tuple[str, ...]
    output: tuple[int, ...]
    fields: Mapping[str, Any]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Graph:
    id: str
    inputs: tuple[Input, ...]
    nodes: tuple[Node, ...]
    loss: str
    optimizer: Mapping[str, Any]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(parameter for node in self.nodes for parameter in node.parameters)

    @property
    def targets(self) -> tuple[str, ...]:
        """What the data hold beside the inputs."""
        return ("start", "end") if self.loss == "span_cross_entropy" else ("label",)

    @property
    def classes(self) -> int:
        """Targets are below it."""
        return 2 if self.loss == "binary_cross_entropy" else self.nodes[-1].output[0]


def _input(members: Mapping[str, Any]) -> Input:
    entries = integer(members, "entries", 1) if text(members, "type") == "integer" else None
    return Input(text(members, "name"), shape(members, "shape"), entries)


def _parameter(members: Mapping[str, Any]) -> Parameter:
    return Parameter(
        text(members, "name"), shape(members, "shape"), text(members, "role"), truth(members, "trainable")
    )


def _node(members: Mapping[str, Any]) -> Node:
    return Node(
        name=text(members, "name"),
        type=text(members, "type"),
        inputs=texts(members, "inputs"),
        output=shape(members, "output"),
        fields=mapping(members, "fields"),
        parameters=tuple(map(_parameter, objects(members, "parameters"))),
    )


def parse_graph(members: Mapping[str, Any]) -> Graph:
    if (version := integer(members, "version")) != 1:
        raise bad_request(f"the graph has version {version}, this worker knows version 1")
    graph = Graph(
        id=text(members, "id"),
        inputs=tuple(map(_input, objects(members, "inputs"))),
        nodes=tuple(map(_node, objects(members, "nodes"))),
        loss=text(mapping(members, "loss"), "type"),
        optimizer=mapping(members, "optimizer"),
    )
    text(graph.optimizer, "type")
    known = {given.name for given in graph.inputs}
    for node in graph.nodes:
        if node.name in known or not node.inputs or not known.issuperset(node.inputs):
            raise bad_request(f"layer '{node.name}' is there twice or reads what is not before it")
        known.add(node.name)
    if not graph.nodes:
        raise bad_request("the graph has no layers")
    return graph
