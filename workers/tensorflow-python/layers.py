"""Every layer type of the graph, with the layer of Keras that a user would take for it.

A layer is a function that is run once, when the model is built; what has parameters bears the node's name.
Images are [H, W, C] here; `layouts.py` knows what that does to parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keras import layers, ops

from crossbind_worker import Node, Unsupported

Tensor = Any  # Keras has no types; here it is one without values
Layer = Callable[..., Tensor]  # (node, *inputs) -> output


class PositionEmbedding(layers.Embedding):
    """Looks up where a token stands instead of what it is."""

    def call(self, tokens: Tensor) -> Tensor:
        rows = super().call(ops.arange(ops.shape(tokens)[1]))
        return ops.broadcast_to(rows, (*ops.shape(tokens), self.output_dim))


class PaddedEmbedding(layers.Embedding):
    """With one row that is not trained; `mask_zero` is another thing."""

    def __init__(self, entries: int, width: int, padding_index: int, **kwargs: Any) -> None:
        super().__init__(entries, width, **kwargs)
        self.padding_index = padding_index

    def call(self, tokens: Tensor) -> Tensor:
        rows = super().call(tokens)
        return ops.where(ops.equal(tokens, self.padding_index)[..., None], ops.stop_gradient(rows), rows)


def _hard_sigmoid(x: Tensor) -> Tensor:
    """That of the graph; the one of Keras 3 has the slope 1/6."""
    return ops.clip(0.2 * x + 0.5, 0.0, 1.0)


_GATES = {"sigmoid": "sigmoid", "hard_sigmoid": _hard_sigmoid}


def _is_same(node: Node, x: Tensor) -> bool:
    """Whether the pads are what TensorFlow's `same` gives that image."""
    top, left, bottom, right = node.fields["pads"]
    for axis, pads in enumerate(((top, bottom), (left, right))):
        size, kernel, stride = x.shape[axis + 1], node.fields["kernel"][axis], node.fields["stride"][axis]
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        if pads != (total // 2, total - total // 2):
            return False
    return True


def _padded(x: Tensor, pads: Sequence[int], value: float) -> Tensor:
    if not any(pads):
        return x
    top, left, bottom, right = pads
    return ops.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=value)


def conv2d(node: Node, x: Tensor) -> Tensor:
    padding = "same" if _is_same(node, x) else "valid"
    if padding == "valid":
        x = _padded(x, node.fields["pads"], 0.0)
    size = node.fields["out_channels"], node.fields["kernel"], node.fields["stride"]
    return layers.Conv2D(*size, padding, use_bias=node.fields["bias"], name=node.name)(x)


def max_pool2d(node: Node, x: Tensor) -> Tensor:
    window = node.fields["kernel"], node.fields["stride"]
    if _is_same(node, x):
        return layers.MaxPooling2D(*window, "same")(x)
    return layers.MaxPooling2D(*window, "valid")(_padded(x, node.fields["pads"], -float("inf")))


def avg_pool2d(node: Node, x: Tensor) -> Tensor:
    window, pads = (node.fields["kernel"], node.fields["stride"]), node.fields["pads"]
    pool = layers.AveragePooling2D(*window, "valid")
    if node.fields["count_padding"] or not any(pads):
        return pool(_padded(x, pads, 0.0))
    if _is_same(node, x):  # TensorFlow's does not count it
        return layers.AveragePooling2D(*window, "same")(x)
    return pool(_padded(x, pads, 0.0)) / pool(_padded(ops.ones_like(x), pads, 0.0))


def linear(node: Node, x: Tensor) -> Tensor:
    dense = layers.Dense(node.fields["out_features"], use_bias=node.fields["bias"], name=node.name)
    if len(node.output) < 3:
        return dense(x)
    return layers.Permute((2, 3, 1))(dense(layers.Permute((3, 1, 2))(x)))  # over the graph's last dimension


