"""Workflows of one queue in an SQL ledger."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, get_args

from stovepipe_cli.entities.limits import MAX_INT32
from stovepipe_cli.entities.work import ENDINGS, StepStatus, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.guards import require_limit
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.claim import Claim
from stovepipe_cli.storage.ledger.contract.step_store import Execution, StepStore
from stovepipe_cli.storage.ledger.documents import document_text
from stovepipe_cli.storage.ledger.sql.appending import append
from stovepipe_cli.storage.ledger.sql.claims import Claimant, claim, new_token
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.rebuilding import rebuild
from stovepipe_cli.storage.ledger.sql.statements import keyed
from stovepipe_cli.storage.ledger.sql.step_rows import event_of, execution_of, step_of
from stovepipe_cli.storage.ledger.sql.step_statements import OPEN
from stovepipe_cli.storage.ledger.sql.workflow import StepTables, lock_workflow, open_workflow
from stovepipe_cli.storage.sql.database import Attempt
from stovepipe_cli.storage.sql.errors import DuplicateKey
from stovepipe_cli.storage.sql.session import Session, Statement

STEP_STATUSES: tuple[StepStatus, ...] = get_args(StepStatus)
NO_EVENTS: tuple[WorkEvent, ...] = ()
NO_STEPS: tuple[WorkStep, ...] = ()
NO_ROWS: Sequence[Sequence[Any]] = ()


class SQLStepStore(StepStore):
    """Every event is written under the lock of its workflow, with what it makes of its step."""

    def __init__(self, ledger: LedgerDatabase, tables: StepTables, queue: str) -> None:
        self._ledger = ledger
        self._tables = tables
        self._queue = queue

    def append_event(self, event: WorkEvent) -> WorkEvent:
        guards.require_appendable(self._queue, event)
        # Before the transaction, since only a document can be refused at this point.
        document_text(f"event {event.kind}", event.body)

        # A look that locks would, where there is no workflow, lock the gap in which others make theirs.
        if event.kind == "WorkflowStarted" and not self._ledger.read(self._has_head(event.run_id), absent=False):
            # What somebody else, or a try whose answer was lost, has opened since is there to be answered with.
            with suppress(DuplicateKey):
                return self._ledger.write(lambda attempt: open_workflow(attempt.session, self._tables, event))
        return self._ledger.write(lambda attempt: append(attempt.session, self._tables, event))

    def _has_head(self, run_id: str) -> Callable[[Session], bool]:
        return lambda session: bool(session.rows(self._tables.steps.head(), self._run(run_id)))

    def load_events(self, run_id: str, *, limit: int, after: int = 0) -> tuple[WorkEvent, ...]:
        require_limit(limit)
        values = {**self._run(run_id), "after": guards.sequence_place(after), "limit": min(limit, MAX_INT32)}
        statement = self._tables.events.page()
        return self._ledger.read(
            lambda session: tuple(map(event_of, self._tables.events.rows(session, statement, values))), absent=NO_EVENTS
        )

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        guards.require_claim(run_id, step_index, worker, ttl_ms)
        if covers is not None:
            document_text(f"step {step_index}", covers)
        claimant = Claimant(self._queue, run_id, step_index, worker, ttl_ms, covers)
        refusal = self._ledger.read(lambda session: self._refusal(session, claimant), absent=None)
        if refusal is not None:
            return refusal

        def work(attempt: Attempt) -> Claim:
            workflow = lock_workflow(attempt.session, self._tables, self._queue, run_id)
            if workflow is None:
                raise refusals.workflow_absent(self._queue, run_id)
            return claim(workflow, claimant, is_uncertain=attempt.is_uncertain)

        return self._ledger.write(work)

    def renew_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int, ttl_ms: int) -> int:
        guards.require_claim(run_id, step_index, worker, ttl_ms)
        key = {**self._run(run_id), **keyed(step_index=step_index)}
        lease = {**key, **keyed(worker=key_bytes(worker), fencing=_fitting(fencing))}

        def work(attempt: Attempt) -> int:
            session = attempt.session
            is_held = session.change(self._tables.steps.renew(), {**lease, "ttl_ms": ttl_ms})
            head = session.rows(self._tables.steps.head(), key)
            if head and head[0][0] != OPEN:
                raise refusals.workflow_ended(run_id, key_text(head[0][0]))
            if not is_held:
                raise refusals.lease_lost(run_id, step_index, worker, fencing)
            return step_of(self._tables.steps.rows(session, self._tables.steps.find(), key)[0]).lease_until_ms

        return self._ledger.write(work)

    def release_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int) -> None:
        if not guards.can_be_step(step_index):
            return
        lease = keyed(step_index=step_index, worker=key_bytes(worker), fencing=_fitting(fencing))
        values = {**self._run(run_id), **lease}
        self._ledger.write(lambda attempt: attempt.session.change(self._tables.steps.release(), values))

    def take_over(self, run_id: str, step_index: int, *, fencing: int, worker: str) -> bool:
        if not guards.can_be_step(step_index):
            return False
        event = WorkEvent(
            self._queue, run_id, "WorkerRecovered", new_token(), step_index, fencing=fencing, body={"worker": worker}
        )

        def work(attempt: Attempt) -> bool:
            workflow = lock_workflow(attempt.session, self._tables, self._queue, run_id)
            if workflow is None:
                return False
            if attempt.is_uncertain and workflow.event_of_token(event.token) is not None:
                return True
            step = workflow.step(step_index)
            if step is None or step.status != "running":
                return False
            workflow.require_open()
            if (step.fencing, step.worker) != (fencing, worker):
                return False
            if step.lease_until_ms > workflow.now_ms:
                workflow.append(replace(event, attempt=step.attempt), step)
            return True

        return self._ledger.write(work)

    def expired_leases(self, *, limit: int, run_id: str | None = None) -> tuple[Execution, ...]:
        require_limit(limit)
        key = keyed(queue=key_bytes(self._queue)) if run_id is None else self._run(run_id)
        statement = self._tables.steps.expired(of_run=run_id is not None)
        rows = self._rows(statement, {**key, "limit": min(limit, MAX_INT32)})
        return tuple(map(execution_of, rows))

    def live_leases(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        return self._steps(self._tables.steps.live(), run_id, limit)

    def step(self, run_id: str, step_index: int) -> WorkStep | None:
        if not guards.can_be_step(step_index):
            return None
        rows = self._rows(self._tables.steps.find(), {**self._run(run_id), **keyed(step_index=step_index)})
        return step_of(rows[0]) if rows else None

    def last_step(self, run_id: str) -> WorkStep | None:
        found = self._steps(self._tables.steps.last(), run_id, 1)
        return found[0] if found else None

    def steps(
        self, run_id: str, *, limit: int, after: int = -1, status: StepStatus | None = None
    ) -> tuple[WorkStep, ...]:
        values: dict[str, object] = {"after": guards.step_place(after)}
        if status is not None:
            values |= keyed(status=key_bytes(status))
        return self._steps(self._tables.steps.page(has_status=status is not None), run_id, limit, values)

    def claimable(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        return self._steps(self._tables.steps.claimable(), run_id, limit)

    def counts_by_status(self, run_id: str) -> Mapping[StepStatus, int]:
        found = {key_text(status): int(count) for status, count in self._counts(run_id)}
        return {status: found.get(status, 0) for status in STEP_STATUSES}

    def ending(self, run_id: str) -> WorkEvent | None:
        def work(session: Session) -> WorkEvent | None:
            head = session.rows(self._tables.steps.head(), self._run(run_id))
            if head and head[0][0] == OPEN:
                return None
            events = self._tables.events
            rows = events.rows(session, events.of_kinds(tuple(ENDINGS)), {**self._run(run_id), "limit": 1})
            return event_of(rows[0]) if rows else None

        return self._ledger.read(work, absent=None)

    def rebuild(self, run_id: str) -> int:
        return self._ledger.write(lambda attempt: rebuild(attempt.session, self._tables, self._queue, run_id))

    def now_ms(self) -> int:
        def work(session: Session) -> int | None:
            return self._tables.steps.now(session)

        now = self._ledger.read(work, absent=None)
        # A private file goes by the clock of its host, also while it is absent.
        return time.time_ns() // 1_000_000 if now is None else now

    def _refusal(self, session: Session, claimant: Claimant) -> Claim | None:
        """Why a claim would be refused, by a look without lock, so that a crowd of claimants does not queue up."""
        key = self._run(claimant.run_id)
        head = session.rows(self._tables.steps.head(), key)
        if not head:
            raise refusals.workflow_absent(self._queue, claimant.run_id)
        status, _, now = head[0]
        if status != OPEN:
            raise refusals.workflow_ended(claimant.run_id, key_text(status))
        steps = self._tables.steps
        rows = steps.rows(session, steps.find(), {**key, **keyed(step_index=claimant.step_index)})
        return claimant.refusal(step_of(rows[0]), int(now)) if rows else None

    def _run(self, run_id: str) -> dict[str, object]:
        return keyed(queue=key_bytes(self._queue), run_id=key_bytes(run_id))

    def _counts(self, run_id: str) -> Sequence[Sequence[Any]]:
        statement, values = self._tables.steps.counts(), self._run(run_id)
        return self._ledger.read(lambda session: session.rows(statement, values), absent=NO_ROWS)

    def _rows(self, statement: Statement, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        steps = self._tables.steps
        return self._ledger.read(lambda session: steps.rows(session, statement, values), absent=NO_ROWS)

    def _steps(
        self, statement: Statement, run_id: str, limit: int, values: Mapping[str, object] = MappingProxyType({})
    ) -> tuple[WorkStep, ...]:
        require_limit(limit)
        all_values = {**self._run(run_id), **values, "limit": min(limit, MAX_INT32)}
        return tuple(map(step_of, self._rows(statement, all_values)))


def _fitting(fencing: int) -> int:
    """A number that the column can be compared with; no lease has a negative one."""
    return fencing if 0 <= fencing <= MAX_INT32 else -1
