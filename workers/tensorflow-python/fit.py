"""Variant fit: Keras itself goes through the batches, in `Model.fit` and `Model.predict`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import numpy as np

from crossbind_worker import Ids, Job, Split, Step, Unsupported
from inference import typed_errors
from layouts import Tensor, Tensors
from loaders import Batch, IdiomaticLoader
from model import KerasModel


class OpenModel(keras.Model):
    """Its training step is Keras's own. What went into it and what came out of it is added to the logs, for
    callbacks: there Keras has the mean of the losses so far, in float32, and nothing of the batch."""

    criterion: Callable[[Tensor, Tensors], Tensor]

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Tensor:
        self._loss = self.criterion(y_pred, y)
        return self._loss

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        logs: dict[str, Any] = super().compute_metrics(x, y, y_pred, sample_weight)
        return {**logs, "step": (x, y, y_pred, self._loss)}


class FitModel(KerasModel):
    """An epoch is one call of `fit`, which is told how many batches there are: where it has to find out, it
    begins one step too many, and dropout and Adam count it."""

    @typed_errors()
    def __init__(self, job: Job) -> None:
        if job.settings.loader != "idiomatic":
            raise Unsupported(f"loader {job.settings.loader} of variant fit")
        super().__init__(job)
        self._open = OpenModel(self.network.model.inputs, self.network.model.outputs[0])
        self._open.criterion = self._criterion
        self._open.jit_compile = False  # as in the other variants, whatever Keras would choose

    def reset(self) -> None:
        super().reset()
        if not self._open.compiled:
            self._open.compile(self._optimizer, jit_compile=False)

    def _dataset(self, split: Split, order: Sequence[Ids]) -> Any:
        loader = self._loaders[split.name]
        assert isinstance(loader, IdiomaticLoader)
        return loader.dataset(order)

    @typed_errors()
    def fit(self, split: Split, order: Sequence[Ids], after: Callable[[Batch, Step[Tensor]], None]) -> None:
        def report(_: int, logs: Mapping[str, Any]) -> None:
            inputs, targets, outputs, loss = logs["step"]
            after(Batch(inputs, targets), Step(outputs, loss))

        callbacks = [keras.callbacks.LambdaCallback(on_train_batch_end=report)]
        self._open.fit(
            self._dataset(split, order),
            steps_per_epoch=len(order),
            callbacks=callbacks,
            shuffle=False,
            verbose=0,
        )

    @typed_errors()
    def predict_all(
        self, split: Split, order: Sequence[Ids], after: Callable[[], None]
    ) -> Sequence[np.ndarray]:
        callbacks = [keras.callbacks.LambdaCallback(on_predict_batch_end=lambda batch, logs: after())]
        outputs = self._open.predict(
            self._dataset(split, order), steps=len(order), callbacks=callbacks, verbose=0
        )
        return np.split(outputs, np.cumsum([len(ids) for ids in order])[:-1])
