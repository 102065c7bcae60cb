"""A model in a file, or a folder, of a framework: where one is read from, and what one that is written is to
hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .data import Samples
from .errors import Unsupported
from .requests import Format, Precision


@dataclass(frozen=True)
class ModelFile:
    path: Path
    format: Format


@dataclass(frozen=True)
class Serialization(ModelFile):
    """All that a binding is told about a file that it writes."""

    precision: Precision
    training: bool  # whether it must be trainable where it is loaded
    optimizer: bool  # whether the optimizer's state goes in
    calibration: Samples | None  # for int8: inputs, without targets

    def require_at_most(
        self,
        *,
        precisions: Sequence[Precision] = ("float32",),
        training: bool = False,
        optimizer: bool = False,
    ) -> None:
        """Refuses, by name, what the binding cannot put into a file of this format."""
        if self.precision not in precisions:
            raise Unsupported(f"precision {self.precision} of format {self.format}")
        if self.training and not training:
            raise Unsupported("training of a serialized model")
        if self.optimizer and not optimizer:
            raise Unsupported(f"optimizer state in format {self.format}")
