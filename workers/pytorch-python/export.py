"""Writes a network as TorchScript, for every binding of PyTorch that infers by serialization, or as a
checkpoint. Files appear whole or not at all."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import fx, nn, optim


@contextmanager
def _in_place_of(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of the other in the end."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def export_torchscript(network: fx.GraphModule, path: Path) -> None:
    """The file holds code and parameters, in evaluation mode. It takes the inputs in the order of the graph,
    in batches of any size."""
    with _in_place_of(path) as temporary, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"torch\.jit\._check")  # PyTorch's own nn.LSTM has them
        torch.jit.script(network.eval()).save(str(temporary))


def export_checkpoint(network: nn.Module, optimizer: optim.Optimizer | None, path: Path) -> None:
    """The state dict; with an optimizer both of them, as PyTorch's tutorials name them."""
    state = network.state_dict()
    if optimizer is not None:
        state = {"model_state_dict": state, "optimizer_state_dict": optimizer.state_dict()}
    with _in_place_of(path) as temporary:
        torch.save(state, temporary)
