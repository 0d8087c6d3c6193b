"""Holds in an SQL ledger."""

from typing import Any

from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.hold_store import HoldStore
from stovepipe_cli.storage.ledger.documents import document_of, document_text
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.packing import packed, unpacked
from stovepipe_cli.storage.ledger.sql.run_tables import RunTables
from stovepipe_cli.storage.ledger.sql.statements import Statements, keyed, written
from stovepipe_cli.storage.sql.database import Attempt
from stovepipe_cli.storage.sql.session import Session


class SQLHoldStore(HoldStore):
    """One row a held run, put under the lock of the run."""

    def __init__(self, ledger: LedgerDatabase, runs: RunTables, holds: Statements, queue: str) -> None:
        self._ledger = ledger
        self._runs = runs
        self._holds = holds
        self._queue = queue

    def put(self, run_id: str, *, reason: str, actor: str) -> RunHold:
        guards.require_run_id(run_id)
        document = packed(document_text(f"hold of run '{run_id}'", {"reason": reason, "actor": actor}))

        def work(attempt: Attempt) -> RunHold:
            session = attempt.session
            if self._runs.lock_for_status(session, self._key(run_id)) is None:
                raise refusals.run_absent(self._queue, run_id)
            known = self._find(session, run_id)
            if known is not None:
                return known
            values = {**self._key(run_id), "since_ms": self._holds.now(session), "document": document}
            session.change(self._holds.insert(), written(values))
            return _hold_of(tuple(values.values()))

        return self._ledger.write(work)

    def lift(self, run_id: str) -> bool:
        seen: list[bool] = []

        def work(attempt: Attempt) -> bool:
            # A try whose answer was lost may have lifted it, and the next one finds none.
            seen.append(bool(attempt.session.change(self._holds.delete(), keyed(**self._key(run_id)))))
            return any(seen) if attempt.is_uncertain else seen[-1]

        return self._ledger.write(work)

    def of(self, run_id: str) -> RunHold | None:
        return self._ledger.read(lambda session: self._find(session, run_id), absent=None)

    def _find(self, session: Session, run_id: str) -> RunHold | None:
        rows = self._holds.rows(session, self._holds.find(), keyed(**self._key(run_id)))
        return _hold_of(rows[0]) if rows else None

    def _key(self, run_id: str) -> dict[str, object]:
        return {"queue": key_bytes(self._queue), "run_id": key_bytes(run_id)}


def _hold_of(row: tuple[Any, ...]) -> RunHold:
    queue, run_id, since, raw = row
    document = document_of(unpacked(raw), f"hold of run '{key_text(run_id)}'")
    return RunHold(key_text(queue), key_text(run_id), document["reason"], document["actor"], int(since))
