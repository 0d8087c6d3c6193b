"""What a worker asks of those that were started to help it, whatever kind of processes they are."""

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol

from stovepipe_cli.work.local_workers import DeadWorker


class Fellows(Protocol):
    """More workers at the same run, started where the block begins and waited for where it ends."""

    @property
    def running(self) -> int:
        """How many have not ended."""
        ...

    @property
    def dead(self) -> Sequence[DeadWorker]:
        """Those of this host that ended otherwise than they should."""
        ...

    def look(self) -> object:
        """Take note of those that have ended."""
        ...

    def stop(self) -> None:
        """Pass on a stop, once: each ends at its next batch border."""
        ...

    def __enter__(self) -> object:
        """Start them."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        """Wait for them, which an error makes stop."""
        ...
