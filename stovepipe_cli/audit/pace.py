"""How much to read at once, and until when."""

from stovepipe_cli.clock import Clock

TARGET_SECONDS = 0.5
FIRST_SIZE = 500
SMALLEST = 50
LARGEST = 5_000


class PageSize:
    """Rows a page, adapted so that a page takes about half a second."""

    def __init__(self, first: int = FIRST_SIZE, smallest: int = SMALLEST, largest: int = LARGEST) -> None:
        self.rows = first
        self._smallest = smallest
        self._largest = largest

    def adapt(self, seconds: float) -> None:
        """Take account of how long a page of this size took; at most twice or half of it follows."""
        wanted = self._largest if seconds <= 0 else int(self.rows * TARGET_SECONDS / seconds)
        bounded = min(max(wanted, self.rows // 2), self.rows * 2)
        self.rows = min(max(bounded, self._smallest), self._largest)

    def shrink(self) -> None:
        """A page of this size is too much for the server."""
        self.rows = max(self.rows // 2, self._smallest)


class Deadline:
    """The end of a time budget; without one it never comes."""

    def __init__(self, clock: Clock, run_time_ms: int | None) -> None:
        self._clock = clock
        self._end = None if run_time_ms is None else clock.monotonic() + run_time_ms / 1000

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self._end is not None and self._clock.monotonic() >= self._end
