"""What an event does to a workflow in memory, and what it must find there."""

from collections.abc import Mapping
from typing import cast

from stovepipe_cli.entities.work import WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.documents import document_text
from stovepipe_cli.storage.ledger.memory.book import Shelf
from stovepipe_cli.storage.ledger.memory.records import StepRecord, Workflow


def start(shelf: Shelf, workflow: Workflow | None, event: WorkEvent, body: str, now_ms: int) -> WorkEvent:
    """Open a workflow; the event that opened it."""
    if workflow is not None:
        require_open(workflow, event.run_id)
        return workflow.events[0].read()
    workflow = shelf.workflows[key_bytes(event.run_id)] = Workflow()
    return workflow.add(event, body, now_ms).read()


def close(workflow: Workflow, event: WorkEvent, body: str, now_ms: int) -> WorkEvent:
    """Close a workflow; the event that closed it."""
    if workflow.ending is None:
        workflow.ending = workflow.add(event, body, now_ms)
    elif workflow.ending.event.kind != event.kind:
        raise refusals.ending_conflict(event.run_id, event.kind, workflow.ending.event.kind)
    return workflow.ending.read()


def require_open(workflow: Workflow, run_id: str) -> None:
    """`WorkflowEnded` where it is closed."""
    if workflow.ending is not None:
        raise refusals.workflow_ended(run_id, workflow.ending.event.kind)


def require_right(step: StepRecord, event: WorkEvent, now_ms: int) -> None:
    """Refuse an event without the lease that it needs, and a resumption of a step that does not wait."""
    if event.kind in guards.NEEDS_LEASE and not is_held(step, event.worker, event.fencing, now_ms):
        raise refusals.lease_lost(event.run_id, event.step_index, event.worker, event.fencing)
    if event.kind == "StepResumed" and step.status != "waiting":
        raise refusals.not_waiting(event.run_id, event.step_index, step.status)


def held(workflow: Workflow | None, index: int, worker: str, fencing: int, now_ms: int) -> StepRecord | None:
    """The step, if this lease of it is on record and has not run out."""
    step = None if workflow is None else workflow.steps.get(index)
    return step if step is not None and is_held(step, worker, fencing, now_ms) else None


def is_held(step: StepRecord, worker: str, fencing: int, now_ms: int) -> bool:
    """Whether this lease is on record and has not run out."""
    return step.is_leased(now_ms) and (step.worker, step.fencing) == (worker, fencing)


def change(step: StepRecord, event: WorkEvent) -> None:
    """Move the step on."""
    reason = event.body.get("reason")
    step.reason = reason if isinstance(reason, str) else None
    match event.kind:
        case "StepCompleted":
            step.status, step.lease_until_ms = "completed", 0
            step.output = _part(event, "output")
            step.reason = None
        case "StepFailed":
            if event.body.get("is_final") is True:
                step.status, step.lease_until_ms = "failed", 0
        case "RetryScheduled":
            step.status, step.worker = "pending", ""
            step.lease_until_ms = cast("int", event.body["not_before_ms"])
        case "StepWaiting":
            step.status, step.worker, step.lease_until_ms = "waiting", "", 0
        case "StepResumed":
            step.status, step.lease_until_ms, step.reason = "pending", 0, None
            step.input = _part(event, "input") if "input" in event.body else step.input
        case _:
            raise AssertionError(event.kind)


def record_of(step: WorkStep) -> StepRecord:
    """The record of a step."""
    subject = f"step {step.step_index}"
    return StepRecord(
        step.step_index,
        step.status,
        step.attempt,
        step.fencing,
        step.worker,
        step.lease_until_ms,
        document_text(subject, step.input),
        None if step.output is None else document_text(subject, step.output),
        step.reason,
    )


def _part(event: WorkEvent, name: str) -> str:
    # That it is a mapping was seen before the event was let in.
    return document_text(f"step {event.step_index}", cast("Mapping[str, object]", event.body[name]))
