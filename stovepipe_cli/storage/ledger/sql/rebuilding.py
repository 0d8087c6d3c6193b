"""The projection of a workflow, made anew from its events."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from stovepipe_cli.entities.work import ENDINGS, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.ledger import refusals
from stovepipe_cli.storage.ledger.projection import projected
from stovepipe_cli.storage.ledger.sql.statements import keyed, written
from stovepipe_cli.storage.ledger.sql.step_rows import event_of, step_of, step_values
from stovepipe_cli.storage.ledger.sql.step_statements import OPEN
from stovepipe_cli.storage.ledger.sql.workflow import StepTables, insert_head, lock_workflow
from stovepipe_cli.storage.sql.session import Session

EVENTS_A_READ = 1_000


def rebuild(session: Session, tables: StepTables, queue: str, run_id: str) -> int:
    """Replace every step of the workflow, and the row that stands for it where that was lost; how many steps it has."""
    key = keyed(queue=key_bytes(queue), run_id=key_bytes(run_id))
    if lock_workflow(session, tables, queue, run_id) is None:
        insert_head(session, tables, key, status=OPEN, sequence=0)
    steps: dict[int, WorkStep] = {}
    sequence, status = 0, OPEN
    for event in _events(session, tables, key):
        sequence = event.sequence
        status = key_bytes(event.kind) if event.kind in ENDINGS else status
        after = projected(steps.get(event.step_index), event)
        if after is not None:
            steps[after.step_index] = after
    if sequence == 0:
        raise refusals.workflow_absent(queue, run_id)
    kept = [_with_lease(step, session, tables, key) for step in steps.values()]
    session.change(tables.steps.delete_steps(), key)
    if kept:
        insert = tables.steps.insert()
        session.change_many(insert.text, [insert.parameters(written(step_values(step))) for step in kept])
    session.change(tables.steps.advance_head(), {**key, **written({"status": status, "sequence": sequence})})
    return len(kept)


def _events(session: Session, tables: StepTables, key: Mapping[str, object]) -> Iterator[WorkEvent]:
    after = 0
    while rows := tables.events.rows(session, tables.events.page(), {**key, "after": after, "limit": EVENTS_A_READ}):
        for row in rows:
            event = event_of(row)
            after = event.sequence
            yield event


def _with_lease(step: WorkStep, session: Session, tables: StepTables, key: Mapping[str, object]) -> WorkStep:
    """The step with the end of its lease as it was renewed, which no event tells, where its row is still there."""
    if step.status != "running":
        return step
    rows = tables.steps.rows(session, tables.steps.find_locked(), {**key, **keyed(step_index=step.step_index)})
    known = step_of(rows[0]) if rows else None
    if known is None or known.fencing != step.fencing or known.status != "running":
        return step
    return replace(step, lease_until_ms=known.lease_until_ms)
