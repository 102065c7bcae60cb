"""How a worker introduces itself, and what follows from it: what it must refuse."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import Unsupported
from .graph import Graph
from .requests import Format, Settings


@dataclass(frozen=True)
class Hello:
    binding: str
    versions: Mapping[str, str]
    capabilities: Mapping[str, Any]

    @classmethod
    def from_manifest(cls, path: Path, versions: Mapping[str, str]) -> "Hello":
        """The manifest is the one place that lists what a worker can do."""
        manifest = tomllib.loads(path.read_text())
        capabilities = {"lacks": [], "conventions": {}} | manifest["capabilities"]
        return cls(f"{manifest['framework']}/{manifest['language']}", versions, capabilities)

    def check_settings(self, settings: Settings) -> None:
        for key in ("device", "loader", "variant", "measure"):
            if (value := getattr(settings, key)) not in self.capabilities[f"{key}s"]:
                raise Unsupported(f"{key} {value}")
        if settings.measure == "parts" and settings.variant != "step":
            raise Unsupported(f"measure parts of variant {settings.variant}")
        if settings.variant == "graph" and settings.device == "cpu":
            raise Unsupported("variant graph on device cpu")
        if settings.variant == "graph" and settings.loader != "resident":
            raise Unsupported(f"variant graph with loader {settings.loader}")

    def check_layers(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.type not in self.capabilities["layers"]:
                raise Unsupported(f"layer {node.type}")
            self._check_forms(_forms(node.type, node.fields))

    def check_training(self, graph: Graph) -> None:
        """What only training needs: inference does without loss and optimizer."""
        optimizer = graph.optimizer["type"]
        if graph.loss not in self.capabilities["losses"]:
            raise Unsupported(f"loss {graph.loss}")
        if optimizer not in self.capabilities["optimizers"]:
            raise Unsupported(f"optimizer {optimizer}")
        self._check_forms(_forms(optimizer, graph.optimizer))
        if graph.optimizer.get("momentum"):
            self._check_forms(["sgd.momentum"])
        decay = graph.optimizer.get("weight_decay", {})
        if decay.get("value"):
            self._check_forms(["weight_decay", *_forms("weight_decay", decay)])

    def check_query(self, graph: Graph, gradients: bool) -> None:
        offered = self.capabilities.get("queries", "none")
        if offered == "none":
            raise Unsupported("queries")
        if gradients and offered == "outputs":
            raise Unsupported("gradients of inputs")
        if gradients and graph.loss not in self.capabilities["losses"]:
            raise Unsupported(f"loss {graph.loss}")

    def format_read(self, asked: Format | None) -> Format:
        return self._format("reads", asked, "task infer-serialization")

    def format_written(self, asked: Format | None) -> Format:
        return self._format("writes", asked, "serialization")

    def _format(self, capability: str, asked: Format | None, feature: str) -> Format:
        """Where none is asked for, the first of those that there are; where there are none, the feature is
        what is missing."""
        offered: Sequence[Format] = self.capabilities.get(capability, ())
        if asked is None and not offered:
            raise Unsupported(feature)
        if asked is not None and asked not in offered:
            raise Unsupported(f"format {asked}")
        return asked or offered[0]

    def check_training_accuracy(self, settings: Settings) -> None:
        if settings.training_accuracy not in self.capabilities["training_accuracies"]:
            raise Unsupported(f"training accuracy {settings.training_accuracy}")

    def departures(self, graph: Graph) -> dict[str, str]:
        """The conventions of which the graph asks for another form than the binding has, with that which it
        gets."""
        parts = [(node.type, node.fields) for node in graph.nodes]
        parts.append((graph.optimizer["type"], graph.optimizer))
        asked = {
            (f"{kind}.{field}", value)
            for kind, fields in parts
            for field, value in fields.items()
            if isinstance(value, str)
        }
        has = self.capabilities["conventions"]
        return {key: has[key] for key, value in sorted(asked) if has.get(key, value) != value}

    def _check_forms(self, forms: Iterator[str] | list[str]) -> None:
        for form in forms:
            if form in self.capabilities["lacks"]:
                raise Unsupported(form)


def _forms(kind: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """The fields that are words or truth values, and numbers of biases, as `lacks` spells them."""
    for key, value in fields.items():
        if isinstance(value, bool):
            yield f"{kind}.{key}={str(value).lower()}"
        elif key != "type" and (isinstance(value, str) or key == "biases"):
            yield f"{kind}.{key}={value}"
