"""Every layer type of the graph, with the module of PyTorch that a user would take for it.

A layer is a function that is run once, when the model is built: `own` makes a module the layer's own, and
what is done with the inputs is recorded (they are proxies of torch.fx), to be done with tensors later.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F  # noqa: N812 - everyone calls it so
from torch import Tensor, nn

from crossbind_worker import Node

Own = Callable[[nn.Module], Callable[..., Tensor]]
Layer = Callable[..., Tensor]  # (node, own, *inputs) -> output


class PositionEmbedding(nn.Embedding):
    """Looks up where a token stands instead of what it is."""

    def forward(self, tokens: Tensor) -> Tensor:
        positions = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
        return F.embedding(positions, self.weight, self.padding_idx)


class SelfAttention(nn.Module):
    """Four projections around PyTorch's attention; nn.MultiheadAttention has three of them in one matrix."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """[batch, steps, width] -> [batch, heads, steps, depth]"""
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, keep: Tensor | None = None) -> Tensor:
        mask = None if keep is None else keep[:, None, None, :] != 0
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        context: Tensor = self.output(
            F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(2)
        )
        return context


def _padded(x: Tensor, pads: Sequence[int], value: float) -> Tensor:
    top, left, bottom, right = pads
    return F.pad(x, (left, right, top, bottom), value=value)


def _is_even(pads: Sequence[int]) -> bool:
    top, left, bottom, right = pads
    return top == bottom and left == right


def _pool_can_pad(node: Node) -> bool:
    """PyTorch's pools pad evenly, and at most half a window."""
    (height, width), pads = node.fields["kernel"], node.fields["pads"]
    return _is_even(pads) and 2 * pads[0] <= height and 2 * pads[1] <= width


def conv2d(node: Node, own: Own, x: Tensor) -> Tensor:
    fields, pads = node.fields, node.fields["pads"]
    if not _is_even(pads):
        x, pads = _padded(x, pads, 0.0), (0, 0)
    size = fields["in_channels"], fields["out_channels"], fields["kernel"], fields["stride"]
    return own(nn.Conv2d(*size, padding=tuple(pads[:2]), bias=fields["bias"]))(x)


def max_pool2d(node: Node, own: Own, x: Tensor) -> Tensor:
    kernel, stride, pads = (node.fields[key] for key in ("kernel", "stride", "pads"))
    if not _pool_can_pad(node):
        x, pads = _padded(x, pads, -float("inf")), (0, 0)
    return own(nn.MaxPool2d(kernel, stride, tuple(pads[:2])))(x)


def avg_pool2d(node: Node, own: Own, x: Tensor) -> Tensor:
    kernel, stride, pads = (node.fields[key] for key in ("kernel", "stride", "pads"))
    counted = node.fields["count_padding"]
    if _pool_can_pad(node):
        return own(nn.AvgPool2d(kernel, stride, tuple(pads[:2]), count_include_pad=counted))(x)
    pool = own(nn.AvgPool2d(kernel, stride))
    sums = pool(_padded(x, pads, 0.0))
    return sums if counted else sums / pool(_padded(torch.ones_like(x), pads, 0.0))


def pad(node: Node, own: Own, x: Tensor) -> Tensor:
    top, left, bottom, right = node.fields["pads"]
    return own(nn.ConstantPad2d((left, right, top, bottom), node.fields["value"]))(x)


def linear(node: Node, own: Own, x: Tensor) -> Tensor:
    fields = node.fields
    return own(nn.Linear(fields["in_features"], fields["out_features"], fields["bias"]))(x)


def batchnorm(node: Node, own: Own, x: Tensor) -> Tensor:
    norm = nn.BatchNorm2d if len(node.output) == 3 else nn.BatchNorm1d
    fields = node.fields
    return own(norm(fields["features"], eps=fields["epsilon"], momentum=fields["momentum"]))(x)


def embedding(node: Node, own: Own, x: Tensor) -> Tensor:
    fields = node.fields
    table = PositionEmbedding if fields["kind"] == "position" else nn.Embedding
    return own(table(fields["entries"], fields["width"], fields["padding_index"]))(x)


def _recurrent(kind: type[nn.LSTM] | type[nn.GRU], node: Node, own: Own, x: Tensor) -> Tensor:
    module = kind(node.fields["in_features"], node.fields["hidden"], batch_first=True)
    if node.fields["biases"] == 1:  # PyTorch has two or none
        nn.init.zeros_(module.get_parameter("bias_hh_l0")).requires_grad_(False)
    return own(module)(x)[0]


def self_attention(node: Node, own: Own, x: Tensor, *mask: Tensor) -> Tensor:
    return own(SelfAttention(node.fields["width"], node.fields["heads"]))(x, *mask)


LAYERS: Mapping[str, Layer] = {
    "add": lambda node, own, x, y: x + y,
    "avg_pool2d": avg_pool2d,
    "batchnorm": batchnorm,
    "conv2d": conv2d,
    "dropout": lambda node, own, x: own(nn.Dropout(node.fields["rate"]))(x),
    "embedding": embedding,
    "flatten": lambda node, own, x: own(nn.Flatten())(x),
    "gelu": lambda node, own, x: own(nn.GELU(approximate="none"))(x),
    "global_avg_pool": lambda node, own, x: x.mean((2, 3)),
    "gru": lambda node, own, x: _recurrent(nn.GRU, node, own, x),
    "layernorm": lambda node, own, x: own(nn.LayerNorm(node.fields["features"], node.fields["epsilon"]))(x),
    "linear": linear,
    "lstm": lambda node, own, x: _recurrent(nn.LSTM, node, own, x),
    "max_pool2d": max_pool2d,
    "pad": pad,
    "relu": lambda node, own, x: own(nn.ReLU())(x),
    "select_last": lambda node, own, x: x[:, -1],
    "self_attention": self_attention,
    "sigmoid": lambda node, own, x: own(nn.Sigmoid())(x),
    "softmax": lambda node, own, x: own(nn.Softmax(dim=-1))(x),
    "tanh": lambda node, own, x: own(nn.Tanh())(x),
}
