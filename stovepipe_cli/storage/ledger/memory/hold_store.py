"""Holds in memory."""

from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.hold_store import HoldStore
from stovepipe_cli.storage.ledger.memory.book import Book, spelled


class MemoryHoldStore(HoldStore):
    """A dictionary of holds."""

    def __init__(self, book: Book, queue: str) -> None:
        self._book = book
        self._queue = queue

    def put(self, run_id: str, *, reason: str, actor: str) -> RunHold:
        guards.require_run_id(run_id)
        hold = RunHold(spelled(self._queue), spelled(run_id), spelled(reason), spelled(actor), self._book.clock())
        with self._book.writing(self._queue) as shelf:
            if key_bytes(run_id) not in shelf.runs:
                raise refusals.run_absent(self._queue, run_id)
            return shelf.holds.setdefault(key_bytes(run_id), hold)

    def lift(self, run_id: str) -> bool:
        with self._book.writing(self._queue) as shelf:
            return shelf.holds.pop(key_bytes(run_id), None) is not None

    def of(self, run_id: str) -> RunHold | None:
        with self._book.reading(self._queue) as shelf:
            return shelf.holds.get(key_bytes(run_id))
