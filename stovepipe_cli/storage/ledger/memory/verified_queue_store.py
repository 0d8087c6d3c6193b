"""Whole verifies on record in memory."""

from dataclasses import replace

from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.ledger import guards
from stovepipe_cli.storage.ledger.contract.verified_queue_store import VerifiedQueueStore
from stovepipe_cli.storage.ledger.memory.book import Book, spelled


class MemoryVerifiedQueueStore(VerifiedQueueStore):
    """A dictionary of records by target."""

    def __init__(self, book: Book, queue: str) -> None:
        self._book = book
        self._queue = queue

    def put(self, verified: VerifiedQueue) -> VerifiedQueue:
        guards.require_verified(self._queue, verified)
        given = replace(
            verified,
            queue=spelled(verified.queue),
            target=spelled(verified.target),
            run_id=spelled(verified.run_id),
            verdict=spelled(verified.verdict),
            boundary=spelled(verified.boundary),
            boundary_number=verified.boundary_number if verified.boundary else 0,
            version=1,
        )
        with self._book.writing(self._queue) as shelf:
            known = shelf.verified.get(key_bytes(verified.target))
            if known is None:
                shelf.verified[key_bytes(verified.target)] = given
                return given
            kept = known
            if given.verified_at_ms > known.verified_at_ms:
                kept = replace(kept, run_id=given.run_id, verdict=given.verdict, verified_at_ms=given.verified_at_ms)
            if given.boundary and (not known.boundary or given.boundary_number < known.boundary_number):
                kept = replace(kept, boundary=given.boundary, boundary_number=given.boundary_number)
            if kept != known:
                kept = replace(kept, version=known.version + 1)
                shelf.verified[key_bytes(verified.target)] = kept
            return kept

    def of(self, target: str) -> VerifiedQueue | None:
        with self._book.reading(self._queue) as shelf:
            return shelf.verified.get(key_bytes(target))
