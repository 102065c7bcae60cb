"""What the procedures say while they run, and how they hear that they should stop."""

import time
from collections.abc import Callable
from typing import Any

from .errors import Failed

PROGRESS_INTERVAL_NS = 250_000_000


class Reporter:
    """Events of one request."""

    def __init__(self, send: Callable[..., None], cancelled: Callable[[], bool]) -> None:
        self._send = send
        self._cancelled = cancelled
        self._last_progress = time.perf_counter_ns()

    def event(self, event: str, **members: Any) -> None:
        self._send(event, **members)

    def progress(self, epoch: int, step: int, steps: int) -> None:
        """At most four a second are sent."""
        now = time.perf_counter_ns()
        if now - self._last_progress >= PROGRESS_INTERVAL_NS:
            self._last_progress = now
            self._send("progress", epoch=epoch, step=step, steps=steps)

    def check_cancelled(self) -> None:
        if self._cancelled():
            raise Failed("cancelled", "given up on request")
