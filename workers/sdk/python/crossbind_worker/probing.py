"""One step, taken apart: reads where it starts, writes what is wanted of it."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from .data import read_batch, read_parameters
from .errors import Unsupported, bad_input, not_finite
from .model import Job, Model, State
from .requests import Probe
from .safetensors import write_safetensors


def _read_state(job: Job, path: Path, step: int) -> State:
    parameters, others = read_parameters(path, job.graph)
    moments = {}
    for name, values in others.items():
        parameter, _, moment = name.rpartition(".state.")
        if moment not in ("m", "v") or parameter not in parameters:
            continue
        if values.shape != parameters[parameter].shape or values.dtype != np.float32:
            raise bad_input(f"{path}: '{name}' has not the type and shape of its parameter")
        moments[name] = values
    return State(parameters, moments, step)


def _start(job: Job, request: Probe) -> State:
    if job.serialized:
        if request.mode == "train":
            raise Unsupported("training of a serialized model")
        if request.state:
            raise Unsupported("parameters of a serialized model")
    if request.state:
        return _read_state(job, request.state, request.step)
    return State(job.weights, {}, request.step)


def probe(job: Job, model: Model[Any, Any], request: Probe) -> dict[str, Any]:
    batch = read_batch(request.batch, job.graph)
    train = request.mode == "train"
    if train and not batch.targets:
        raise bad_input(f"{request.batch}: a training step needs {' and '.join(job.graph.targets)}")
    probed = model.probe(_start(job, request), batch, train=train, dropout=request.dropout)
    if probed.loss is not None and not math.isfinite(probed.loss):
        raise not_finite(f"the loss of the step is {probed.loss}")
    found = {
        name: probed.tensors[name].astype(np.float32, copy=False)
        for name in request.wanted
        if name in probed.tensors
    }
    fused = [name for name in request.wanted if name in probed.fused and name not in found]
    path = request.directory / f"{request.id}.safetensors"
    write_safetensors(path, found)
    reply = {
        "tensors": str(path),
        "fused": fused,
        "missing": [name for name in request.wanted if name not in found and name not in fused],
    }
    return reply if probed.loss is None else reply | {"loss": probed.loss}
