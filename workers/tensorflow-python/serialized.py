"""A model that came as a SavedModel, and only infers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import tensorflow as tf

from crossbind_worker import Failed, Job, ModelFile, Probed, Samples, State, Untrainable
from inference import InferenceModel
from layouts import Tensor, Tensors
from loaders import whole


@contextmanager
def bad_folders(folder: ModelFile) -> Iterator[None]:
    """What is not there, or not as the protocol has it, is the folder's fault."""
    try:
        yield
    except KeyError as name:
        raise Failed("bad_input", f"{folder.path}: the model has no {name}") from name
    except (OSError, ValueError, AttributeError, RuntimeError, tf.errors.OpError) as error:
        raise Failed("bad_input", f"{folder.path}: {error}") from error


def count_parameters(job: Job, shapes: Mapping[str, tuple[int, ...]]) -> int:
    """Those of the signature `parameters`, once they are what the graph has."""
    for parameter in job.graph.parameters:
        if (shape := shapes[parameter.name]) != parameter.shape:
            raise ValueError(f"'{parameter.name}' is {shape}, not {parameter.shape}")
    return sum(tf.TensorShape(shape).num_elements() for shape in shapes.values())


class FoldedModel(InferenceModel):
    """What all SavedModels have."""

    def named(self, inputs: Tensors) -> dict[str, Tensor]:
        return {given.name: tensor for given, tensor in zip(self.job.graph.inputs, inputs, strict=True)}

    def probe(self, state: State, batch: Samples, *, train: bool, dropout: bool) -> Probed:
        """Only what comes out in the end can be seen."""
        outputs = self.predict(whole(batch))
        return Probed({f"{self.job.graph.nodes[-1].name}.out": self.to_host(outputs)}, None)


class SerializedModel(Untrainable, FoldedModel):
    """As users of TensorFlow in Python load one."""

    def __init__(self, job: Job, folder: ModelFile) -> None:
        super().__init__(job)
        with bad_folders(folder):
            saved = tf.saved_model.load(str(folder.path))
            self._saved = saved  # has the variables
            self._serving = saved.signatures["serving_default"]
            found = saved.signatures["parameters"].structured_outputs
            self.parameters = count_parameters(job, {name: tuple(spec.shape) for name, spec in found.items()})

    def _predict(self, *inputs: Tensor) -> Tensor:
        return self._serving(**self.named(inputs))["outputs"]
