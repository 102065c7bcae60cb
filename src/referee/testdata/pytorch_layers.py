"""The layers of model files by torch's own functions: what make_pytorch_fixtures.py runs.

Every function takes a context (the layer's name, options and parameters) and its inputs, batch
first. Only the layer types of the stored fixtures are here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Context:
    name: str
    options: dict[str, Any]
    parameters: Callable[[str, list[int], str], Tensor]  # made when first asked for
    training: bool

    def parameter(self, suffix: str, shape: list[int], role: str) -> Tensor:
        return self.parameters(f"{self.name}.{suffix}", shape, role)

    def __getitem__(self, option: str) -> Any:
        return self.options[option]


def pair(value: int | list[int]) -> list[int]:
    return [value, value] if isinstance(value, int) else value


def same_pads(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """TensorFlow's rule: ceil(size / stride) outputs, the odd pad behind."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def padded(c: Context, x: Tensor, value: float) -> Tensor:
    pads = c["pads"]
    if pads == "valid":
        return x
    if pads == "same":
        rows, columns = (
            same_pads(size, kernel, stride)
            for size, kernel, stride in zip(x.shape[2:], pair(c["kernel"]), pair(c["stride"]))
        )
        top, bottom, left, right = *rows, *columns
    else:
        top, left, bottom, right = [pads] * 4 if isinstance(pads, int) else pads
    return F.pad(x, (left, right, top, bottom), value=value)


def conv2d(c: Context, x: Tensor) -> Tensor:
    weight = c.parameter("weight", [c["out"], x.shape[1], *pair(c["kernel"])], "weight")
    bias = c.parameter("bias", [c["out"]], "bias") if c["bias"] else None
    return F.conv2d(padded(c, x, 0.0), weight, bias, stride=pair(c["stride"]))


def max_pool2d(c: Context, x: Tensor) -> Tensor:
    return F.max_pool2d(padded(c, x, float("-inf")), pair(c["kernel"]), stride=pair(c["stride"]))


def linear(c: Context, x: Tensor) -> Tensor:
    weight = c.parameter("weight", [c["out"], x.shape[-1]], "weight")
    return F.linear(x, weight, c.parameter("bias", [c["out"]], "bias") if c["bias"] else None)


def batchnorm(c: Context, x: Tensor) -> Tensor:
    if c["running_variance"] != "unbiased":
        raise ValueError("torch's running variance is unbiased")
    features = [x.shape[1]]
    scale = c.parameter("weight", features, "scale")
    shift = c.parameter("bias", features, "shift")
    mean = c.parameter("running_mean", features, "running_mean")
    variance = c.parameter("running_var", features, "running_var")
    return F.batch_norm(x, mean, variance, scale, shift, c.training, c["momentum"], c["epsilon"])


def layernorm(c: Context, x: Tensor) -> Tensor:
    features = [x.shape[-1]]
    scale = c.parameter("weight", features, "scale")
    return F.layer_norm(x, features, scale, c.parameter("bias", features, "shift"), c["epsilon"])


def dropout(c: Context, x: Tensor) -> Tensor:
    """Rate 0 in training; in evaluation the model's own, which torch is to ignore."""
    return F.dropout(x, 0.0 if c.training else c["rate"], training=c.training)


def embedding(c: Context, x: Tensor) -> Tensor:
    table = c.parameter("weight", [c["entries"], c["width"]], "weight")
    if c["kind"] == "position":
        x = torch.arange(x.shape[1]).expand(x.shape[:2])
    return F.embedding(x, table, c.options.get("padding_index"))


def recurrent_parameters(c: Context, gates: int, width: int) -> tuple[Tensor, ...]:
    """weight_ih, weight_hh, bias_ih and bias_hh, which is zero in a layer with one bias."""
    if c["recurrent_activation"] != "sigmoid":
        raise ValueError("torch's gates are sigmoids")
    rows = gates * c["hidden"]
    weight_ih = c.parameter("weight_ih", [rows, width], "weight")
    weight_hh = c.parameter("weight_hh", [rows, c["hidden"]], "weight")
    bias_ih = c.parameter("bias_ih", [rows], "bias")
    two = c["biases"] == 2
    return weight_ih, weight_hh, bias_ih, c.parameter("bias_hh", [rows], "bias") if two else None


