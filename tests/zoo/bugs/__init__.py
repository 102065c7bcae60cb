"""Every bug by its name in zoo.toml; to call one is to have it."""

from . import building, evaluating, feeding, stepping
from .registry import BUGS

__all__ = ["BUGS", "building", "evaluating", "feeding", "stepping"]
