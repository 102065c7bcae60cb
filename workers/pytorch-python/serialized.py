"""A model that came as a TorchScript file. It only infers."""

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor

from crossbind_worker import Failed, Job, Probed, Samples, State, Step, Unsupported
from inference import InferenceModel
from loaders import Batch, ResidentLoader
from network import canonical


class SerializedModel(InferenceModel):
    def __init__(self, job: Job) -> None:
        super().__init__(job)
        try:
            self.network = torch.jit.load(job.serialized, map_location=self.device).eval()
            found = canonical(self.network, job.graph)
        except KeyError as name:
            raise Failed("bad_input", f"{job.serialized}: the model has no parameter {name}") from name
        except (OSError, RuntimeError, ValueError) as error:
            raise Failed("bad_input", f"{job.serialized}: {error}") from error
        for parameter in job.graph.parameters:
            if (shape := tuple(found[parameter.name].shape)) != parameter.shape:
                message = f"{job.serialized}: '{parameter.name}' is {shape}, not {parameter.shape}"
                raise Failed("bad_input", message)
        self.parameters = sum(tensor.numel() for tensor in found.values())

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
        outputs = self.predict(ResidentLoader(batch, self.device).whole())
        return Probed({f"{self.job.graph.nodes[-1].name}.out": self.to_host(outputs)}, None)
