"""What a model needs to infer, however it came here: from parameters or from a TorchScript file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crossbind_worker import Answer, Failed, Ids, Job, Samples, Split, Unsupported
from loaders import LOADERS, Batch, ResidentLoader, to_samples
from losses import LOSSES


@contextmanager
def typed_errors() -> Iterator[None]:
    """PyTorch's ways to say that there is no memory left."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error):
            raise Failed("out_of_memory", str(error)) from error
        raise


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise Unsupported("device cuda")
    return torch.device(name)


class InferenceModel:
    """Of the SDK's Model, all that does not train."""

    network: nn.Module
    parameters: int

    @typed_errors()
    def __init__(self, job: Job) -> None:
        self.job = job
        self.device = _device(job.settings.device)
        torch.set_num_threads(job.settings.threads)
        threads = torch.get_num_threads()
        self.effective: Mapping[str, Any] = {"threads": threads} if threads != job.settings.threads else {}
        loader = LOADERS[job.settings.loader]
        splits = [split for split in (job.data.train, job.data.test) if split]
        self._loaders = {split.name: loader(split, self.device) for split in splits}
        self._is_recurrent = any(node.type in ("lstm", "gru") for node in job.graph.nodes)

    def batches(self, split: Split, order: Sequence[Ids]) -> Iterator[Batch]:
        with typed_errors():
            yield from self._loaders[split.name].batches(order)

    @typed_errors()
    def predict(self, batch: Batch) -> Tensor:
        if self.network.training:
            self.network.eval()
        with torch.inference_mode():
            outputs: Tensor = self.network(*batch.inputs)
        return outputs

    def _criterion(self, outputs: Tensor, batch: Batch) -> Tensor:
        return LOSSES[self.job.graph.loss](outputs, *batch.targets)

    @typed_errors()
    def query(self, batch: Samples, gradients: bool) -> Answer:
        given = ResidentLoader(batch, self.device).whole()
        reals = [each.name for each in self.job.graph.inputs if each.entries is None]
        if not (gradients and reals):
            return Answer(self.to_host(self.predict(given)))
        outputs, slopes = self._differentiate(given)
        return Answer(self.to_host(outputs), dict(zip(reals, map(self.to_host, slopes), strict=True)))

    def _differentiate(self, batch: Batch) -> tuple[Tensor, Sequence[Tensor]]:
        """The outputs, and the gradients of the sum of the losses by the inputs that have one. Those of the
        parameters are neither computed nor added to what they hold."""
        if self.network.training:
            self.network.eval()
        reals = [tensor.requires_grad_() for tensor in batch.inputs if tensor.is_floating_point()]
        # cuDNN goes back through a recurrent layer in training mode only.
        has_no_way_back = self._is_recurrent and self.device.type == "cuda"
        with torch.backends.cudnn.flags(enabled=False) if has_no_way_back else nullcontext():
            outputs: Tensor = self.network(*batch.inputs)
            loss = self._criterion(outputs, batch) * len(outputs)
            return outputs.detach(), torch.autograd.grad(loss, reals, materialize_grads=True)

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def to_host(self, tensor: Tensor) -> np.ndarray:
        return tensor.cpu().numpy()

    def reached(self, batch: Batch) -> Samples:
        return to_samples(batch, [given.name for given in self.job.graph.inputs], self.job.graph.targets)
