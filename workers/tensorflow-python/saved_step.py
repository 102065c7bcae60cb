"""Variant savedmodel: a training step is one call of what a SavedModel brings."""

import shutil
from collections.abc import Mapping
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tensorflow as tf

from crossbind_worker import Failed, Job, ModelFile, Step
from inference import Traced, typed_errors
from layouts import Tensor
from loaders import Batch
from serialized import FoldedModel, bad_folders, count_parameters

v1 = tf.compat.v1


class SavedStepModel(FoldedModel):
    """Run by a session, as the bindings of all other languages run it. Called as a function, the same graph
    is cut into kernels otherwise, and batch norms round otherwise."""

    def __init__(self, job: Job, folder: ModelFile) -> None:
        super().__init__(job)
        self._folder = folder
        self._session = v1.Session(graph=tf.Graph(), config=_one_operation_at_a_time(job.settings.threads))
        with bad_folders(folder), self._session.graph.as_default():
            loaded = v1.saved_model.load(self._session, [tf.saved_model.SERVING], str(folder.path))
            self._saver = loaded.saver_def
            self._signatures = loaded.signature_def
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

    @cached_property
    def _differentiate(self) -> Traced:
        """Of a copy that has the parameters in force: a session has no gradients of functions with some
        operations in them, such as Pad."""
        with TemporaryDirectory(dir=self.job.scratch) as folder:
            shutil.copytree(self._folder.path, folder, dirs_exist_ok=True)
            self._session.run(self._saver.save_tensor_name, self._variables_in(folder))
            copy = tf.saved_model.load(folder)

        def predict(*inputs: Tensor) -> Tensor:
            return copy.signatures["serving_default"](**self.named(inputs))["outputs"]

        return self._differentiated(predict)

    def _variables_in(self, folder: str) -> Mapping[str, str]:
        """What the graph that saves and restores them is fed with."""
        return {self._saver.filename_tensor_name: tf.io.gfile.join(folder, "variables", "variables")}

    @typed_errors()
    def reset(self) -> None:
        """As loading it again would do, but what the session has made of the graph by now is kept."""
        if "train_step" not in self._signatures:
            raise Failed(
                "bad_input",
                f"{self._folder.path}: there is no 'train_step': it was written without training",
            )
        self._session.run(self._saver.restore_op_name, self._variables_in(str(self._folder.path)))
        vars(self).pop("_differentiate", None)  # its parameters are no longer in force

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
