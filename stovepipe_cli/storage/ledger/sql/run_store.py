"""Runs of one queue in an SQL ledger."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.limits import MAX_INT32, MAX_INT64
from stovepipe_cli.entities.run import RUNNING, Run, RunEnd, RunStatus
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.guards import require_limit, require_time_cursor
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.run_store import RunListener, RunStore, TransitionOutcome
from stovepipe_cli.storage.ledger.sql.invocations import record_invocation
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.run_rows import end_values, invocation_of, run_of, run_values
from stovepipe_cli.storage.ledger.sql.run_tables import RunTables
from stovepipe_cli.storage.ledger.sql.statements import keyed, written
from stovepipe_cli.storage.ledger.tables import PRUNED_KINDS
from stovepipe_cli.storage.sql.database import Attempt
from stovepipe_cli.storage.sql.errors import DuplicateKey
from stovepipe_cli.storage.sql.session import Session, Statement

NO_RUNS: tuple[Run, ...] = ()


class SQLRunStore(RunStore):
    """Every write first changes the run's row, which locks it, so that what is read then is what is decided on."""

    def __init__(self, ledger: LedgerDatabase, tables: RunTables, queue: str, listener: RunListener | None) -> None:
        self._ledger = ledger
        self._tables = tables
        self._queue = queue
        self._listener = listener

    def save(self, run: Run) -> Run:
        guards.require_savable(self._queue, run)
        values = run_values(replace(run, version=run.version + 1))

        # A look that locks would, where there is no run, lock the gap in which others insert theirs.
        if run.version == 0 and self.find(run.run_id) is None:
            # What somebody else, or a try whose answer was lost, has inserted since is there to be compared with.
            with suppress(DuplicateKey):
                return self._ledger.write(lambda attempt: self._insert(attempt.session, values))
        return self._ledger.write(lambda attempt: self._save(attempt.session, run, values))

    def _insert(self, session: Session, values: Mapping[str, object]) -> Run:
        session.change(self._tables.runs.insert(), written(values))
        return run_of(tuple(values.values()))

    def _save(self, session: Session, run: Run, values: Mapping[str, object]) -> Run:
        row = self._tables.lock(session, values)
        if row is None:
            raise refusals.version_mismatch(run.run_id, run.version, 0)
        known = run_of(row)
        if known.is_ended:
            raise refusals.run_ended(run.run_id, known.status)
        theirs = run_values(known)
        if any(values[name] != theirs[name] for name in ("kind", "started_at_ms", "parent_run_id", "root_run_id")):
            raise refusals.origin_conflict(run.run_id)
        if values["header"] == theirs["header"]:
            return known
        if run.version != known.version:
            raise refusals.version_mismatch(run.run_id, run.version, known.version)
        changes = {name: values[name] for name in ("version", "header")}
        key = keyed(queue=values["queue"], run_id=values["run_id"])
        session.change(self._tables.runs.update(tuple(changes)), {**written(changes), **key})
        return run_of(tuple(values.values()))

    def record_invocation(self, invocation: Invocation) -> None:
        guards.require_recordable(self._queue, invocation)
        self._ledger.write(lambda attempt: record_invocation(attempt, self._tables, invocation))

    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        guards.require_end(run_id, end)
        token = secrets.token_hex(16)
        done = self._ledger.write(lambda attempt: self._end(attempt, run_id, end, token))
        if done is None:
            return "REPLAYED"
        if self._listener is not None:
            self._listener(done)
        return "APPLIED"

    def _end(self, attempt: Attempt, run_id: str, end: RunEnd, token: str) -> Run | None:
        """The run that this call has ended; None where it was ended in the same way before."""
        session, key = attempt.session, self._key(run_id)
        row = self._tables.lock(session, key)
        if row is None:
            raise refusals.run_absent(self._queue, run_id)
        known = run_of(row)
        if known.is_ended:
            ends = self._tables.ends
            _, _, status, finished, fingerprint, theirs, _ = ends.rows(session, ends.find(), keyed(**key))[0]
            if fingerprint != key_bytes(end.fingerprint):
                raise refusals.end_conflict(run_id, end, key_text(status), int(finished))
            return known if attempt.is_uncertain and theirs == key_bytes(token) else None
        told = {name: getattr(end, name) for name in ("counts", "failures", "stopped_because", "document")}
        header = replace(known.header, **{name: part for name, part in told.items() if part is not None})
        ended = replace(known, header=header, status=end.status, finished_at_ms=end.finished_at_ms)
        values = run_values(ended)
        changes = {name: values[name] for name in ("status", "finished_at_ms", "header")}
        session.change(self._tables.runs.update(tuple(changes)), {**written(changes), **keyed(**key)})
        is_prunable = end.status == "COMPLETED" and known.kind in PRUNED_KINDS
        session.change(self._tables.ends.insert(), written(end_values(known, end, token, is_prunable=is_prunable)))
        return run_of(tuple(values.values()))

    def find(self, run_id: str) -> Run | None:
        return self._ledger.read(lambda session: self._find(session, run_id), absent=None)

    def invocations_of(
        self, run_id: str, *, limit: int, after: tuple[int, int, str] | None = None
    ) -> tuple[Invocation, ...]:
        require_limit(limit)
        values = {**keyed(**self._key(run_id)), "limit": _most(limit)}
        if after is not None:
            step, attempt = (min(max(each, -1), MAX_INT32) for each in after[:2])
            values |= keyed(step_index=step, attempt=attempt, invocation_id=key_bytes(after[2]))
        table = self._tables.invocations
        statement = table.plan(is_after=after is not None)

        def work(session: Session) -> tuple[Invocation, ...]:
            return tuple(map(invocation_of, table.rows(session, statement, values)))

        return self._ledger.read(work, absent=())

    def runs_in_queue(
        self, *, limit: int, since_ms: int | None = None, before: tuple[int, str] | None = None
    ) -> tuple[Run, ...]:
        require_limit(limit)
        guards.require_since(since_ms)
        require_time_cursor(before)
        values: dict[str, object] = {}
        if before is not None:
            values = keyed(newest_first=min(-before[0], MAX_INT64), run_id=key_bytes(before[1]))
        return self._listed(_Listing(None, limit, since_ms, is_before=before is not None), values)

    def children_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        require_limit(limit)
        return self._listed(_Listing("parent_run_id", limit), keyed(parent_run_id=key_bytes(run_id)))

    def runs_of_root(self, root_run_id: str, *, limit: int, since_ms: int | None = None) -> tuple[Run, ...]:
        require_limit(limit)
        guards.require_since(since_ms)
        # The root names no root, so it is found by its own id; two short looks spare the server a union.
        of_root = self._listed(_Listing("root_run_id", limit, since_ms), keyed(root_run_id=key_bytes(root_run_id)))
        root = self._listed(_Listing("run_id", 1, since_ms), keyed(run_id=key_bytes(root_run_id)))
        found = {key_bytes(run.run_id): run for run in (*root, *of_root)}
        return tuple(sorted(found.values(), key=lambda run: (-run.started_at_ms, key_bytes(run.run_id)))[:limit])

    def ancestors_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        require_limit(limit)

        def work(session: Session) -> tuple[Run, ...]:
            line: list[Run] = []
            met = {key_bytes(run_id)}
            run = self._find(session, run_id)
            while run is not None and run.parent_run_id is not None and len(line) < limit:
                if key_bytes(run.parent_run_id) in met:
                    break
                met.add(key_bytes(run.parent_run_id))
                run = self._find(session, run.parent_run_id)
                line.extend([] if run is None else [run])
            return tuple(line)

        return self._ledger.read(work, absent=NO_RUNS)

    def counts_by_status(self) -> Mapping[RunStatus, int]:
        values = keyed(queue=key_bytes(self._queue))
        none: Sequence[tuple[Any, ...]] = ()
        found = self._ledger.read(lambda session: session.rows(self._tables.runs.counts(), values), absent=none)
        counts: dict[RunStatus, int] = dict.fromkeys((RUNNING, "COMPLETED", "FAILED", "CANCELLED"), 0)
        known = {key_text(status): int(count) for status, count in found}
        return {status: known.get(status, 0) for status in counts}

    def _key(self, run_id: str) -> dict[str, object]:
        return {"queue": key_bytes(self._queue), "run_id": key_bytes(run_id)}

    def _find(self, session: Session, run_id: str) -> Run | None:
        rows = self._tables.runs.rows(session, self._tables.runs.find(), keyed(**self._key(run_id)))
        return run_of(rows[0]) if rows else None

    def _listed(self, listing: "_Listing", values: Mapping[str, object]) -> tuple[Run, ...]:
        statement = listing.statement(self._tables)
        all_values = {**keyed(queue=key_bytes(self._queue)), **values, **listing.values()}
        return self._ledger.read(
            lambda session: tuple(map(run_of, self._tables.runs.rows(session, statement, all_values))), absent=NO_RUNS
        )


@dataclass(frozen=True, slots=True)
class _Listing:
    """A page of runs, newest first: those with one column's value, or all."""

    column: str | None
    limit: int
    since_ms: int | None = None
    is_before: bool = False

    def statement(self, tables: RunTables) -> Statement:
        return tables.runs.newest(self.column, is_since=self.since_ms is not None, is_before=self.is_before)

    def values(self) -> dict[str, object]:
        since: dict[str, object] = {} if self.since_ms is None else {"since": -self.since_ms}
        return {**since, "limit": _most(self.limit)}


def _most(limit: int) -> int:
    return min(limit, MAX_INT32)