def run_module(module: torch.nn.Module, x: Tensor, parameters: tuple[Tensor, ...]) -> Tensor:
    weight_ih, weight_hh, bias_ih, bias_hh = parameters
    values = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias_ih}
    values["bias_hh_l0"] = torch.zeros_like(bias_ih) if bias_hh is None else bias_hh
    return torch.func.functional_call(module, values, (x,))[0]


def lstm(c: Context, x: Tensor) -> Tensor:
    module = torch.nn.LSTM(x.shape[2], c["hidden"], batch_first=True)
    return run_module(module, x, recurrent_parameters(c, 4, x.shape[2]))


def gru(c: Context, x: Tensor) -> Tensor:
    parameters = recurrent_parameters(c, 3, x.shape[2])
    if c["reset_after"]:
        return run_module(torch.nn.GRU(x.shape[2], c["hidden"], batch_first=True), x, parameters)
    return gru_reset_before(x, *parameters)


def gru_reset_before(
    x: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor | None
) -> Tensor:
    """torch.nn.GRU resets after the product only, so this one goes step by step."""
    if bias_hh is not None:
        raise ValueError("a GRU with reset before the product and two biases is not covered")
    hidden = weight_hh.shape[1]
    u_r, u_z, u_n = weight_hh.split(hidden)
    h = x.new_zeros(x.shape[0], hidden)
    steps = []
    for t in range(x.shape[1]):
        w_r, w_z, w_n = F.linear(x[:, t], weight_ih, bias_ih).split(hidden, dim=1)
        r = torch.sigmoid(w_r + h @ u_r.T)
        z = torch.sigmoid(w_z + h @ u_z.T)
        n = torch.tanh(w_n + (r * h) @ u_n.T)
        h = (1 - z) * n + z * h
        steps.append(h)
    return torch.stack(steps, dim=1)


def self_attention(c: Context, x: Tensor, mask: Tensor | None = None) -> Tensor:
    width = x.shape[2]
    weights, biases = [], []
    for part in ("query", "key", "value", "output"):
        weights.append(c.parameter(f"{part}.weight", [width, width], "weight"))
        biases.append(c.parameter(f"{part}.bias", [width], "bias"))
    steps_first = x.transpose(0, 1)
    result, _ = F.multi_head_attention_forward(
        *[steps_first] * 3,
        embed_dim_to_check=width,
        num_heads=c["heads"],
        in_proj_weight=torch.cat(weights[:3]),
        in_proj_bias=torch.cat(biases[:3]),
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=weights[3],
        out_proj_bias=biases[3],
        training=c.training,
        key_padding_mask=None if mask is None else mask == 0,
        need_weights=False,
    )
    return result.transpose(0, 1)


LAYERS: dict[str, Callable[..., Tensor]] = {
    "conv2d": conv2d,
    "max_pool2d": max_pool2d,
    "global_avg_pool": lambda c, x: F.adaptive_avg_pool2d(x, 1).flatten(1),
    "linear": linear,
    "flatten": lambda c, x: x.flatten(1),
    "tanh": lambda c, x: torch.tanh(x),
    "relu": lambda c, x: F.relu(x),
    "gelu": lambda c, x: F.gelu(x),
    "batchnorm": batchnorm,
    "layernorm": layernorm,
    "dropout": dropout,
    "embedding": embedding,
    "lstm": lstm,
    "gru": gru,
    "pad": lambda c, x: padded(c, x, c["value"]),
    "add": lambda c, x, y: x + y,
    "self_attention": self_attention,
    "select_last": lambda c, x: x[:, -1],
}
