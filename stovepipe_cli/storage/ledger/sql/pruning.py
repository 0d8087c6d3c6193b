"""The work of completed runs, removed a run at a time in short transactions, so that a crash leaves only less to do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ClauseElement, ColumnElement

from stovepipe_cli.keys import key_text
from stovepipe_cli.storage.ledger.contract.ledger_admin import Pruned
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.run_tables import RunTables
from stovepipe_cli.storage.ledger.sql.statements import Statements, keyed, written
from stovepipe_cli.storage.ledger.sql.workflow import StepTables
from stovepipe_cli.storage.sql.ranges import Bound, beyond
from stovepipe_cli.storage.sql.session import Session, Statement

RUNS_A_READ = 100
EVENTS_A_DELETE = 5_000
NO_ROWS: Sequence[tuple[Any, ...]] = ()
PLACE = ("finished_at_ms", "queue", "run_id")


@dataclass(frozen=True, slots=True)
class Work:
    """What is there of one run: rows by kind, and the number of its latest event."""

    queue: bytes
    run_id: bytes
    events: int
    steps: int
    invocations: int
    latest: int

    @property
    def key(self) -> dict[str, object]:
        """The run, as a parameter."""
        return keyed(queue=self.queue, run_id=self.run_id)


class Pruning:
    """Reads and removes the work of runs of any queue."""

    def __init__(self, ledger: LedgerDatabase, runs: RunTables, steps: StepTables) -> None:
        self._ledger = ledger
        self._runs = runs
        self._steps = steps

    def prune(self, finished_before_ms: int, limit: int, *, dry_run: bool) -> Pruned:
        """Remove the work of at most `limit` runs, or say what that would be."""
        done: list[Work] = []
        for work in self._candidates(finished_before_ms):
            if work.events or work.steps or work.invocations:
                done.append(work)
            if not dry_run:
                self._remove(work)
            if len(done) == limit:
                break
        return Pruned(
            runs=len(done),
            events=sum(work.events for work in done),
            steps=sum(work.steps for work in done),
            invocations=sum(work.invocations for work in done),
            run_ids=tuple((key_text(work.queue), key_text(work.run_id)) for work in done),
        )

    def _candidates(self, finished_before_ms: int) -> Iterator[Work]:
        place: dict[str, object] = keyed(finished_at_ms=-1, queue=b"", run_id=b"")
        while True:
            rows = self._page({**place, "before": finished_before_ms, "limit": RUNS_A_READ})
            for finished, queue, run_id in rows:
                place = keyed(finished_at_ms=finished, queue=queue, run_id=run_id)
                yield self._work_of(queue, run_id)
            if len(rows) < RUNS_A_READ:
                return

    def _page(self, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        statement = _prunable(self._runs.ends)
        return self._ledger.read(lambda session: session.rows(statement, values), absent=NO_ROWS)

    def _work_of(self, queue: bytes, run_id: bytes) -> Work:
        key = keyed(queue=queue, run_id=run_id)

        def work(session: Session) -> Work:
            events, latest = session.rows(self._steps.events.count(), key)[0]
            steps = sum(int(count) for _, count in session.rows(self._steps.steps.counts(), key))
            invocations = session.rows(self._runs.invocations.count(), key)[0][0]
            return Work(queue, run_id, int(events), steps, int(invocations), int(latest))

        return self._ledger.read(work, absent=Work(queue, run_id, 0, 0, 0, 0))

    def _remove(self, work: Work) -> None:
        for upto in (*range(EVENTS_A_DELETE, work.latest, EVENTS_A_DELETE), work.latest):
            values = {**work.key, "upto": upto}
            self._change(self._steps.events.delete_up_to(), values)
        self._change(self._steps.steps.delete_steps(), work.key)
        self._change(self._steps.steps.delete(), {**work.key, **keyed(step_index=-1)})
        self._change(self._runs.invocations.delete_all(), work.key)
        # Last, so that a run whose removal was broken off comes up again.
        self._change(self._runs.ends.update(("prunable",)), {**work.key, **written({"prunable": 0})})

    def _change(self, statement: Statement, values: dict[str, object]) -> None:
        self._ledger.write(lambda attempt: attempt.session.change(statement, values))


def _prunable(ends: Statements) -> Statement:
    def build() -> ClauseElement:
        order: list[ColumnElement[Any]] = [ends.column(name) for name in PLACE]
        bounds = [Bound(ends.column(name), sa.bindparam(f"k_{name}")) for name in PLACE]
        return (
            sa.select(*order)
            .where(
                ends.column("prunable") == sa.literal(1),
                ends.column("finished_at_ms") < sa.bindparam("before"),
                beyond(bounds, by_row=False),
            )
            .order_by(*order)
            .limit(sa.bindparam("limit", type_=sa.Integer))
        )

    return ends.once("prunable", build)
