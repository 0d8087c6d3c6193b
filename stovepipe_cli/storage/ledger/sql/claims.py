"""How a step of a locked workflow is claimed."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from stovepipe_cli.entities.work import EventKind, WorkEvent, WorkStep
from stovepipe_cli.storage.ledger import refusals
from stovepipe_cli.storage.ledger.contract.claim import AlreadyCompleted, AlreadyWaiting, Claim, Claimed, HeldByOther
from stovepipe_cli.storage.ledger.sql.workflow import Workflow


def new_token() -> str:
    """Tells an event of this store from every other."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims which step for how long. `token` is that of the StepStarted, by which a lost answer is recognised."""

    queue: str
    run_id: str
    step_index: int
    worker: str
    ttl_ms: int
    covers: Mapping[str, object] | None
    token: str = field(default_factory=new_token)

    def refusal(self, step: WorkStep, now_ms: int) -> Claim | None:
        """Why the step is not to be had now; None where it is."""
        if step.is_disposed:
            return AlreadyCompleted(step.output)
        if step.status == "waiting":
            return AlreadyWaiting(step.reason or "")
        if step.lease_until_ms <= now_ms or (step.status == "running" and step.worker == self.worker):
            return None
        return HeldByOther(step.worker, step.lease_until_ms)

    def event(self, kind: EventKind, token: str, step: WorkStep | None, body: Mapping[str, object]) -> WorkEvent:
        """An event of the lease that follows the step's latest one."""
        return WorkEvent(
            queue=self.queue,
            run_id=self.run_id,
            kind=kind,
            token=token,
            step_index=self.step_index,
            attempt=1 if step is None else step.attempt + 1,
            worker=self.worker,
            fencing=1 if step is None else step.fencing + 1,
            body=body,
        )


def claim(workflow: Workflow, claimant: Claimant, *, is_uncertain: bool) -> Claim:
    """Grant the lease if it is free, and make the step if it is the next one."""
    step = workflow.step(claimant.step_index)
    if is_uncertain and step is not None:
        earlier = workflow.event_of_token(claimant.token)
        if earlier is not None and earlier.fencing == step.fencing and step.status == "running":
            return Claimed(step.fencing, step.attempt, step.lease_until_ms, step.input)
    workflow.require_open()
    if step is None:
        return _make(workflow, claimant)
    refusal = claimant.refusal(step, workflow.now_ms)
    if refusal is not None:
        return refusal
    until = workflow.now_ms + claimant.ttl_ms
    if step.status == "running" and step.lease_until_ms <= workflow.now_ms:
        workflow.append(claimant.event("LeaseTakenOver", new_token(), step, {"worker": step.worker}), step)
    started = workflow.append(claimant.event("StepStarted", claimant.token, step, {"until_ms": until}), step)
    return Claimed(started.fencing, started.attempt, until, step.input)


def _make(workflow: Workflow, claimant: Claimant) -> Claim:
    index, covers = claimant.step_index, claimant.covers
    if covers is None or (index > 0 and not workflow.has_step(index - 1)):
        raise refusals.step_absent(claimant.run_id, index)
    until = workflow.now_ms + claimant.ttl_ms
    body = {"until_ms": until, "input": covers}
    started = workflow.append(claimant.event("StepStarted", claimant.token, None, body))
    return Claimed(started.fencing, started.attempt, until, cast("Mapping[str, Any]", started.body["input"]))
