"""A batch in, outputs and gradients back. Many small ones come one after another: nothing is done here that
an answer does not need."""

from typing import Any

import numpy as np

from .data import read_batch
from .errors import bad_input
from .metrics import check_finite
from .model import Job, Queryable
from .requests import Query
from .safetensors import write_safetensors


def query(job: Job, model: Queryable, request: Query) -> dict[str, Any]:
    batch = read_batch(request.batch, job.graph)
    if request.gradients and not batch.targets:
        raise bad_input(f"{request.batch}: gradients need {' and '.join(job.graph.targets)}")
    answer = model.query(batch, request.gradients)
    check_finite(answer.outputs)
    tensors = {"outputs": answer.outputs}
    if request.gradients:
        reals = (given.name for given in job.graph.inputs if given.entries is None)
        tensors |= {f"{name}.grad": answer.gradients[name] for name in reals}
    # ext4 sends a file to the disk at once when it takes the place of another: up to milliseconds for each.
    request.answer.unlink(missing_ok=True)
    write_safetensors(
        request.answer, {name: values.astype(np.float32, copy=False) for name, values in tensors.items()}
    )
    return {}
