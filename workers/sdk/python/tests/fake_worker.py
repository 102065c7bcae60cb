"""A worker with one linear layer. The graph's id makes it misbehave."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from crossbind_worker import Failed, Hello, Ids, Job, Probed, Samples, Split, State, Step, serve

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
        self.reset()

    def reset(self) -> None:
        self._weight = self._job.weights["fc.weight"].copy()

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Samples]:
        for ids in order[1:] if self._job.graph.id == "lazy" else order:
            yield Samples({"x": split.inputs["x"][ids]}, split.labels(ids))

    def forward(self, batch: Samples) -> Step[Any]:
        if self._job.graph.id == "slow":
            time.sleep(0.01)
        self._batch, outputs = batch, self.predict(batch)
        likely = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
        truth = np.eye(outputs.shape[1], dtype=np.float32)[batch.targets["label"]]
        self._gradient = (likely - truth).T @ batch.inputs["x"] / len(outputs)
        return Step(outputs, -np.log((likely * truth).sum(axis=1)).mean())

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

    def probe(self, state: State, batch: Samples, train: bool) -> Probed:
        if state.step > 1 and "fc.weight.state.m" not in state.moments:
            raise Failed("bad_input", "no moment")
        self._weight = state.parameters["fc.weight"].copy()
        tensors = {"fc.out": self.predict(batch).astype(np.float64)}
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
    sys.exit(serve(build, Hello("fake/python", {"worker": "1"}, CAPABILITIES)))
