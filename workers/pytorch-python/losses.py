"""Losses: the mean over the batch, from outputs and targets in the order of the graph."""

from collections.abc import Callable, Mapping

import torch.nn.functional as F  # noqa: N812
from torch import Tensor


def binary_cross_entropy(outputs: Tensor, label: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(outputs[:, 0], label.to(outputs.dtype))


def span_cross_entropy(outputs: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Half for each end, as people train BERT."""
    return (F.cross_entropy(outputs[..., 0], start) + F.cross_entropy(outputs[..., 1], end)) / 2


LOSSES: Mapping[str, Callable[..., Tensor]] = {
    "binary_cross_entropy": binary_cross_entropy,
    "cross_entropy": F.cross_entropy,
    "span_cross_entropy": span_cross_entropy,
}
