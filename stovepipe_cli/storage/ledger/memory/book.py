"""Everything that one ledger in memory holds, behind one lock."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.errors import StorageReadOnly
from stovepipe_cli.storage.ledger.memory.records import InvocationRecord, RunRecord, Workflow


@dataclass(slots=True)
class Shelf:
    """What one queue has. Every key is the bytes of an id."""

    runs: dict[bytes, RunRecord] = field(default_factory=dict)
    invocations: dict[bytes, dict[bytes, InvocationRecord]] = field(default_factory=dict)
    workflows: dict[bytes, Workflow] = field(default_factory=dict)
    holds: dict[bytes, RunHold] = field(default_factory=dict)
    verified: dict[bytes, VerifiedQueue] = field(default_factory=dict)

    def forget(self, run: bytes) -> None:
        """Drop a run with all that belongs to it."""
        for shelf in (self.runs, self.invocations, self.workflows, self.holds):
            shelf.pop(run, None)


class Book:
    """All queues. Hold it open for reading or writing around each use; results leave it as copies."""

    def __init__(
        self,
        clock: Callable[[], int],
        listener: Callable[[Run], None] | None,
        *,
        most_runs: int,
        is_read_only: bool,
    ) -> None:
        self.clock = clock
        self.listener = listener
        self.is_read_only = is_read_only
        self.identity = str(uuid.uuid4())
        self._most_runs = most_runs
        self._lock = threading.RLock()
        self._shelves: dict[bytes, Shelf] = {}

    @contextmanager
    def reading(self, queue: str) -> Iterator[Shelf]:
        """What a queue has."""
        with self._lock:
            yield self._shelves.get(key_bytes(queue)) or Shelf()

    @contextmanager
    def writing(self, queue: str) -> Iterator[Shelf]:
        """The same, to change. `StorageReadOnly` where the ledger was opened for reading only."""
        self.refuse_if_read_only()
        with self._lock:
            yield self._shelves.setdefault(key_bytes(queue), Shelf())
            self._forget_oldest()

    @contextmanager
    def everything(self) -> Iterator[tuple[tuple[str, Shelf], ...]]:
        """Every queue by name, in byte order."""
        with self._lock:
            yield tuple((key_text(name), shelf) for name, shelf in sorted(self._shelves.items(), key=lambda it: it[0]))

    def refuse_if_read_only(self) -> None:
        """`StorageReadOnly` where nothing may be written."""
        if self.is_read_only:
            raise StorageReadOnly(
                "the ledger in memory was opened for reading only; nothing was written", hint="open it for writing"
            )

    def _forget_oldest(self) -> None:
        excess = sum(len(shelf.runs) for shelf in self._shelves.values()) - self._most_runs
        if excess <= 0:
            return
        ended = sorted(
            (record.run.finished_at_ms, name, run)
            for name, shelf in self._shelves.items()
            for run, record in shelf.runs.items()
            if record.run.finished_at_ms is not None
        )
        for _, name, run in ended[:excess]:
            self._shelves[name].forget(run)


def spelled(text: str) -> str:
    """An identifier in the one spelling that its bytes have."""
    return key_text(key_bytes(text))
