"""Durable work: the events of a run's workflow, and the steps that are projected from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from stovepipe_cli.entities import limits
from stovepipe_cli.entities.invocation import WORKER_CHARACTERS
from stovepipe_cli.entities.run import RUN_ID_BYTES
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

WorkflowEventKind = Literal["WorkflowStarted", "WorkflowCompleted", "WorkflowFailed", "WorkflowCancelled"]
StepEventKind = Literal[
    "StepStarted",
    "StepCompleted",
    "StepFailed",
    "RetryScheduled",
    "StepWaiting",
    "StepResumed",
    "WorkerRecovered",
    "LeaseTakenOver",
]
EventKind = WorkflowEventKind | StepEventKind
StepStatus = Literal["pending", "running", "waiting", "completed", "failed"]

WORKFLOW_EVENTS: tuple[str, ...] = get_args(WorkflowEventKind)
STEP_EVENTS: tuple[str, ...] = get_args(StepEventKind)
ENDINGS: Mapping[str, str] = {
    "WorkflowCompleted": "COMPLETED",
    "WorkflowFailed": "FAILED",
    "WorkflowCancelled": "CANCELLED",
}
# Stands where a step's number would be in events that are about the whole workflow.
WHOLE_WORKFLOW = -1
DISPOSED: frozenset[str] = frozenset({"completed", "failed"})


@dataclass(frozen=True, slots=True)
class WorkEvent:
    """Key (queue, run_id, sequence); appended, never changed. `body` holds JSON values alone.

    The store sets `sequence` (from 1, without gaps) and `at_ms` (the ledger's clock). `token` tells one append from
    another with the same content, so that an append whose answer was lost is recognised. The body has `input` in the
    first StepStarted of a step and in StepResumed; `until_ms`, the lease's end, in every StepStarted; `output` in
    StepCompleted; `reason` in StepFailed, RetryScheduled and StepWaiting; `is_final` true in a StepFailed that
    disposes of the step; `not_before_ms` in RetryScheduled; `worker`, the one that lost it, in LeaseTakenOver and
    WorkerRecovered.
    """

    queue: str
    run_id: str
    kind: EventKind
    token: str
    step_index: int = WHOLE_WORKFLOW
    attempt: int = 0
    worker: str = ""
    fencing: int = 0
    body: Mapping[str, object] = field(default_factory=dict)
    sequence: int = 0
    at_ms: int = 0

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("event", "queue", self.queue)
        require_bytes("event", "queue", self.queue, limits.QUEUE_BYTES)
        for name, value in (("run_id", self.run_id), ("token", self.token)):
            require_name("event", name, value)
            require_bytes("event", name, value, RUN_ID_BYTES)
        require_text("event", "worker", self.worker, WORKER_CHARACTERS)
        is_whole = self.kind in WORKFLOW_EVENTS
        if not is_whole and self.kind not in STEP_EVENTS:
            raise InvalidEntity(f"'{self.kind}' is no kind of event", hint=", ".join((*WORKFLOW_EVENTS, *STEP_EVENTS)))
        if is_whole != (self.step_index == WHOLE_WORKFLOW):
            raise InvalidEntity(
                f"event {self.kind} has step {self.step_index}",
                hint="events of a step name it, events of the workflow name none",
            )
        if not is_whole:
            limits.require_count("event", "step_index", self.step_index)
        limits.require_count("event", "attempt", self.attempt)
        limits.require_count("event", "fencing", self.fencing)


@dataclass(frozen=True, slots=True)
class WorkStep:
    """Key (queue, run_id, step_index), projected from the events. `input` says what the step covers.

    `pending` waits for its retry at `lease_until_ms`, `running` is leased to `worker` until then, `waiting` for an
    operator; `completed` and `failed` are disposed of. `fencing` grows with every lease and is never used again.
    `output` is set once the step is completed, `reason` where it failed, waits, or waits for a retry.
    """

    queue: str
    run_id: str
    step_index: int
    status: StepStatus
    attempt: int
    fencing: int
    worker: str = ""
    lease_until_ms: int = 0
    input: Mapping[str, object] = field(default_factory=dict)
    output: Mapping[str, object] | None = None
    reason: str | None = None

    @property
    def is_disposed(self) -> bool:
        """Whether nobody will work at it again."""
        return self.status in DISPOSED
