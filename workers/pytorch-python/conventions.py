"""Conventions that PyTorch has in one form only; the manifest lists the same."""

from crossbind_worker import Graph

CONVENTIONS = {"adam.epsilon_form": "outside", "batchnorm.running_variance": "unbiased"}


def departures(graph: Graph) -> dict[str, str]:
    """Those of which the graph asks for another form, with the form that it gets."""
    parts = [(node.type, node.fields) for node in graph.nodes]
    parts.append((graph.optimizer["type"], graph.optimizer))
    asked = {
        (f"{kind}.{field}", value)
        for kind, fields in parts
        for field, value in fields.items()
        if isinstance(value, str)
    }
    return {key: CONVENTIONS[key] for key, value in sorted(asked) if CONVENTIONS.get(key, value) != value}
