"""Dropout that draws wrongly in training."""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from .registry import replaces


@replaces("dropout-does-nothing", nn, "Dropout")
class IdleDropout(nn.Dropout):
    def forward(self, x: Tensor) -> Tensor:
        return x


@replaces("dropout-unscaled", nn, "Dropout")
class UnscaledDropout(nn.Dropout):
    """Drops, and does not make up for it."""

    def forward(self, x: Tensor) -> Tensor:
        return x * (torch.rand_like(x) >= self.p) if self.training else x


@replaces("dropout-keeps-with-the-rate", nn, "Dropout")
class KeepingDropout(nn.Dropout):
    """Takes the rate for the share that is kept, and makes up for that of the dropped."""

    def forward(self, x: Tensor) -> Tensor:
        return x * (torch.rand_like(x) < self.p) / (1 - self.p) if self.training else x


@replaces("dropout-one-mask-a-batch", nn, "Dropout")
class SharedMaskDropout(nn.Dropout):
    def forward(self, x: Tensor) -> Tensor:
        return x * F.dropout(torch.ones_like(x[:1]), self.p, self.training)


@replaces("dropout-same-mask-every-step", nn, "Dropout")
class SeededDropout(nn.Dropout):
    """Seeds its generator when it is called, not when it is made."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        generator = torch.Generator(x.device).manual_seed(1)
        return x * (torch.rand(x.shape, generator=generator, device=x.device) >= self.p) / (1 - self.p)
