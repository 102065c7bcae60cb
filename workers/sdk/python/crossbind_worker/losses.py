"""What each sample of a batch loses, in double precision, from outputs and targets; docs/layers.md has the
meaning of each loss."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float64]
Labels = NDArray[np.int64]
Losses = NDArray[np.float64]  # one a sample
Targets = Mapping[str, Labels]


def _of_classes(logits: Logits, labels: Labels) -> Losses:
    shifted = logits - logits.max(axis=1, keepdims=True)
    chosen = np.take_along_axis(shifted, labels[:, None], axis=1)[:, 0]
    losses: Losses = np.log(np.exp(shifted).sum(axis=1)) - chosen
    return losses


def cross_entropy(logits: Logits, targets: Targets) -> Losses:
    return _of_classes(logits, targets["label"])


def binary_cross_entropy(logits: Logits, targets: Targets) -> Losses:
    z = logits[:, 0]
    losses: Losses = np.maximum(z, 0) - z * targets["label"] + np.log1p(np.exp(-np.abs(z)))
    return losses


def span_cross_entropy(logits: Logits, targets: Targets) -> Losses:
    return (_of_classes(logits[..., 0], targets["start"]) + _of_classes(logits[..., 1], targets["end"])) / 2


LOSSES: Mapping[str, Callable[[Logits, Targets], Losses]] = {
    "binary_cross_entropy": binary_cross_entropy,
    "cross_entropy": cross_entropy,
    "span_cross_entropy": span_cross_entropy,
}
