"""Losses: the mean over the batch, from outputs and targets in the order of the graph."""

from collections.abc import Callable, Mapping

import tensorflow as tf

from layouts import Tensor


def cross_entropy(outputs: Tensor, label: Tensor) -> Tensor:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, outputs))


def binary_cross_entropy(outputs: Tensor, label: Tensor) -> Tensor:
    label = tf.cast(label, outputs.dtype)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(label, outputs[:, 0]))


def span_cross_entropy(outputs: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Half for each end, as people train BERT."""
    return (cross_entropy(outputs[..., 0], start) + cross_entropy(outputs[..., 1], end)) / 2


LOSSES: Mapping[str, Callable[..., Tensor]] = {
    "binary_cross_entropy": binary_cross_entropy,
    "cross_entropy": cross_entropy,
    "span_cross_entropy": span_cross_entropy,
}
