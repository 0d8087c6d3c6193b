"""How many rows to write at once: as many as take about half a second."""

from dataclasses import dataclass

from stovepipe_cli.errors import UsageError

TARGET_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class BatchBounds:
    """Rows a batch: the first one, and the fewest and the most that it is adapted to."""

    first: int = 500
    floor: int = 10
    ceiling: int = 10_000

    def validate(self) -> None:
        """Raise `UsageError` for bounds that exclude each other."""
        if not 1 <= self.floor <= self.first <= self.ceiling:
            raise UsageError(
                f"batches from {self.floor} over {self.first} to {self.ceiling} rows cannot be",
                hint="give a positive floor, and then no smaller number each time",
            )


class BatchSize:
    """Adapted after every batch, at most to twice or half of what it was. `reason` says why it is what it is."""

    def __init__(self, bounds: BatchBounds) -> None:
        bounds.validate()
        self._bounds = bounds
        self.rows = bounds.first
        self.reason = "first batch"

    def took(self, rows: int, seconds: float) -> None:
        """Take account of how long a batch of that many rows took; one without rows says nothing."""
        if rows <= 0:
            return
        # A small rest of a step still tells what a row costs.
        wanted = self._bounds.ceiling if seconds <= 0 else int(rows * TARGET_SECONDS / seconds)
        bounded = min(max(wanted, self.rows // 2), self.rows * 2)
        self.rows = min(max(bounded, self._bounds.floor), self._bounds.ceiling)
        self.reason = f"{rows} rows took {seconds:.2f} s, {TARGET_SECONDS:g} s are meant"
        if self.rows == self._bounds.ceiling:
            self.reason += f"; never more than {self.rows}"
        elif self.rows == self._bounds.floor:
            self.reason += f"; never fewer than {self.rows}"
