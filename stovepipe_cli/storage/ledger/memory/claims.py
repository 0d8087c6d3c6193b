"""How a step in memory is claimed."""

import secrets
from dataclasses import dataclass

from stovepipe_cli.entities.work import EventKind, WorkEvent
from stovepipe_cli.storage.ledger import refusals
from stovepipe_cli.storage.ledger.contract.claim import AlreadyCompleted, AlreadyWaiting, Claim, Claimed, HeldByOther
from stovepipe_cli.storage.ledger.documents import document_of, document_text
from stovepipe_cli.storage.ledger.memory.records import StepRecord, Workflow


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims in which workflow, and for how long."""

    queue: str
    run_id: str
    worker: str
    ttl_ms: int


def claim(workflow: Workflow, index: int, claimant: Claimant, covered: str | None, now_ms: int) -> Claim:
    """Grant the lease if it is free, and make the step if it is the next one."""
    step = workflow.steps.get(index)
    if step is None:
        if covered is None or (index > 0 and index - 1 not in workflow.steps):
            raise refusals.step_absent(claimant.run_id, index)
        step = workflow.steps[index] = StepRecord(index, "pending", 0, 0, "", 0, covered)
    if step.status in {"completed", "failed"}:
        return AlreadyCompleted(None if step.output is None else document_of(step.output, f"step {index}"))
    if step.status == "waiting":
        return AlreadyWaiting(step.reason or "")
    if step.lease_until_ms > now_ms and (step.status == "pending" or step.worker != claimant.worker):
        return HeldByOther(step.worker, step.lease_until_ms)
    _grant(workflow, step, claimant, now_ms)
    return Claimed(step.fencing, step.attempt, step.lease_until_ms, document_of(step.input, f"step {index}"))


def _grant(workflow: Workflow, step: StepRecord, claimant: Claimant, now_ms: int) -> None:
    is_new, loser = step.fencing == 0, step.worker if step.is_expired(now_ms) else None
    step.status, step.worker, step.reason = "running", claimant.worker, None
    step.attempt, step.fencing = step.attempt + 1, step.fencing + 1
    step.lease_until_ms = now_ms + claimant.ttl_ms
    if loser is not None:
        workflow.add(_event("LeaseTakenOver", step, claimant), document_text("event", {"worker": loser}), now_ms)
    body: dict[str, object] = {"until_ms": step.lease_until_ms}
    if is_new:
        body["input"] = document_of(step.input, f"step {step.index}")
    workflow.add(_event("StepStarted", step, claimant), document_text("event", body), now_ms)


def _event(kind: EventKind, step: StepRecord, claimant: Claimant) -> WorkEvent:
    return WorkEvent(
        queue=claimant.queue,
        run_id=claimant.run_id,
        kind=kind,
        token=secrets.token_hex(16),
        step_index=step.index,
        attempt=step.attempt,
        worker=claimant.worker,
        fencing=step.fencing,
    )
