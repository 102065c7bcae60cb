"""Variant savedmodel: a training step is one call of what a SavedModel brings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Failed, Job, Step
from inference import typed_errors
from layouts import Tensor
from loaders import Batch
from serialized import FoldedModel, bad_folders, count_parameters

v1 = tf.compat.v1


class SavedStepModel(FoldedModel):
    """Run by a session, as the bindings of all other languages run it. Called as a function, the same graph
    is cut into kernels otherwise, and batch norms round otherwise."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._session = v1.Session(graph=tf.Graph(), config=_one_operation_at_a_time(job.settings.threads))
        with bad_folders(job), self._session.graph.as_default():
            folder = v1.saved_model.load(self._session, [tf.saved_model.SERVING], str(job.serialized))
            self._saver = folder.saver_def
            self._signatures = folder.signature_def
            found = self._signatures["parameters"].outputs
            self.parameters = count_parameters(
                job,
                {name: tuple(size.size for size in info.tensor_shape.dim) for name, info in found.items()},
            )

    def _call(self, signature: str, **given: Tensor) -> Mapping[str, np.ndarray]:
        found = self._signatures[signature]
        feeds = {found.inputs[name].name: tensor.numpy() for name, tensor in given.items()}
        fetches = {name: info.name for name, info in found.outputs.items()}
        results: Mapping[str, np.ndarray] = self._session.run(fetches, feeds)
        return results

    def _predict(self, *inputs: Tensor) -> Tensor:
        return self._call("serving_default", **self.named(inputs))["outputs"]

    @typed_errors()
    def reset(self) -> None:
        """As loading it again would do, but what the session has made of the graph by now is kept."""
        if "train_step" not in self._signatures:
            raise Failed(
                "bad_input",
                f"{self.job.serialized}: there is no 'train_step': it was written without training",
            )
        variables = tf.io.gfile.join(str(self.job.serialized), "variables", "variables")
        self._session.run(self._saver.restore_op_name, {self._saver.filename_tensor_name: variables})

    @typed_errors()
    def forward(self, batch: Batch) -> Step[Any]:
        """All of the step."""
        targets = dict(zip(self.job.graph.targets, batch.targets, strict=True))
        result = self._call("train_step", **self.named(batch.inputs), **targets)
        return Step(result["outputs"], result["loss"])

    def backward(self) -> None:
        """Was done by forward."""

    def export(self) -> Mapping[str, np.ndarray]:
        return self._call("parameters")


def _one_operation_at_a_time(threads: int) -> Any:
    return v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
