"""A bound on rows a second."""

from stovepipe_cli.clock import Clock

# Unused time is not saved up beyond this, so that a pause is not followed by a burst.
MOST_SAVED_SECONDS = 1.0


class Pace:
    """Says how long to wait, so that rows come no faster than asked; None is no bound."""

    def __init__(self, clock: Clock, rows_a_second: float | None) -> None:
        self._clock = clock
        self._rate = rows_a_second
        self._due = clock.monotonic()

    def took(self, rows: int) -> None:
        """Account for rows that were handled just now."""
        if self._rate is not None:
            earliest = self._clock.monotonic() - MOST_SAVED_SECONDS
            self._due = max(self._due, earliest) + rows / self._rate

    @property
    def wait_seconds(self) -> float:
        """How long to wait before the next rows, at least 0."""
        return max(0.0, self._due - self._clock.monotonic()) if self._rate is not None else 0.0
