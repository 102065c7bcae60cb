"""Conventions that Keras has in one form only; the manifest lists them."""

from collections.abc import Mapping

from crossbind_worker import Graph


def departures(graph: Graph, conventions: Mapping[str, str]) -> dict[str, str]:
    """Those of which the graph asks for another form, with the form that it gets."""
    parts = [(node.type, node.fields) for node in graph.nodes]
    parts.append((graph.optimizer["type"], graph.optimizer))
    asked = {
        (f"{kind}.{field}", value)
        for kind, fields in parts
        for field, value in fields.items()
        if isinstance(value, str)
    }
    return {key: conventions[key] for key, value in sorted(asked) if conventions.get(key, value) != value}
