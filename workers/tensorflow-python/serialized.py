"""A model that came as a SavedModel. It only infers."""

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
import tensorflow as tf

from crossbind_worker import Failed, Job, Probed, Samples, State, Step, Unsupported
from inference import InferenceModel
from layouts import Tensor
from loaders import Batch, whole


class SerializedModel(InferenceModel):
    def __init__(self, job: Job, conventions: Mapping[str, str]) -> None:
        super().__init__(job, conventions)
        try:
            self._saved = tf.saved_model.load(str(job.serialized))
            self._signature = self._saved.signatures["serving_default"]
            found = self._saved.signatures["parameters"].structured_outputs
            for parameter in job.graph.parameters:
                if (shape := tuple(found[parameter.name].shape)) != parameter.shape:
                    raise ValueError(f"'{parameter.name}' is {shape}, not {parameter.shape}")
        except KeyError as name:
            raise Failed("bad_input", f"{job.serialized}: the model has no {name}") from name
        except (OSError, ValueError, AttributeError, tf.errors.OpError) as error:
            raise Failed("bad_input", f"{job.serialized}: {error}") from error
        self.parameters = sum(spec.shape.num_elements() for spec in found.values())

    def _predict(self, *inputs: Tensor) -> Tensor:
        names = (given.name for given in self.job.graph.inputs)
        return self._signature(**dict(zip(names, inputs, strict=True)))["outputs"]

    def _refuse(self) -> NoReturn:
        raise Unsupported("training of a serialized model")

    def reset(self) -> None:
        self._refuse()

    def forward(self, batch: Batch) -> Step[Tensor]:
        self._refuse()

    def backward(self) -> None:
        self._refuse()

    def export(self) -> Mapping[str, np.ndarray]:
        self._refuse()

    def probe(self, state: State, batch: Samples, train: bool) -> Probed:
        """Only what comes out in the end can be seen."""
        outputs = self.predict(whole(batch))
        return Probed({f"{self.job.graph.nodes[-1].name}.out": self.to_host(outputs)}, None)
