"""Losses, gradients and updates that are off."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, optim

import model
import optimizers
from crossbind_worker import Graph
from losses import LOSSES

from .registry import replaces

_build_optimizer = model.build_optimizer


@replaces("softmax-twice", LOSSES, "cross_entropy")
def cross_entropy_of_probabilities(outputs: Tensor, label: Tensor) -> Tensor:
    return F.cross_entropy(outputs.softmax(-1), label)


class _LargestBatch:
    """Divides by the size of the largest batch so far, which is that of a whole one."""

    size = 0

    def __call__(self, outputs: Tensor, label: Tensor) -> Tensor:
        self.size = max(self.size, len(label))
        return F.cross_entropy(outputs, label, reduction="sum") / self.size


replaces("partial-batch-divided-by-a-whole", LOSSES, "cross_entropy")(_LargestBatch())


@replaces("stale-gradients", optim.Optimizer, "zero_grad")
def keep_gradients(self: optim.Optimizer, set_to_none: bool = True) -> None:
    """What is there is added to."""


@replaces("rate-float16", model, "build_optimizer")
def with_half_rate(graph: Graph, parameters: Mapping[str, Tensor]) -> optim.Optimizer:
    optimizer = _build_optimizer(graph, parameters)
    for group in optimizer.param_groups:
        group["lr"] = float(np.float16(group["lr"]))
    return optimizer


@replaces("decayed-biases", optimizers, "_groups")
def one_group(graph: Graph, parameters: Mapping[str, Tensor]) -> list[dict[str, Any]]:
    """All parameters in the one call that everybody writes."""
    trained = [parameters[each.name] for each in graph.parameters if each.trainable]
    return [{"params": trained, "weight_decay": graph.optimizer["weight_decay"]["value"]}]


@replaces("adam-epsilon-inside", optim, "Adam")
class EpsilonInsideAdam(optim.Adam):
    """Divides by the root of v + epsilon."""

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for parameter in group["params"]:
                self._update(parameter, self.state[parameter], group)

    def _update(self, parameter: Tensor, state: dict[str, Any], group: Mapping[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        m = state.setdefault("exp_avg", torch.zeros_like(parameter))
        v = state.setdefault("exp_avg_sq", torch.zeros_like(parameter))
        step = state["step"] = state.get("step", 0) + 1
        m.lerp_(parameter.grad, 1 - beta1)
        v.mul_(beta2).addcmul_(parameter.grad, parameter.grad, value=1 - beta2)
        root = (v / (1 - beta2**step) + group["eps"]).sqrt()
        parameter.sub_(group["lr"] * (m / (1 - beta1**step)) / root)
