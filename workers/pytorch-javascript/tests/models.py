"""Writes the TorchScript files of the tests into a folder: `python models.py FOLDER`."""

import sys
from pathlib import Path

import torch
from torch import Tensor, nn


class Linear(nn.Module):
    """Output i is the sum of the inputs, times i."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.fc = nn.Linear(5, classes, bias=False)
        self.fc.weight = nn.Parameter(torch.arange(float(classes))[:, None].repeat(1, 5))
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.fc(x))


class Tokens(nn.Module):
    """What the tokens stand for, twice that for the second segment, summed up where the mask is 1."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 3)
        self.table.weight = nn.Parameter(torch.arange(30.0).reshape(10, 3))

    def forward(self, tokens: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        rows = self.table(tokens) * (1 + segments)[:, :, None]
        return (rows * (mask != 0)[:, :, None]).sum(1)


class Pair(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x


if __name__ == "__main__":
    models = {"linear": Linear(3), "wide": Linear(4), "tokens": Tokens(), "pair": Pair()}
    with torch.no_grad():
        for name, model in models.items():
            torch.jit.script(model).save(str(Path(sys.argv[1]) / f"{name}.pt"))
