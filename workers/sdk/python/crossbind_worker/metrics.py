"""What is said about outputs, the same for every binding: computed on the host, outside of every timer."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .data import Ids, Samples, Split
from .errors import not_finite
from .losses import LOSSES, Targets


def check_finite(outputs: np.ndarray) -> None:
    if not np.isfinite(outputs).all():
        raise not_finite("an output is not finite")


def count_correct(outputs: np.ndarray, targets: Targets) -> int:
    """Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0
    means 1; with spans, both ends."""
    check_finite(outputs)
    if "label" not in targets:
        starts, ends = outputs[..., 0].argmax(axis=1), outputs[..., 1].argmax(axis=1)
        return int(((starts == targets["start"]) & (ends == targets["end"])).sum())
    rows = outputs.reshape(len(outputs), -1)
    guesses = rows.argmax(axis=1) if rows.shape[1] > 1 else rows[:, 0] > 0
    return int((guesses == targets["label"]).sum())


def share_correct(outputs: Iterable[np.ndarray], batches: Sequence[Ids], split: Split) -> float:
    """The accuracy, from the outputs of each batch."""
    correct = sum(count_correct(rows, split.labels(ids)) for rows, ids in zip(outputs, batches, strict=True))
    return correct / split.size


@dataclass(frozen=True)
class Score:
    """Means over a split."""

    accuracy: float
    loss: float


def score(outputs: Iterable[np.ndarray], batches: Sequence[Ids], split: Split, loss: str) -> Score:
    """From the outputs of each batch, which are gone through once."""
    correct, total = 0, 0.0
    for rows, ids in zip(outputs, batches, strict=True):
        targets = split.labels(ids)
        correct += count_correct(rows, targets)
        total += float(LOSSES[loss](rows.astype(np.float64), targets).sum())
    return Score(correct / split.size, total / split.size)


def hashes(reached: Samples) -> dict[str, str]:
    """The evidence of a batch: canonical, little-endian, float32 or int64."""
    return {"inputs_sha256": _sha256(reached.inputs), "labels_sha256": _sha256(reached.targets)}


def _sha256(tensors: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for tensor in tensors.values():
        dtype = "<f4" if np.issubdtype(tensor.dtype, np.floating) else "<i8"
        digest.update(np.ascontiguousarray(tensor, dtype).data)
    return digest.hexdigest()
