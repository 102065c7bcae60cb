"""Writes a model as a file of a framework."""

from typing import Any

from .data import read_batch
from .model import Job, Serializable
from .model_file import Serialization
from .requests import Format, Serialize


def serialize(job: Job, model: Serializable, request: Serialize, written: Format) -> dict[str, Any]:
    calibration = read_batch(request.calibration, job.graph) if request.calibration else None
    model.serialize(
        Serialization(
            request.path, written, request.precision, request.training, request.optimizer, calibration
        )
    )
    return {}