def flatten(node: Node, x: Tensor) -> Tensor:
    """In the order of the graph, so that what comes after has its weights in that order too."""
    if len(x.shape) == 4 and x.shape[3] > 1 and x.shape[1] * x.shape[2] > 1:
        x = layers.Permute((3, 1, 2))(x)
    return layers.Flatten()(x)


def _last_axis(node: Node) -> int:
    """Where the last dimension of the graph's tensor is here."""
    return 2 if len(node.output) == 3 else -1


def batchnorm(node: Node, x: Tensor) -> Tensor:
    momentum = 1.0 - node.fields["momentum"]  # Keras has the weight of the old value
    return layers.BatchNormalization(-1, momentum, node.fields["epsilon"], name=node.name)(x)


def layernorm(node: Node, x: Tensor) -> Tensor:
    return layers.LayerNormalization(_last_axis(node), node.fields["epsilon"], name=node.name)(x)


def embedding(node: Node, x: Tensor) -> Tensor:
    entries, width, padding = (node.fields[key] for key in ("entries", "width", "padding_index"))
    if node.fields["kind"] == "position":
        if padding is not None:
            raise Unsupported("embedding.padding_index")  # of positions
        return PositionEmbedding(entries, width, name=node.name)(x)
    if padding is None:
        return layers.Embedding(entries, width, name=node.name)(x)
    return PaddedEmbedding(entries, width, padding, name=node.name)(x)


def _recurrent(kind: Callable[..., Layer], node: Node, x: Tensor, **more: Any) -> Tensor:
    return kind(
        node.fields["hidden"],
        activation="tanh",
        recurrent_activation=_GATES[node.fields["recurrent_activation"]],
        return_sequences=True,
        name=node.name,
        **more,
    )(x)


def gru(node: Node, x: Tensor) -> Tensor:
    reset_after, biases = node.fields["reset_after"], node.fields["biases"]
    if not reset_after and biases == 2:
        raise Unsupported(
            "gru.biases=2"
        )  # with reset_after=false; lacks cannot say it, for the other has them
    constraint = _first_row_only if reset_after and biases == 1 else None
    return _recurrent(layers.GRU, node, x, reset_after=reset_after, bias_constraint=constraint)


def _first_row_only(bias: Tensor) -> Tensor:
    """Keeps the second bias at 0, where the graph has one and Keras two."""
    return bias * [[1.0], [0.0]]


def self_attention(node: Node, x: Tensor, *masks: Tensor) -> Tensor:
    heads, depth = node.fields["heads"], node.fields["width"] // node.fields["heads"]
    keep = ops.not_equal(masks[0], 0)[:, None, :] if masks else None
    return layers.MultiHeadAttention(heads, depth, name=node.name)(x, x, attention_mask=keep)


LAYERS: Mapping[str, Layer] = {
    "add": lambda node, x, y: layers.Add()([x, y]),
    "avg_pool2d": avg_pool2d,
    "batchnorm": batchnorm,
    "conv2d": conv2d,
    "dropout": lambda node, x: layers.Dropout(node.fields["rate"])(x),
    "embedding": embedding,
    "flatten": flatten,
    "gelu": lambda node, x: ops.gelu(x, approximate=False),
    "global_avg_pool": lambda node, x: layers.GlobalAveragePooling2D()(x),
    "gru": gru,
    "layernorm": layernorm,
    "linear": linear,
    "lstm": lambda node, x: _recurrent(layers.LSTM, node, x),
    "max_pool2d": max_pool2d,
    "pad": lambda node, x: _padded(x, node.fields["pads"], node.fields["value"]),
    "relu": lambda node, x: layers.ReLU()(x),
    "select_last": lambda node, x: x[:, -1],
    "self_attention": self_attention,
    "sigmoid": lambda node, x: layers.Activation("sigmoid")(x),
    "softmax": lambda node, x: layers.Softmax(_last_axis(node))(x),
    "tanh": lambda node, x: layers.Activation("tanh")(x),
}
