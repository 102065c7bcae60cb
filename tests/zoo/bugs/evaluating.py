"""Evaluation that is not told from training, or told wrongly."""

from torch import Tensor, nn

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
