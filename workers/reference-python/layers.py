"""Layers as pairs of functions: each takes the fields of its node, its input and its parameters, and gives
the output and a pullback, which takes the output's gradient back to those of input and parameters.

Any float type goes through unchanged. Images are [batch, channels, height, width].
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Array = np.ndarray
Fields = Mapping[str, Any]
# (gradient of the output, whether that of the input is needed) -> that of the input, those of the parameters
Pullback = Callable[[Array, bool], tuple[Array | None, Sequence[Array]]]
Layer = Callable[..., tuple[Array, Pullback]]


def _padded(x: Array, pads: Sequence[int], value: float) -> Array:
    if not any(pads):
        return x
    top, left, bottom, right = pads
    return np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value)


def _unpadded(x: Array, pads: Sequence[int]) -> Array:
    top, left, bottom, right = pads
    return x[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]


def _out_size(fields: Fields, height: int, width: int) -> tuple[int, int]:
    (kernel_h, kernel_w), (stride_h, stride_w) = fields["kernel"], fields["stride"]
    return (height - kernel_h) // stride_h + 1, (width - kernel_w) // stride_w + 1


def _taps(fields: Fields, out_h: int, out_w: int) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """For each place in the kernel, in row-major order, the elements that it meets: one an output."""
    (kernel_h, kernel_w), (stride_h, stride_w) = fields["kernel"], fields["stride"]
    for row in range(kernel_h):
        for column in range(kernel_w):
            rows = slice(row, row + stride_h * out_h, stride_h)
            columns = slice(column, column + stride_w * out_w, stride_w)
            yield row, column, (..., rows, columns)


def conv2d(fields: Fields, x: Array, weight: Array, bias: Array | None = None) -> tuple[Array, Pullback]:
    stride_h, stride_w = fields["stride"]
    padded = _padded(x, fields["pads"], 0)
    batch, channels = x.shape[:2]
    out_h, out_w = _out_size(fields, *padded.shape[2:])
    windows = sliding_window_view(padded, fields["kernel"], (2, 3))[:, :, ::stride_h, ::stride_w]
    # Output positions last: rows of the image stay together in the copy, and all is one product.
    columns = windows.transpose(1, 4, 5, 0, 2, 3).reshape(-1, batch * out_h * out_w)
    flat = weight.reshape(len(weight), -1)
    out = flat @ columns
    if bias is not None:
        out += bias[:, None]

    def pullback(dout: Array, need_input: bool) -> tuple[Array | None, Sequence[Array]]:
        rows = dout.transpose(1, 0, 2, 3).reshape(len(weight), -1)
        gradients = [(rows @ columns.T).reshape(weight.shape)]
        if bias is not None:
            gradients.append(rows.sum(axis=1))
        if not need_input:
            return None, gradients
        dcolumns = (flat.T @ rows).reshape(channels, *fields["kernel"], batch, out_h, out_w)
        dpadded = np.zeros((channels, batch, *padded.shape[2:]), x.dtype)
        for row, column, place in _taps(fields, out_h, out_w):
            dpadded[place] += dcolumns[:, row, column]
        return _unpadded(dpadded.transpose(1, 0, 2, 3), fields["pads"]), gradients

    image = out.reshape(len(weight), batch, out_h, out_w).transpose(1, 0, 2, 3)
    return np.ascontiguousarray(image), pullback


def max_pool2d(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    padded = _padded(x, fields["pads"], -np.inf)
    out_h, out_w = _out_size(fields, *padded.shape[2:])
    taps = [place for _, _, place in _taps(fields, out_h, out_w)]
    out = padded[taps[0]].copy()
    winner = np.zeros(out.shape, np.int32)
    for number, place in enumerate(taps[1:], 1):
        values = padded[place]
        np.copyto(winner, number, where=values > out)  # a tie stays with the first
        np.maximum(out, values, out=out)

    def pullback(dout: Array, need_input: bool) -> tuple[Array | None, Sequence[Array]]:
        dpadded = np.zeros_like(padded)
        for number, place in enumerate(taps):
            dpadded[place] += dout * (winner == number)
        return _unpadded(dpadded, fields["pads"]), ()

    return out, pullback


def avg_pool2d(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    padded = _padded(x, fields["pads"], 0)
    out_h, out_w = _out_size(fields, *padded.shape[2:])
    taps = [place for _, _, place in _taps(fields, out_h, out_w)]
    inside = _padded(np.ones_like(x, shape=(1, 1, *x.shape[2:])), fields["pads"], fields["count_padding"])
    counts = sum(inside[place] for place in taps)
    out = sum(padded[place] for place in taps) / counts

    def pullback(dout: Array, need_input: bool) -> tuple[Array | None, Sequence[Array]]:
        dpadded = np.zeros_like(padded)
        share = dout / counts
        for place in taps:
            dpadded[place] += share
        return _unpadded(dpadded, fields["pads"]), ()

    return out, pullback


def pad(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    pads = fields["pads"]
    return _padded(x, pads, fields["value"]), lambda dout, need_input: (_unpadded(dout, pads), ())


def flatten(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    return x.reshape(len(x), -1), lambda dout, need_input: (dout.reshape(x.shape), ())


def linear(fields: Fields, x: Array, weight: Array, bias: Array | None = None) -> tuple[Array, Pullback]:
    out = x @ weight.T
    if bias is not None:
        out += bias

    def pullback(dout: Array, need_input: bool) -> tuple[Array | None, Sequence[Array]]:
        rows = dout.reshape(-1, dout.shape[-1])
        gradients = [rows.T @ x.reshape(len(rows), -1)]
        if bias is not None:
            gradients.append(rows.sum(axis=0))
        return (dout @ weight if need_input else None), gradients

    return out, pullback


def tanh(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    out = np.tanh(x)
    return out, lambda dout, need_input: (dout * (1 - out * out), ())


def relu(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    out = np.maximum(x, 0)
    return out, lambda dout, need_input: (dout * (out > 0), ())


def sigmoid(fields: Fields, x: Array) -> tuple[Array, Pullback]:
    tail = np.exp(-np.abs(x))  # cannot overflow
    out = np.where(x >= 0, 1, tail) / (1 + tail)
    return out, lambda dout, need_input: (dout * out * (1 - out), ())


LAYERS: Mapping[str, Layer] = {
    layer.__name__: layer
    for layer in (avg_pool2d, conv2d, flatten, linear, max_pool2d, pad, relu, sigmoid, tanh)
}
