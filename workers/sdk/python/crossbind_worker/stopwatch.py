"""The clock of an epoch."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


class Stopwatch:
    """Runs from its making until `stop`. With parts it also times each part of each step, the device
    synchronised between; without, nothing is timed inside."""

    def __init__(self, synchronize: Callable[[], None], parts: Sequence[str]) -> None:
        self._synchronize = synchronize
        self.parts: dict[str, list[int]] = {part: [] for part in parts}
        synchronize()
        self._start = self._mark = time.perf_counter_ns()

    def mark(self) -> None:
        """The next part begins here."""
        if self.parts:
            self._mark = time.perf_counter_ns()

    def lap(self, part: str) -> None:
        """The part ends here and the next one begins. One that is not timed is passed over."""
        if part in self.parts:
            self._synchronize()
            now = time.perf_counter_ns()
            self.parts[part].append(now - self._mark)
            self._mark = now

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._synchronize()  # or work of before would be waited for in the pause
        begin = time.perf_counter_ns()
        yield
        pause = time.perf_counter_ns() - begin
        self._start += pause
        self._mark += pause

    def stop(self) -> dict[str, int | list[int]]:
        """The members of a `timings` event."""
        self._synchronize()
        total = time.perf_counter_ns() - self._start
        return {"total_ns": total, **{f"{part}_ns": times for part, times in self.parts.items()}}
