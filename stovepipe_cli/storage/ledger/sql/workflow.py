"""One workflow inside one transaction that has locked it."""

from dataclasses import dataclass, replace
from typing import Any

from stovepipe_cli.entities.work import ENDINGS, WHOLE_WORKFLOW, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.ledger import refusals
from stovepipe_cli.storage.ledger.projection import projected
from stovepipe_cli.storage.ledger.sql.statements import keyed, written
from stovepipe_cli.storage.ledger.sql.step_rows import event_of, event_values, step_of, step_values
from stovepipe_cli.storage.ledger.sql.step_statements import OPEN, EventStatements, StepStatements
from stovepipe_cli.storage.ledger.tables import WORK_EVENT, WORK_STEP
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.session import Session


class StepTables:
    """The tables of workflows, with their statements; shared by all queues of a ledger."""

    def __init__(self, backend: Backend) -> None:
        self.steps = StepStatements(WORK_STEP, backend)
        self.events = EventStatements(WORK_EVENT, backend)


@dataclass(slots=True)
class Workflow:
    """A workflow that is locked. `status` is open or the kind of its ending, `now_ms` the clock since it was locked."""

    session: Session
    tables: StepTables
    key: dict[str, object]
    run_id: str
    status: str
    sequence: int
    now_ms: int

    @property
    def is_open(self) -> bool:
        """Whether it takes events."""
        return self.status == OPEN.decode()

    def require_open(self) -> None:
        """`WorkflowEnded` where it is closed."""
        if not self.is_open:
            raise refusals.workflow_ended(self.run_id, self.status)

    def event_of_token(self, token: str) -> WorkEvent | None:
        """The event that an earlier append with this token has written."""
        events = self.tables.events
        rows = events.rows(self.session, events.by_token(), {**keyed(token=key_bytes(token)), **self.key})
        return event_of(rows[0]) if rows else None

    def first_of(self, *kinds: str) -> WorkEvent:
        """The first event of these kinds, which is there."""
        events = self.tables.events
        rows = events.rows(self.session, events.of_kinds(kinds), {**self.key, "limit": 1})
        return event_of(rows[0])

    def step(self, index: int) -> WorkStep | None:
        """A step as it is now. One that is there is locked against the renewal of its lease."""
        key = {**self.key, **keyed(step_index=index)}
        # A locking look for a row that is absent would lock the gap, in which other workflows make theirs.
        if not self.session.rows(self.tables.steps.find(), key):
            return None
        rows = self.tables.steps.rows(self.session, self.tables.steps.find_locked(), key)
        return step_of(rows[0]) if rows else None

    def has_step(self, index: int) -> bool:
        """Whether there is such a step."""
        return bool(self.session.rows(self.tables.steps.find(), {**self.key, **keyed(step_index=index)}))

    def append(self, event: WorkEvent, step: WorkStep | None = None) -> WorkEvent:
        """Write an event and what it makes of its step, `step` being that one now; the event as written."""
        self.sequence += 1
        event = replace(event, sequence=self.sequence, at_ms=self.now_ms)
        values = event_values(event)
        self.session.change(self.tables.events.insert(), written(values))
        written_event = event_of(tuple(values.values()))
        if event.kind in ENDINGS:
            self.status = event.kind
        if event.step_index != WHOLE_WORKFLOW:
            self._project(written_event, step)
        changes = written({"status": key_bytes(self.status), "sequence": self.sequence})
        self.session.change(self.tables.steps.advance_head(), {**changes, **self.key})
        return written_event

    def _project(self, event: WorkEvent, step: WorkStep | None) -> None:
        after = projected(step, event)
        if after is None or after == step:
            return
        values = step_values(after)
        if step is None:
            self.session.change(self.tables.steps.insert(), written(values))
            return
        before = step_values(step)
        changes = {name: value for name, value in values.items() if value != before[name]}
        key = {**self.key, **keyed(step_index=event.step_index)}
        self.session.change(self.tables.steps.update(tuple(changes)), {**written(changes), **key})


def lock_workflow(session: Session, tables: StepTables, queue: str, run_id: str) -> Workflow | None:
    """Lock a workflow before anything of it is read, so that all who write to it come one after the other."""
    key = keyed(queue=key_bytes(queue), run_id=key_bytes(run_id))
    if not session.change(tables.steps.lock_head(), key):
        return None
    status, sequence, now = session.rows(tables.steps.head(), key)[0]
    return Workflow(session, tables, key, run_id, key_text(status), int(sequence), int(now))


def open_workflow(session: Session, tables: StepTables, event: WorkEvent) -> WorkEvent:
    """Make a workflow with its first event. Raises the driver's error where somebody else has made it meanwhile."""
    key = keyed(queue=key_bytes(event.queue), run_id=key_bytes(event.run_id))
    insert_head(session, tables, key, status=OPEN, sequence=0)
    now = tables.steps.now(session)
    return Workflow(session, tables, key, event.run_id, OPEN.decode(), 0, now).append(event)


def insert_head(session: Session, tables: StepTables, key: dict[str, Any], *, status: bytes, sequence: int) -> None:
    """Make the row that stands for a workflow."""
    head = {
        "queue": key["k_queue"],
        "run_id": key["k_run_id"],
        "step_index": WHOLE_WORKFLOW,
        "status": status,
        "attempt": 0,
        "fencing": 1,
        "worker": b"",
        "lease_until_ms": 0,
        "sequence": sequence,
        "input": b"{}",
        "output": None,
        "reason": None,
    }
    session.change(tables.steps.insert(), written(head))
