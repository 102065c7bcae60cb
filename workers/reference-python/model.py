"""A model in plain NumPy, as the procedures of the SDK want it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from crossbind_worker import Answer, Ids, Job, Probed, Samples, Split, State, Step
from losses import LOSSES
from network import Network
from optimizers import UPDATES, moment_names

Array = np.ndarray


def _threads() -> int:
    """How many threads NumPy's OpenBLAS was started with: it reads the environment when it is loaded."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        if (value := os.environ.get(variable, "")).isdecimal() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0))


def _resident(split: Split) -> Split:
    """The split in memory, instead of in a map of its file."""
    inputs = {name: values.copy() for name, values in split.inputs.items()}
    targets = {name: values.copy() for name, values in split.targets.items()}
    return Split(inputs, targets, split.name, split.size)


class NumpyModel:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._network = Network(job.graph)
        self._splits = {split.name: split for split in (job.data.train, job.data.test) if split}
        if job.settings.loader == "resident":
            self._splits = {name: _resident(split) for name, split in self._splits.items()}
        self._dloss = np.empty(0)  # the loss's gradient at the outputs, from forward to backward
        self.parameters = sum(weights.size for weights in job.weights.values())
        self.effective: Mapping[str, Any] = (
            {} if _threads() == job.settings.threads else {"threads": _threads()}
        )
        self.reset()

    def reset(self) -> None:
        self._start_from(State(self._job.weights, {}, 1))

    def _start_from(self, state: State) -> None:
        graph = self._job.graph
        self._step = state.step
        self._parameters = {name: values.copy() for name, values in state.parameters.items()}
        self._moments = {
            parameter.name: {
                moment: state.moments.get(
                    f"{parameter.name}.state.{moment}", np.zeros_like(self._parameters[parameter.name])
                ).copy()
                for moment in moment_names(graph.optimizer)
            }
            for parameter in graph.parameters
        }

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Samples]:
        source = self._splits[split.name]
        for ids in order:
            inputs = {name: values[ids] for name, values in source.inputs.items()}
            yield Samples(inputs, source.labels(ids))

    def forward(self, batch: Samples) -> Step[Any]:
        outputs = self._network.forward(batch.inputs, self._parameters)
        loss, self._dloss = LOSSES[self._job.graph.loss](outputs, batch.targets)
        return Step(outputs, loss)

    def backward(self) -> None:
        self._update(self._network.backward(self._dloss))

    def _update(self, gradients: Mapping[str, Array]) -> None:
        optimizer = self._job.graph.optimizer
        update = UPDATES[optimizer["type"]]
        for parameter in self._job.graph.parameters:
            name = parameter.name
            update(
                optimizer,
                parameter.role,
                self._step,
                self._parameters[name],
                gradients[name],
                self._moments[name],
            )
        self._step += 1

    def predict(self, batch: Samples) -> Array:
        return self._network.forward(batch.inputs, self._parameters)

    def synchronize(self) -> None:
        pass

    def to_host(self, tensor: Array) -> Array:
        return np.asarray(tensor)

    def reached(self, batch: Samples) -> Samples:
        return batch

    def export(self) -> Mapping[str, Array]:
        return self._parameters

    def query(self, batch: Samples, gradients: bool) -> Answer:
        outputs = self.predict(batch)
        if not gradients:
            return Answer(outputs)
        _, dloss = LOSSES[self._job.graph.loss](outputs, batch.targets)
        return Answer(outputs, self._network.input_gradients(dloss * len(outputs)))

    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        """With dropout as without: none of the layers has any."""
        self._start_from(state)
        gradients: Mapping[str, Array] = {}
        loss = None
        if batch.targets and self._job.graph.loss in LOSSES:
            loss = float(self.forward(batch).loss)
        else:
            self.predict(batch)
        if train:
            gradients = self._network.backward(self._dloss)
            self._update(gradients)
        tensors = {f"{node.name}.out": self._network.outputs[node.name] for node in self._job.graph.nodes}
        tensors |= self._parameters
        tensors |= {f"{name}.grad": gradient for name, gradient in gradients.items()}
        for name, moments in self._moments.items():
            tensors |= {f"{name}.state.{moment}": values for moment, values in moments.items()}
        return Probed(tensors, loss)
