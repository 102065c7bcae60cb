"""Batches on the device, by either loader."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

from crossbind_worker import Ids, Samples


@dataclass(frozen=True)
class Batch:
    """In the order of the graph."""

    inputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]


def tensors_of(samples: Samples) -> tuple[Tensor, ...]:
    """Inputs, then targets, in memory of PyTorch's own."""
    return tuple(torch.tensor(values) for values in (*samples.inputs.values(), *samples.targets.values()))


class Loader(ABC):
    """Batches of one split."""

    def __init__(self, split: Samples, device: torch.device) -> None:
        self.device = device
        self._inputs = len(split.inputs)

    @abstractmethod
    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]: ...

    def _batch(self, tensors: Sequence[Tensor]) -> Batch:
        return Batch(tuple(tensors[: self._inputs]), tuple(tensors[self._inputs :]))


class IdiomaticLoader(Loader):
    """DataLoader over a TensorDataset, with the order as its batch sampler."""

    def __init__(self, split: Samples, device: torch.device) -> None:
        super().__init__(split, device)
        self._dataset = TensorDataset(*tensors_of(split))

    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]:
        loader = DataLoader(
            self._dataset,
            batch_sampler=[ids.tolist() for ids in order],
            pin_memory=self.device.type == "cuda",
            generator=torch.Generator(),  # each epoch draws from it; dropout must not see that
        )
        for tensors in loader:
            yield self._batch([tensor.to(self.device, non_blocking=True) for tensor in tensors])


class ResidentLoader(Loader):
    """Whole tensors on the device; a batch is some of their rows."""

    def __init__(self, split: Samples, device: torch.device) -> None:
        super().__init__(split, device)
        self._tensors = [tensor.to(device) for tensor in tensors_of(split)]

    def batches(self, order: Sequence[Ids]) -> Iterator[Batch]:
        for ids in order:
            yield self.rows(torch.from_numpy(ids).to(self.device))

    def rows(self, rows: Tensor) -> Batch:
        return self._batch([tensor[rows] for tensor in self._tensors])

    def whole(self) -> Batch:
        return self._batch(self._tensors)


LOADERS: Mapping[str, type[Loader]] = {"idiomatic": IdiomaticLoader, "resident": ResidentLoader}


def to_samples(batch: Batch, inputs: Sequence[str], targets: Sequence[str]) -> Samples:
    """The batch back on the host, under its names."""

    def named(names: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, np.ndarray]:
        return {name: tensor.cpu().numpy() for name, tensor in zip(names, tensors, strict=True)}

    return Samples(named(inputs, batch.inputs), named(targets, batch.targets))
