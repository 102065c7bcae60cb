"""Between the canonical layout and TensorFlow's, in both directions: images are NHWC here, kernels HWIO and
[in, out], GRU gates z r h. What holds for parameters holds for their gradients and moments too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Node, Parameter

Tensor = Any  # TensorFlow has no types
Tensors = tuple[Tensor, ...]
Convert = Callable[[Tensor], Tensor]  # in a graph too: SavedModels give canonical parameters


def images_to_native(values: np.ndarray) -> np.ndarray:
    """[samples, C, H, W] to [samples, H, W, C]; anything but images is the same in both."""
    return np.ascontiguousarray(np.moveaxis(values, 1, -1)) if values.ndim == 4 else values


def shape_to_native(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Of one sample."""
    return (*shape[1:], shape[0]) if len(shape) == 3 else shape


def images_to_canonical(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(values, -1, 1)) if values.ndim == 4 else values


@dataclass(frozen=True)
class Piece:
    """A parameter of the graph, and the weight of Keras that holds it."""

    parameter: str
    weight: str
    to_native: Convert = tf.convert_to_tensor
    to_canonical: Convert = tf.convert_to_tensor
    row: int | None = None  # of a weight that holds two parameters


def _transposed(parameter: str, weight: str) -> Piece:
    return Piece(parameter, weight, tf.transpose, tf.transpose)


def _linear(_: Node) -> list[Piece]:
    return [_transposed("weight", "kernel"), Piece("bias", "bias")]


def _conv2d(_: Node) -> list[Piece]:
    return [
        Piece(
            "weight",
            "kernel",
            lambda oihw: tf.transpose(oihw, (2, 3, 1, 0)),
            lambda hwio: tf.transpose(hwio, (3, 2, 0, 1)),
        ),
        Piece("bias", "bias"),
    ]


def _norm(_: Node) -> list[Piece]:
    return [
        Piece("weight", "gamma"),
        Piece("bias", "beta"),
        Piece("running_mean", "moving_mean"),
        Piece("running_var", "moving_variance"),
    ]


def _lstm(_: Node) -> list[Piece]:
    return [
        _transposed("weight_ih", "kernel"),
        _transposed("weight_hh", "recurrent_kernel"),
        Piece("bias_ih", "bias"),
    ]


def _swap_gates(values: Tensor) -> Tensor:
    """r z n to z r n along the first axis, or back."""
    first, second, third = tf.split(values, 3)
    return tf.concat([second, first, third], 0)


def _gru(node: Node) -> list[Piece]:
    def swap_and_transpose(values: Tensor) -> Tensor:
        return tf.transpose(_swap_gates(values))

    def transpose_and_swap(values: Tensor) -> Tensor:
        return _swap_gates(tf.transpose(values))

    def bias(parameter: str, row: int) -> Piece:
        has_two = node.fields["reset_after"]
        return Piece(parameter, "bias", _swap_gates, _swap_gates, row if has_two else None)

    return [
        Piece("weight_ih", "kernel", swap_and_transpose, transpose_and_swap),
        Piece("weight_hh", "recurrent_kernel", swap_and_transpose, transpose_and_swap),
        bias("bias_ih", 0),
        bias("bias_hh", 1),
    ]


def _self_attention(node: Node) -> list[Piece]:
    width, heads = node.fields["width"], node.fields["heads"]
    split, joined = (heads, width // heads), (width, width)
    pieces = []
    for name in ("query", "key", "value"):
        pieces += [
            Piece(
                f"{name}.weight",
                f"{name}/kernel",
                lambda w: tf.reshape(tf.transpose(w), (width, *split)),
                lambda w: tf.transpose(tf.reshape(w, joined)),
            ),
            Piece(
                f"{name}.bias",
                f"{name}/bias",
                lambda b: tf.reshape(b, split),
                lambda b: tf.reshape(b, (width,)),
            ),
        ]
    return [
        *pieces,
        Piece(
            "output.weight",
            "attention_output/kernel",
            lambda w: tf.reshape(tf.transpose(w), (*split, width)),
            lambda w: tf.transpose(tf.reshape(w, joined)),
        ),
        Piece("output.bias", "attention_output/bias"),
    ]


_PIECES: Mapping[str, Callable[[Node], Sequence[Piece]]] = {
    "batchnorm": _norm,
    "conv2d": _conv2d,
    "embedding": lambda _: [Piece("weight", "embeddings")],
    "gru": _gru,
    "layernorm": _norm,
    "linear": _linear,
    "lstm": _lstm,
    "self_attention": _self_attention,
}


def pieces(node: Node) -> list[tuple[Parameter, Piece]]:
    """Of the parameters that the layer has."""
    own = {parameter.name.removeprefix(f"{node.name}."): parameter for parameter in node.parameters}
    known = _PIECES[node.type](node) if own else ()
    return [(own[piece.parameter], piece) for piece in known if piece.parameter in own]


def to_native(node: Node, canonical: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of a layer, by their names in Keras. A row that no parameter is for is 0."""
    native: dict[str, np.ndarray] = {}
    for parameter, piece in pieces(node):
        values = piece.to_native(canonical[parameter.name]).numpy()
        if piece.row is None:
            native[piece.weight] = values
        else:
            native.setdefault(piece.weight, np.zeros((2, *values.shape), values.dtype))[piece.row] = values
    return native


def to_canonical(node: Node, native: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Those that are there, by their names in the graph."""
    return {
        parameter.name: piece.to_canonical(
            native[piece.weight] if piece.row is None else native[piece.weight][piece.row]
        )
        for parameter, piece in pieces(node)
        if piece.weight in native
    }
