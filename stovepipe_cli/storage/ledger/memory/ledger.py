"""An open ledger in memory, for as long as it lives."""

import time
from collections.abc import Callable

from stovepipe_cli.entities.run import Run
from stovepipe_cli.storage.contract.guards import require_queue_name
from stovepipe_cli.storage.ledger.contract.ledger import Ledger, QueueLedger
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin
from stovepipe_cli.storage.ledger.memory.book import Book
from stovepipe_cli.storage.ledger.memory.hold_store import MemoryHoldStore
from stovepipe_cli.storage.ledger.memory.ledger_admin import MemoryLedgerAdmin
from stovepipe_cli.storage.ledger.memory.run_store import MemoryRunStore
from stovepipe_cli.storage.ledger.memory.step_store import MemoryStepStore
from stovepipe_cli.storage.ledger.memory.verified_queue_store import MemoryVerifiedQueueStore

MOST_RUNS = 10_000


def system_clock_ms() -> int:
    """Now, in Unix milliseconds."""
    return time.time_ns() // 1_000_000


class MemoryLedger(Ledger):
    """Keeps at most `most_runs` runs, beyond which it forgets those that ended first, never one that is RUNNING."""

    def __init__(
        self,
        *,
        clock: Callable[[], int] = system_clock_ms,
        listener: Callable[[Run], None] | None = None,
        most_runs: int = MOST_RUNS,
        read_only: bool = False,
    ) -> None:
        self._book = Book(clock, listener, most_runs=most_runs, is_read_only=read_only)
        self._admin = MemoryLedgerAdmin(self._book)

    def for_queue(self, name: str) -> QueueLedger:
        require_queue_name(name)
        return QueueLedger(
            queue=name,
            runs=MemoryRunStore(self._book, name),
            steps=MemoryStepStore(self._book, name),
            holds=MemoryHoldStore(self._book, name),
            verified=MemoryVerifiedQueueStore(self._book, name),
        )

    @property
    def admin(self) -> LedgerAdmin:
        return self._admin

    @property
    def is_private(self) -> bool:
        return True

    @property
    def place(self) -> str:
        return "memory"

    def close(self) -> None:
        return
