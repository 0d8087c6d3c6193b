"""Whole verifies on record in an SQL ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.errors import StorageUnavailable
from stovepipe_cli.storage.ledger import guards
from stovepipe_cli.storage.ledger.contract.verified_queue_store import VerifiedQueueStore
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.statements import Statements, keyed, written
from stovepipe_cli.storage.sql.database import Attempt
from stovepipe_cli.storage.sql.errors import DuplicateKey
from stovepipe_cli.storage.sql.session import Session

KEY = ("queue", "target")
# Each lost race means that another writer got its record in; more than a few at once are not to be expected.
RACES = 10


class SQLVerifiedQueueStore(VerifiedQueueStore):
    """One row a database, replaced by compare-and-set on its version."""

    def __init__(self, ledger: LedgerDatabase, statements: Statements, queue: str) -> None:
        self._ledger = ledger
        self._statements = statements
        self._queue = queue

    def put(self, verified: VerifiedQueue) -> VerifiedQueue:
        guards.require_verified(self._queue, verified)
        for _ in range(RACES):
            try:
                kept = self._ledger.write(lambda attempt: self._put(attempt, verified))
            except DuplicateKey:
                continue
            if kept is not None:
                return kept
        raise StorageUnavailable(
            f"the record of queue '{self._queue}' was changed by others at every try; nothing was written",
            hint="try again",
        )

    def of(self, target: str) -> VerifiedQueue | None:
        return self._ledger.read(lambda session: self._find(session, target), absent=None)

    def _put(self, attempt: Attempt, verified: VerifiedQueue) -> VerifiedQueue | None:
        """What is on record afterwards; None where it has changed meanwhile."""
        session, known = attempt.session, self._find(attempt.session, verified.target)
        if known is None:
            values = _values(replace(verified, version=1))
            session.change(self._statements.insert(), written(values))
            return _verified_of(tuple(values.values()))
        kept = _merged(known, verified)
        if kept == known:
            return known
        values = _values(replace(kept, version=known.version + 1))
        changes = {name: value for name, value in values.items() if name not in KEY}
        where = keyed(queue=values["queue"], target=values["target"], version=known.version)
        statement = self._statements.update(tuple(changes), ("version",))
        return (
            _verified_of(tuple(values.values())) if session.change(statement, {**written(changes), **where}) else None
        )

    def _find(self, session: Session, target: str) -> VerifiedQueue | None:
        key = keyed(queue=key_bytes(self._queue), target=key_bytes(target))
        rows = self._statements.rows(session, self._statements.find(), key)
        return _verified_of(rows[0]) if rows else None


def _merged(known: VerifiedQueue, given: VerifiedQueue) -> VerifiedQueue:
    latest = given if given.verified_at_ms > known.verified_at_ms else known
    is_lower = given.boundary != "" and (known.boundary == "" or given.boundary_number < known.boundary_number)
    lowest = given if is_lower else known
    return replace(
        known,
        run_id=latest.run_id,
        verdict=latest.verdict,
        verified_at_ms=latest.verified_at_ms,
        boundary=lowest.boundary,
        boundary_number=lowest.boundary_number,
    )


def _values(verified: VerifiedQueue) -> Mapping[str, object]:
    return {
        "queue": key_bytes(verified.queue),
        "target": key_bytes(verified.target),
        "run_id": key_bytes(verified.run_id),
        "verdict": key_bytes(verified.verdict),
        "verified_at_ms": verified.verified_at_ms,
        "boundary": key_bytes(verified.boundary),
        "boundary_number": verified.boundary_number if verified.boundary else 0,
        "version": verified.version,
    }


def _verified_of(row: Sequence[Any]) -> VerifiedQueue:
    queue, target, run_id, verdict, at, boundary, number, version = row
    return VerifiedQueue(
        queue=key_text(queue),
        target=key_text(target),
        run_id=key_text(run_id),
        verdict=key_text(verdict),
        verified_at_ms=int(at),
        boundary=key_text(boundary),
        boundary_number=int(number),
        version=int(version),
    )
