"""Writes a network as TorchScript, for every binding of PyTorch that infers by serialization."""

import os
import warnings
from pathlib import Path

import torch
from torch import fx


def export_torchscript(network: fx.GraphModule, path: Path) -> None:
    """The file holds code and parameters, in evaluation mode. It takes the inputs in the order of the graph,
    in batches of any size. It appears whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"torch\.jit\._check")  # PyTorch's own nn.LSTM has them
            torch.jit.script(network.eval()).save(str(temporary))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
