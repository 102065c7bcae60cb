"""The optimizers of torch.optim that do what the graph says, and their moments under the protocol's names."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, optim

from crossbind_worker import Graph, State, Unsupported

Fields = Mapping[str, Any]


def _groups(graph: Graph, parameters: Mapping[str, Tensor]) -> list[dict[str, Any]]:
    """One group that decays, and one that does not, where biases and norms are spared."""
    decay = graph.optimizer["weight_decay"]
    groups: dict[float, list[Tensor]] = {}
    for parameter in graph.parameters:
        if parameter.trainable:
            decays = decay["applies_to"] == "all" or parameter.role == "weight"
            groups.setdefault(decay["value"] if decays else 0.0, []).append(parameters[parameter.name])
    return [{"params": params, "weight_decay": value} for value, params in groups.items()]


def build_optimizer(
    graph: Graph, parameters: Mapping[str, Tensor], *, capturable: bool = False
) -> optim.Optimizer:
    """Capturable: the count of the steps is on the device, so that a CUDA graph can have the update in it."""
    fields = graph.optimizer
    is_decoupled = fields["weight_decay"]["value"] != 0 and fields["weight_decay"]["form"] == "decoupled"
    groups = _groups(graph, parameters)
    if fields["type"] == "sgd":
        if is_decoupled:
            raise Unsupported("weight_decay.form=decoupled")  # of SGD; lacks cannot say it, for Adam has it
        return optim.SGD(groups, lr=fields["rate"], momentum=fields["momentum"])
    kind = optim.AdamW if is_decoupled else optim.Adam
    betas = (fields["beta1"], fields["beta2"])
    return kind(groups, lr=fields["rate"], betas=betas, eps=fields["epsilon"], capturable=capturable)


def restart(optimizer: optim.Optimizer) -> None:
    """As if no step had been done, every moment where it was."""
    for state in optimizer.state.values():
        for value in state.values():
            if isinstance(value, Tensor):
                value.zero_()


def _moment_keys(fields: Fields) -> dict[str, str]:
    """What PyTorch calls the moments."""
    if fields["type"] == "adam":
        return {"m": "exp_avg", "v": "exp_avg_sq"}
    return {"m": "momentum_buffer"} if fields["momentum"] else {}


def set_moments(
    optimizer: optim.Optimizer, graph: Graph, parameters: Mapping[str, Tensor], start: State
) -> None:
    """As if all steps before the start had been done; moments that are not there are zero."""
    for name, tensor in _trained(graph, parameters):
        state = optimizer.state[tensor]
        for moment, key in _moment_keys(graph.optimizer).items():
            state[key] = torch.zeros_like(tensor)
            if (values := start.moments.get(f"{name}.state.{moment}")) is not None:
                state[key].copy_(torch.from_numpy(values))
        if graph.optimizer["type"] == "adam":
            state["step"] = torch.tensor(float(start.step - 1))


def moments_of(
    optimizer: optim.Optimizer, graph: Graph, parameters: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    return {
        f"{name}.state.{moment}": optimizer.state[tensor][key]
        for name, tensor in _trained(graph, parameters)
        for moment, key in _moment_keys(graph.optimizer).items()
    }


def _trained(graph: Graph, parameters: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    return ((each.name, parameters[each.name]) for each in graph.parameters if each.trainable)
