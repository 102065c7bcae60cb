"""Losses: their mean over the batch and its gradient at the outputs."""

from collections.abc import Callable, Mapping

import numpy as np

Array = np.ndarray
Loss = Callable[[Array, Mapping[str, Array]], tuple[np.floating, Array]]


def cross_entropy(outputs: Array, targets: Mapping[str, Array]) -> tuple[np.floating, Array]:
    labels = targets["label"][:, None]
    shifted = outputs - outputs.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = exponentials.sum(axis=1, keepdims=True)
    loss = (np.log(sums) - np.take_along_axis(shifted, labels, axis=1)).mean()
    gradient = exponentials / sums
    np.put_along_axis(gradient, labels, np.take_along_axis(gradient, labels, axis=1) - 1, axis=1)
    return loss, gradient / len(outputs)


LOSSES: Mapping[str, Loss] = {"cross_entropy": cross_entropy}
