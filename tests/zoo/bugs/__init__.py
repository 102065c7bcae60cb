"""Every bug by its name in zoo.toml; to call one is to have it."""

from . import building, dropping, evaluating, feeding, stepping
from .registry import BUGS

__all__ = ["BUGS", "building", "dropping", "evaluating", "feeding", "stepping"]
