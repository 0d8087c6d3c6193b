"""How an event gets into the log of its workflow."""

from stovepipe_cli.entities.work import ENDINGS, WorkEvent, WorkStep
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.sql.workflow import StepTables, Workflow, lock_workflow
from stovepipe_cli.storage.sql.session import Session


def append(session: Session, tables: StepTables, event: WorkEvent) -> WorkEvent:
    """Append it to a workflow that was opened, or answer with the event that it repeats."""
    workflow = lock_workflow(session, tables, event.queue, event.run_id)
    if workflow is None:
        raise refusals.workflow_absent(event.queue, event.run_id)
    earlier = workflow.event_of_token(event.token)
    if earlier is not None:
        return earlier
    if event.kind in ENDINGS and not workflow.is_open:
        if event.kind != workflow.status:
            raise refusals.ending_conflict(event.run_id, event.kind, workflow.status)
        return workflow.first_of(event.kind)
    workflow.require_open()
    if event.kind == "WorkflowStarted":
        return workflow.first_of("WorkflowStarted")
    if event.kind in ENDINGS:
        return workflow.append(event)
    step = workflow.step(event.step_index)
    if step is None:
        raise refusals.step_absent(event.run_id, event.step_index)
    _require_right(workflow, step, event)
    return workflow.append(event, step)


def _require_right(workflow: Workflow, step: WorkStep, event: WorkEvent) -> None:
    is_held = step.status == "running" and step.lease_until_ms > workflow.now_ms
    is_own = (step.worker, step.fencing) == (event.worker, event.fencing)
    if event.kind in guards.NEEDS_LEASE and not (is_held and is_own):
        raise refusals.lease_lost(event.run_id, event.step_index, event.worker, event.fencing)
    if event.kind == "StepResumed" and step.status != "waiting":
        raise refusals.not_waiting(event.run_id, event.step_index, step.status)
