"""A bug is one thing of the worker or of PyTorch that is replaced by another, before the worker starts."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from torch import Tensor

from crossbind_worker import Node
from layers import LAYERS, Own

BUGS: dict[str, Callable[[], None]] = {}

Replacement = TypeVar("Replacement", bound=Callable[..., Any])
Fields = Mapping[str, Any]


def _put(owner: Any, name: str, replacement: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = replacement
    else:
        setattr(owner, name, replacement)


def replaces(bug: str, owner: Any, name: str) -> Callable[[Replacement], Replacement]:
    """Of the class or function below: it takes the place of that attribute, or of that entry."""

    def add(replacement: Replacement) -> Replacement:
        BUGS[bug] = lambda: _put(owner, name, replacement)
        return replacement

    return add


def misreads(bug: str, layer: str) -> Callable[[Callable[[Fields], Fields]], None]:
    """Of the function below: what it makes of a layer's fields goes before what the graph says."""
    build = LAYERS[layer]

    def add(read: Callable[[Fields], Fields]) -> None:
        @replaces(bug, LAYERS, layer)
        def misread(node: Node, own: Own, *inputs: Tensor) -> Tensor:
            fields = {**node.fields, **read(node.fields)}
            return build(dataclasses.replace(node, fields=fields), own, *inputs)

    return add
