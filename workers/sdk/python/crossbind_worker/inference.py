"""The inference procedure: load and forward of the whole test set under the timer, after a warm-up."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .data import Ids, Split, in_file_order, require
from .metrics import share_correct
from .model import Job, Model, WholeEpochs
from .reporter import Reporter
from .requests import Infer
from .safetensors import write_safetensors
from .stopwatch import Stopwatch

PARTS = ("load", "forward")


def passes(
    model: Model[Any, Any], split: Split, batches: Sequence[Ids], watch: Stopwatch, reporter: Reporter
) -> Iterator[Any]:
    """The output for each batch; what the caller does with it counts for no part."""
    if isinstance(model, WholeEpochs):
        yield from model.predict_all(split, batches, lambda: _passed(watch, reporter))
        return
    for _, batch in zip(batches, model.batches(split, batches), strict=True):
        watch.lap("load")
        outputs = model.predict(batch)
        watch.lap("forward")
        yield outputs
        _passed(watch, reporter)


def _passed(watch: Stopwatch, reporter: Reporter) -> None:
    watch.lap("step")
    reporter.check_cancelled()
    watch.mark()


def infer(job: Job, model: Model[Any, Any], request: Infer, reporter: Reporter) -> dict[str, Any]:
    settings = job.settings
    split = require(job.data.test, "test")
    batches = in_file_order(split, settings.batch_size)

    if warmup := batches[: settings.warmup_steps]:
        watch = Stopwatch(model.synchronize, ("step",))
        for _ in passes(model, split, warmup, watch, reporter):
            pass
        reporter.event("timings", phase="warmup", steps_ns=watch.parts["step"])

    watch = Stopwatch(model.synchronize, PARTS if settings.measure == "parts" else ())
    passed = list(passes(model, split, batches, watch, reporter))
    reporter.event("timings", phase="infer", **watch.stop())

    outputs = [model.to_host(tensor) for tensor in passed]
    accuracy = share_correct(outputs, batches, split)
    if request.outputs:
        write_safetensors(
            request.outputs, {"outputs": np.concatenate(outputs).astype(np.float32, copy=False)}
        )
    return {"samples": split.size, "accuracy": accuracy}
