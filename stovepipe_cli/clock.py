"""Time as a value that logic is given: wall clock, monotonic clock and waiting."""

import time
from typing import Protocol


class Clock(Protocol):
    """What logic may ask of time."""

    def now_ms(self) -> int:
        """Unix milliseconds."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's own clocks."""

    def now_ms(self) -> int:
        """Unix milliseconds."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait; a signal may end the process, never the wait early."""
        time.sleep(seconds)
