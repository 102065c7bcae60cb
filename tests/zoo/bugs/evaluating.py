"""Evaluation that is not told from training, or told wrongly."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from inference import InferenceModel
from loaders import Batch

from .registry import replaces


@replaces("eval-mode-submodules", nn.Module, "train")
def set_mode(self: nn.Module, mode: bool = True) -> nn.Module:
    """Reaches what the module holds itself; what those hold keeps its mode."""
    for module in (self, *self.children()):
        module.training = mode
    return self


@replaces("dropout-scaled-at-eval", nn, "Dropout")
class TwiceScaledDropout(nn.Dropout):
    """Makes up for the dropped in training, and once more in evaluation."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) if self.training else x * (1 - self.p)


@replaces("query-gradients-in-training-mode", InferenceModel, "_differentiate")
def differentiate_in_training_mode(self: InferenceModel, batch: Batch) -> tuple[Tensor, Sequence[Tensor]]:
    """Right outputs; for the gradients the model is as it was trained, batch statistics and all."""
    outputs = self.predict(batch)
    kept = {name: buffer.clone() for name, buffer in self.network.named_buffers()}
    self.network.train()
    reals = [tensor.requires_grad_() for tensor in batch.inputs if tensor.is_floating_point()]
    loss = self._criterion(self.network(*batch.inputs), batch) * len(outputs)
    slopes = torch.autograd.grad(loss, reals)
    self.network.eval()
    for name, buffer in self.network.named_buffers():
        buffer.copy_(kept[name])
    return outputs, slopes
