"""The worker pytorch/python."""

import os
import platform
import sys
from pathlib import Path

import numpy as np
import torch

from crossbind_worker import Hello, Job, serve
from graphed import GraphedModel
from model import TorchModel
from serialized import SerializedModel


def build(job: Job) -> SerializedModel | TorchModel:
    if job.serialized:
        return SerializedModel(job, job.serialized)
    return GraphedModel(job) if job.settings.variant == "graph" else TorchModel(job)


if __name__ == "__main__":
    torch.set_num_interop_threads(1)
    torch.set_float32_matmul_precision("highest")  # no TF32; cuDNN has a switch of its own
    torch.backends.cudnn.allow_tf32 = False
    if "CROSSBIND_REPEATABLE" in os.environ and torch.cuda.is_available():
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # cuBLAS reads it when it starts
        torch.use_deterministic_algorithms(True, warn_only=True)
    versions = {
        "worker": "1",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda or "none",
        "numpy": np.__version__,
    }
    sys.exit(serve(build, Hello.from_manifest(Path(__file__).with_name("worker.toml"), versions)))
