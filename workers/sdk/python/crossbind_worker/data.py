"""The samples and the order that a worker is prepared with, checked against the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import Failed, bad_input
from .graph import Graph, Input
from .requests import DataFile
from .safetensors import read_safetensors

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Samples:
    """Inputs and targets, by name, in the order of the graph. A batch on the host, or, memory-mapped, a
    whole split."""

    inputs: Mapping[str, NDArray[Any]]  # float32, or int64 for integers; batch first
    targets: Mapping[str, NDArray[np.int64]]  # label, or start and end; empty where there are none


@dataclass(frozen=True)
class Split(Samples):
    name: str
    size: int

    def labels(self, ids: Ids) -> dict[str, NDArray[np.int64]]:
        return {name: values[ids] for name, values in self.targets.items()}


@dataclass(frozen=True)
class Data:
    train: Split | None
    test: Split | None


def _tensor(tensors: Mapping[str, np.ndarray], name: str, where: Path) -> np.ndarray:
    try:
        return tensors[name]
    except KeyError:
        raise bad_input(f"{where}: there is no tensor '{name}'") from None


def _check_range(values: np.ndarray, end: int, name: str, where: Path) -> None:
    if values.size and not (values.min() >= 0 and values.max() < end):
        raise bad_input(f"{where}: tensor '{name}' has values outside of 0 to {end - 1}")


def _input(values: np.ndarray, given: Input, name: str, where: Path) -> np.ndarray:
    if values.ndim == 0 or values.shape[1:] != given.shape:
        raise bad_input(f"{where}: tensor '{name}' is {values.shape}, not samples of {given.shape}")
    dtype = np.dtype(np.float32 if given.entries is None else np.int64)
    if values.dtype != dtype:
        raise bad_input(f"{where}: tensor '{name}' is {values.dtype}, not {dtype}")
    if given.entries is not None:
        _check_range(values, given.entries, name, where)
    return values


def _target(values: np.ndarray, classes: int, name: str, where: Path) -> NDArray[np.int64]:
    if values.ndim != 1 or values.dtype != np.int64:
        raise bad_input(f"{where}: tensor '{name}' is not one int64 number a sample")
    _check_range(values, classes, name, where)
    return values


def _split(
    tensors: Mapping[str, np.ndarray], graph: Graph, name: str, size: int, where: Path
) -> Split | None:
    if size == 0:
        return None

    def first(tensor: str) -> np.ndarray:
        values = _tensor(tensors, tensor, where)
        if values.ndim == 0 or len(values) < size:
            raise bad_input(f"{where}: tensor '{tensor}' has fewer than {size} samples")
        return values[:size]

    inputs = {i.name: _input(first(f"{name}.{i.name}"), i, f"{name}.{i.name}", where) for i in graph.inputs}
    targets = {t: _target(first(f"{name}.{t}"), graph.classes, f"{name}.{t}", where) for t in graph.targets}
    return Split(inputs, targets, name, size)


def open_data(file: DataFile, graph: Graph) -> Data:
    tensors = read_safetensors(file.path)
    return Data(
        _split(tensors, graph, "train", file.train_samples, file.path),
        _split(tensors, graph, "test", file.test_samples, file.path),
    )


def read_batch(path: Path, graph: Graph) -> Samples:
    """The batch of a probe; it may have no targets."""
    tensors = read_safetensors(path)
    inputs = {i.name: _input(_tensor(tensors, i.name, path), i, i.name, path) for i in graph.inputs}
    targets = {t: _target(tensors[t], graph.classes, t, path) for t in graph.targets if t in tensors}
    sizes = {len(values) for values in (*inputs.values(), *targets.values())}
    if len(sizes) != 1 or 0 in sizes or len(targets) not in (0, len(graph.targets)):
        raise bad_input(f"{path}: inputs and targets are not of one number of samples")
    return Samples(inputs, targets)


def read_order(path: Path, epochs: int, samples: int) -> NDArray[np.int64]:
    order = _tensor(read_safetensors(path), "order", path)
    if order.dtype != np.int64 or order.shape != (epochs, samples):
        raise bad_input(f"{path}: 'order' is {order.dtype} {order.shape}, not int64 {(epochs, samples)}")
    _check_range(order, samples, "order", path)
    return order.copy()


def read_parameters(path: Path, graph: Graph) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The parameters of the graph, and whatever else the file holds; copied, so that the file may go."""
    tensors = {name: tensor.copy() for name, tensor in read_safetensors(path).items()}
    parameters = {}
    for parameter in graph.parameters:
        values = _tensor(tensors, parameter.name, path)
        if values.shape != parameter.shape or values.dtype != np.float32:
            raise bad_input(
                f"{path}: '{parameter.name}' is {values.dtype} {values.shape}, not float32 {parameter.shape}"
            )
        parameters[parameter.name] = tensors.pop(parameter.name)
    return parameters, tensors


def cut(ids: Ids, batch_size: int) -> Sequence[Ids]:
    """An epoch's batches: consecutive pieces, the last one may be shorter."""
    return [ids[begin : begin + batch_size] for begin in range(0, len(ids), batch_size)]


def in_file_order(split: Split, batch_size: int) -> Sequence[Ids]:
    return cut(np.arange(split.size, dtype=np.int64), batch_size)


def require(split: Split | None, name: str) -> Split:
    if split is None:
        raise Failed("bad_request", f"the worker was prepared without {name} samples")
    return split
