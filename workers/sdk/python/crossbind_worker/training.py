"""The training procedure: warm-up, then for each epoch load, forward and backward of each batch under the
timer, and evaluation outside of it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .data import Ids, Split, cut, in_file_order, require
from .errors import bad_request, not_finite
from .metrics import count_correct, hashes
from .model import Job, Model, Step
from .reporter import Reporter
from .requests import Train
from .safetensors import write_safetensors
from .stopwatch import Stopwatch

PARTS = ("load", "forward", "backward")


@dataclass(frozen=True)
class Trainer:
    """What stays the same during one training."""

    job: Job
    model: Model[Any, Any]
    split: Split
    reporter: Reporter

    def steps(self, batches: Sequence[Ids], watch: Stopwatch) -> Iterator[tuple[Ids, Any, Step[Any]]]:
        """Each batch, after its step; what the caller does with it counts for no part."""
        for ids, batch in zip(batches, self.model.batches(self.split, batches), strict=True):
            watch.lap("load")
            step = self.model.forward(batch)
            watch.lap("forward")
            self.model.backward()
            watch.lap("backward")
            yield ids, batch, step
            self.reporter.check_cancelled()
            watch.mark()

    def warm_up(self, batches: Sequence[Ids]) -> None:
        if not batches:
            return
        watch = Stopwatch(self.model.synchronize, PARTS)
        for _ in self.steps(batches, watch):
            pass
        self.reporter.event("timings", phase="warmup", steps_ns=watch.steps())
        self.model.reset()

    def epoch(self, epoch: int, batches: Sequence[Ids], evidence: int) -> dict[str, float]:
        """Loss and training accuracy of one epoch."""
        running = self.job.settings.training_accuracy == "running"
        losses, outputs = [], []  # read when the timer has stopped: reading waits for the device
        watch = Stopwatch(self.model.synchronize, PARTS if self.job.settings.measure == "parts" else ())
        for number, (ids, batch, step) in enumerate(self.steps(batches, watch)):
            losses.append(step.loss)
            if running:
                outputs.append(step.outputs)
            if number < evidence or evidence < 0:
                with watch.paused():
                    self.show(epoch, number, ids, batch)
            self.reporter.progress(epoch, number + 1, len(batches))
        self.reporter.event("timings", phase="train", epoch=epoch, **watch.stop())
        loss = self.mean_loss(epoch, batches, losses)
        if not running:
            return {"loss": loss, "train_accuracy": accuracy(self.job, self.model, self.split, self.reporter)}
        correct = sum(
            count_correct(self.model.to_host(output), self.split.labels(ids))
            for ids, output in zip(batches, outputs, strict=True)
        )
        return {"loss": loss, "train_accuracy": correct / self.split.size}

    def show(self, epoch: int, number: int, ids: Ids, batch: Any) -> None:
        evidence = hashes(self.model.reached(batch))
        self.reporter.event("batch", epoch=epoch, batch=number, count=len(ids), ids=ids.tolist(), **evidence)

    def mean_loss(self, epoch: int, batches: Sequence[Ids], losses: Sequence[Any]) -> float:
        total = 0.0
        for number, (ids, tensor) in enumerate(zip(batches, losses, strict=True), 1):
            loss = float(self.model.to_host(tensor))
            if not math.isfinite(loss):
                raise not_finite(f"the loss of step {number} in epoch {epoch} is {loss}")
            total += loss * len(ids)
        return total / self.split.size


def accuracy(job: Job, model: Model[Any, Any], split: Split, reporter: Reporter) -> float:
    """Over a whole split, in evaluation mode."""
    correct = 0
    batches = in_file_order(split, job.settings.batch_size)
    for ids, batch in zip(batches, model.batches(split, batches), strict=True):
        correct += count_correct(model.to_host(model.predict(batch)), split.labels(ids))
        reporter.check_cancelled()
    return correct / split.size


def train(job: Job, model: Model[Any, Any], request: Train, reporter: Reporter) -> dict[str, Any]:
    """Always starts from what was prepared, and leaves the trained model behind."""
    if job.order is None:
        raise bad_request("the worker was prepared without an order")
    settings = job.settings
    trainer = Trainer(job, model, require(job.data.train, "training"), reporter)
    model.reset()
    trainer.warm_up(cut(job.order[0], settings.batch_size)[: settings.warmup_steps])
    steps = 0
    for number, ids in enumerate(job.order, 1):
        batches = cut(ids, settings.batch_size)
        steps += len(batches)
        metrics = trainer.epoch(number, batches, request.evidence)
        if job.data.test and (settings.evaluate == "every_epoch" or number == settings.epochs):
            metrics["test_accuracy"] = accuracy(job, model, job.data.test, reporter)
        reporter.event("epoch", epoch=number, **metrics)
    if request.save:
        write_safetensors(request.save, model.export())
    return {"steps": steps}
