"""The training procedure: warm-up, then for each epoch load, forward and backward of each batch under the
timer, and evaluation outside of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .data import Ids, Split, cut, in_file_order, require
from .errors import bad_request, not_finite
from .inference import passes
from .metrics import Score, hashes, score, share_correct
from .model import Job, Model, Step, WholeEpochs
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

    def steps(
        self, batches: Sequence[Ids], watch: Stopwatch, after: Callable[[Any, Step[Any]], None]
    ) -> None:
        """One for each batch; what `after` does with a batch and its step counts for no part."""

        def finished(batch: Any, step: Step[Any]) -> None:
            after(batch, step)
            self.reporter.check_cancelled()
            watch.mark()

        if isinstance(self.model, WholeEpochs):
            self.model.fit(self.split, batches, finished)
            return
        for _, batch in zip(batches, self.model.batches(self.split, batches), strict=True):
            watch.lap("load")
            step = self.model.forward(batch)
            watch.lap("forward")
            self.model.backward()
            watch.lap("backward")
            finished(batch, step)

    def warm_up(self, batches: Sequence[Ids]) -> None:
        if not batches:
            return
        watch = Stopwatch(self.model.synchronize, ("step",))
        self.steps(batches, watch, lambda batch, step: watch.lap("step"))
        self.reporter.event("timings", phase="warmup", steps_ns=watch.parts["step"])
        self.model.reset()

    def epoch(self, epoch: int, batches: Sequence[Ids], evidence: int) -> dict[str, float]:
        """Loss and training accuracy of one epoch."""
        running = self.job.settings.training_accuracy == "running"
        losses: list[Any] = []  # read when the timer has stopped: reading waits for the device
        outputs: list[Any] = []
        watch = Stopwatch(self.model.synchronize, PARTS if self.job.settings.measure == "parts" else ())

        def keep(batch: Any, step: Step[Any]) -> None:
            number = len(losses)
            losses.append(step.loss)
            if running:
                outputs.append(step.outputs)
            if number < evidence or evidence < 0:
                with watch.paused():
                    self.show(epoch, number, batches[number], batch)
            self.reporter.progress(epoch, number + 1, len(batches))

        self.steps(batches, watch, keep)
        self.reporter.event("timings", phase="train", epoch=epoch, **watch.stop())
        loss = self.mean_loss(epoch, batches, losses)
        if not running:
            evaluated = evaluate(self.job, self.model, self.split, self.reporter)
            return {"loss": loss, "train_accuracy": evaluated.accuracy}
        return {
            "loss": loss,
            "train_accuracy": share_correct(map(self.model.to_host, outputs), batches, self.split),
        }

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


def evaluate(job: Job, model: Model[Any, Any], split: Split, reporter: Reporter) -> Score:
    """Over a whole split, in evaluation mode."""
    batches = in_file_order(split, job.settings.batch_size)
    outputs = passes(model, split, batches, Stopwatch(model.synchronize, ()), reporter)
    return score(map(model.to_host, outputs), batches, split, job.graph.loss)


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
            tested = evaluate(job, model, job.data.test, reporter)
            metrics |= {"test_accuracy": tested.accuracy, "test_loss": tested.loss}
        reporter.event("epoch", epoch=number, **metrics)
    if request.save:
        write_safetensors(request.save, model.export())
    return {"steps": steps}
