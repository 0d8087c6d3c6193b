"""What a backfill is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from stovepipe_cli.errors import UsageError

DEFAULT_BATCH = 1000
LARGEST_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class BackfillOptions:
    """`batch` requests are read and mapped at a time, at first. The window is of acceptance times, its end left out."""

    batch: int = DEFAULT_BATCH
    since_ms: int | None = None
    until_ms: int | None = None

    def validate(self) -> None:
        """Raise `UsageError` for a batch or a window that cannot be."""
        if not 1 <= self.batch <= LARGEST_BATCH:
            raise UsageError(f"a batch of {self.batch} requests cannot be", hint=f"give 1 to {LARGEST_BATCH}")
        if self.since_ms is not None and self.until_ms is not None and self.since_ms >= self.until_ms:
            raise UsageError("--since is not before --until", hint="give the earlier time to --since")

    def contains(self, accepted_at_ms: int) -> bool:
        """Whether an acceptance time lies in the window."""
        return (self.since_ms is None or accepted_at_ms >= self.since_ms) and (
            self.until_ms is None or accepted_at_ms < self.until_ms
        )

    def as_json(self) -> dict[str, object]:
        """What defines the job; how large its batches are does not."""
        return {"since_ms": self.since_ms, "until_ms": self.until_ms}

    @classmethod
    def from_json(cls, kept: Mapping[str, object], *, batch: int = DEFAULT_BATCH) -> Self:
        """The options that a run was started with."""
        since_ms, until_ms = kept.get("since_ms"), kept.get("until_ms")
        return cls(
            batch,
            since_ms if isinstance(since_ms, int) else None,
            until_ms if isinstance(until_ms, int) else None,
        )
