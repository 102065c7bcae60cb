"""The worker tensorflow/python."""

import platform
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from crossbind_worker import Hello, Job, Model, serve
from fit import FitModel
from model import KerasModel
from saved_step import SavedStepModel
from serialized import SerializedModel


def build(job: Job) -> Model[Any, Any]:
    variant = job.settings.variant
    if job.serialized:
        return (SavedStepModel if variant == "savedmodel" else SerializedModel)(job, job.serialized)
    return (FitModel if variant == "fit" else KerasModel)(job)


if __name__ == "__main__":
    tf.get_logger().setLevel("ERROR")  # it warns when a model is built for the fifth time
    versions = {
        "worker": "1",
        "python": platform.python_version(),
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "numpy": np.__version__,
    }
    sys.exit(serve(build, Hello.from_manifest(Path(__file__).with_name("worker.toml"), versions)))
