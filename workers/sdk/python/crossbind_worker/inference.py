"""The inference procedure: load and forward of the whole test set under the timer, after a warm-up."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .data import Ids, Split, in_file_order, require
from .metrics import count_correct
from .model import Job, Model
from .reporter import Reporter
from .requests import Infer
from .safetensors import write_safetensors
from .stopwatch import Stopwatch

PARTS = ("load", "forward")


def _passes(
    model: Model[Any, Any], split: Split, batches: Sequence[Ids], watch: Stopwatch, reporter: Reporter
) -> Iterator[Any]:
    for _, batch in zip(batches, model.batches(split, batches), strict=True):
        watch.lap("load")
        outputs = model.predict(batch)
        watch.lap("forward")
        yield outputs
        reporter.check_cancelled()
        watch.mark()


def infer(job: Job, model: Model[Any, Any], request: Infer, reporter: Reporter) -> dict[str, Any]:
    settings = job.settings
    split = require(job.data.test, "test")
    batches = in_file_order(split, settings.batch_size)

    if warmup := batches[: settings.warmup_steps]:
        watch = Stopwatch(model.synchronize, PARTS)
        for _ in _passes(model, split, warmup, watch, reporter):
            pass
        reporter.event("timings", phase="warmup", steps_ns=watch.steps())

    watch = Stopwatch(model.synchronize, PARTS if settings.measure == "parts" else ())
    passes = list(_passes(model, split, batches, watch, reporter))
    reporter.event("timings", phase="infer", **watch.stop())

    outputs = [model.to_host(tensor) for tensor in passes]
    correct = sum(count_correct(rows, split.labels(ids)) for rows, ids in zip(outputs, batches, strict=True))
    if request.outputs:
        write_safetensors(
            request.outputs, {"outputs": np.concatenate(outputs).astype(np.float32, copy=False)}
        )
    return {"samples": split.size, "accuracy": correct / split.size}
