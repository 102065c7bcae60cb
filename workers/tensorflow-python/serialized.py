"""A model that came as a SavedModel: it infers, and where it brings its step it is trained by that."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Failed, Job, Probed, Samples, State, Step, Untrainable
from inference import InferenceModel, typed_errors
from layouts import Tensor, Tensors
from loaders import Batch, whole


class SerializedModel(Untrainable, InferenceModel):
    """It only infers."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        try:
            self._saved = tf.saved_model.load(str(job.serialized))
            self._signatures = self._saved.signatures
            self._serving = self._signatures["serving_default"]
            found = self._signatures["parameters"].structured_outputs
            for parameter in job.graph.parameters:
                if (shape := tuple(found[parameter.name].shape)) != parameter.shape:
                    raise ValueError(f"'{parameter.name}' is {shape}, not {parameter.shape}")
        except KeyError as name:
            raise Failed("bad_input", f"{job.serialized}: the model has no {name}") from name
        except (OSError, ValueError, AttributeError, tf.errors.OpError) as error:
            raise Failed("bad_input", f"{job.serialized}: {error}") from error
        self.parameters = sum(spec.shape.num_elements() for spec in found.values())

    def _predict(self, *inputs: Tensor) -> Tensor:
        return self._serving(**self._named(inputs))["outputs"]

    def _named(self, inputs: Tensors) -> dict[str, Tensor]:
        return {given.name: tensor for given, tensor in zip(self.job.graph.inputs, inputs, strict=True)}

    def probe(self, state: State, batch: Samples, train: bool) -> Probed:
        """Only what comes out in the end can be seen."""
        outputs = self.predict(whole(batch))
        return Probed({f"{self.job.graph.nodes[-1].name}.out": self.to_host(outputs)}, None)


class SavedStepModel(SerializedModel):
    """Variant savedmodel: a training step is one call of what the SavedModel brings."""

    @cached_property
    def _step(self) -> Any:
        try:
            return self._signatures["train_step"]
        except KeyError:
            raise Failed(
                "bad_input",
                f"{self.job.serialized}: there is no 'train_step': it was written without training",
            ) from None

    @cached_property
    def _prepared(self) -> list[tuple[Any, np.ndarray]]:
        """All that a step changes: parameters, statistics, optimizer, generators of dropout."""
        return [(variable, variable.numpy()) for variable in self._step.variables]

    def reset(self) -> None:
        """As loading it again would do, but what TensorFlow has made of the graph by now is kept."""
        for variable, values in self._prepared:
            variable.assign(values)

    @typed_errors()
    def forward(self, batch: Batch) -> Step[Tensor]:
        """All of the step."""
        targets = dict(zip(self.job.graph.targets, batch.targets, strict=True))
        result = self._step(**self._named(batch.inputs), **targets)
        return Step(result["outputs"], result["loss"])

    def backward(self) -> None:
        """Was done by forward."""

    def export(self) -> Mapping[str, np.ndarray]:
        return {name: tensor.numpy() for name, tensor in self._signatures["parameters"]().items()}
