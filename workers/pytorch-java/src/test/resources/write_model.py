"""Writes a small model as TorchScript to the path that it is given. Prints its outputs for two samples, then
the gradients of the sum of their losses by the samples, in evaluation mode."""

import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.dropout(self.norm(x)))


net = Net()
net(torch.rand(8, 2))  # running statistics that are not 0 and 1
torch.jit.script(net.eval()).save(sys.argv[1])
x = torch.tensor([[1.0, 2.0], [4.0, 0.0]], requires_grad=True)
outputs = net(x)
nn.functional.cross_entropy(outputs, torch.tensor([0, 1]), reduction="sum").backward()
assert x.grad is not None
print(*outputs.flatten().tolist(), *x.grad.flatten().tolist())
