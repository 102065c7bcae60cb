"""A model that came as a TorchScript file. It only infers."""

import torch

from crossbind_worker import Failed, Job, ModelFile, Probed, Samples, State, Untrainable
from inference import InferenceModel
from loaders import ResidentLoader
from network import canonical


class SerializedModel(Untrainable, InferenceModel):
    def __init__(self, job: Job, file: ModelFile) -> None:
        super().__init__(job)
        try:
            self.network = torch.jit.load(file.path, map_location=self.device).eval()
            found = canonical(self.network, job.graph)
        except KeyError as name:
            raise Failed("bad_input", f"{file.path}: the model has no parameter {name}") from name
        except (OSError, RuntimeError, ValueError) as error:
            raise Failed("bad_input", f"{file.path}: {error}") from error
        for parameter in job.graph.parameters:
            if (shape := tuple(found[parameter.name].shape)) != parameter.shape:
                message = f"{file.path}: '{parameter.name}' is {shape}, not {parameter.shape}"
                raise Failed("bad_input", message)
        self.parameters = sum(tensor.numel() for tensor in found.values())

    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        """Only what comes out in the end can be seen."""
        outputs = self.predict(ResidentLoader(batch, self.device).whole())
        return Probed({f"{self.job.graph.nodes[-1].name}.out": self.to_host(outputs)}, None)
