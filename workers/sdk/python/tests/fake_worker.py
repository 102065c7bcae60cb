"""A worker with one linear layer. The graph's id makes it misbehave, FAKE_CAPABILITIES claim more."""

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossbind_worker import (
    Answer,
    Failed,
    Hello,
    Ids,
    Job,
    Probed,
    Samples,
    Serialization,
    Split,
    State,
    Step,
    Unsupported,
    serve,
)
from crossbind_worker.safetensors import read_safetensors

CAPABILITIES: Mapping[str, Any] = {
    "tasks": ["train", "infer-parameters"], "devices": ["cpu"], "loaders": ["resident"],
    "variants": ["step", "fit", "savedmodel"], "measures": ["total", "parts"],
    "training_accuracies": ["eval", "running"], "layers": ["linear"], "losses": ["cross_entropy"],
    "optimizers": ["sgd"], "lacks": ["sgd.momentum", "linear.bias=true"], "conventions": {},
    "probe": "gradients", "saves": True,
}  # fmt: skip


class LinearModel:
    def __init__(self, job: Job) -> None:
        if job.graph.id == "raises":
            raise RuntimeError("the binding broke")
        if job.graph.id == "hungry":
            raise MemoryError
        self._job = job
        self.parameters = 15
        self.effective: Mapping[str, Any] = {"rate": np.inf} if job.graph.id == "infinite" else {"threads": 3}
        self._random = np.random.default_rng(job.settings.seed)
        self.reset()

    def reset(self) -> None:
        file = self._job.serialized
        weights = read_safetensors(file.path) if file else self._job.weights
        self._weight: NDArray[np.float32] = weights["fc.weight"].copy()

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Samples]:
        for ids in order[1:] if self._job.graph.id == "lazy" else order:
            yield Samples({"x": split.inputs["x"][ids]}, split.labels(ids))

    def forward(self, batch: Samples) -> Step[Any]:
        if self._job.graph.id == "slow":
            time.sleep(0.01)
        outputs = self.predict(batch)
        likely, truth = self._likely(outputs), self._truth(batch)
        self._gradient = (likely - truth).T @ batch.inputs["x"] / len(outputs)
        return Step(outputs, -np.log((likely * truth).sum(axis=1)).mean())

    def _likely(self, outputs: np.ndarray) -> np.ndarray:
        exponentials = np.exp(outputs)
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    def _truth(self, batch: Samples) -> np.ndarray:
        return np.eye(len(self._weight), dtype=np.float32)[batch.targets["label"]]

    def backward(self) -> None:
        self._weight -= 0.1 * self._gradient

    def predict(self, batch: Samples) -> np.ndarray:
        return batch.inputs["x"] @ self._weight.T

    def synchronize(self) -> None:
        pass

    def to_host(self, tensor: np.ndarray) -> np.ndarray:
        return np.asarray(tensor)

    def reached(self, batch: Samples) -> Samples:
        return batch

    def export(self) -> Mapping[str, np.ndarray]:
        return {"fc.weight": self._weight}

    def query(self, batch: Samples, gradients: bool) -> Answer:
        outputs = self.predict(batch).astype(np.float64)
        if not gradients:
            return Answer(outputs)
        if self._job.serialized:
            raise Unsupported("gradients of a serialized model")
        return Answer(outputs, {"x": (self._likely(outputs) - self._truth(batch)) @ self._weight})

    def serialize(self, wanted: Serialization) -> None:
        """Writes down what it was told."""
        wanted.require_at_most(precisions=("float32", "int8"), optimizer=wanted.format == "checkpoint")
        told = {field.name: getattr(wanted, field.name) for field in dataclasses.fields(wanted)}
        if wanted.calibration:
            told["calibration"] = len(wanted.calibration.inputs["x"])
        wanted.path.write_text(json.dumps(told, default=str))

    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        if state.step > 1 and "fc.weight.state.m" not in state.moments:
            raise Failed("bad_input", "no moment")
        self._weight = state.parameters["fc.weight"].copy()
        tensors = {"fc.out": self.predict(batch).astype(np.float64)}
        if dropout:
            tensors["fc.out"] *= self._random.integers(0, 2, tensors["fc.out"].shape)
        return Probed(tensors, float(self.forward(batch).loss) if batch.targets else None, ["hidden.out"])


class WholeLinearModel(LinearModel):
    """Goes through the batches itself."""

    def fit(self, split: Split, order: Sequence[Ids], after: Callable[[Samples, Step[Any]], None]) -> None:
        for batch in self.batches(split, order):
            step = self.forward(batch)
            self.backward()
            after(batch, step)

    def predict_all(
        self, split: Split, order: Sequence[Ids], after: Callable[[], None]
    ) -> Sequence[np.ndarray]:
        outputs = []
        for batch in self.batches(split, order):
            outputs.append(self.predict(batch))
            after()
        return outputs


def build(job: Job) -> LinearModel:
    return (WholeLinearModel if job.settings.variant == "fit" else LinearModel)(job)


if __name__ == "__main__":
    print("frameworks print things")
    claimed = {**CAPABILITIES, **json.loads(os.environ.get("FAKE_CAPABILITIES", "{}"))}
    sys.exit(serve(build, Hello("fake/python", {"worker": "1"}, claimed)))
