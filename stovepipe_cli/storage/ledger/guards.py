"""Checks of arguments that every backend makes before it sends a query, so that all refuse the same."""

from collections.abc import Mapping

from stovepipe_cli.entities import limits
from stovepipe_cli.entities.invocation import WORKER_CHARACTERS, Invocation
from stovepipe_cli.entities.run import RUN_ID_BYTES, RUNNING, Run, RunEnd
from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.entities.work import WHOLE_WORKFLOW, WorkEvent
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text
from stovepipe_cli.storage.contract.errors import ForeignQueue
from stovepipe_cli.storage.contract.guards import MIN_INT64, require_own

# Written inside a claim or a take-over alone, which knows that they are true.
WRITTEN_BY_CLAIMS = frozenset({"StepStarted", "LeaseTakenOver", "WorkerRecovered"})
NEEDS_LEASE = frozenset({"StepCompleted", "StepFailed", "RetryScheduled", "StepWaiting"})
_REASONED = frozenset({"StepFailed", "RetryScheduled", "StepWaiting"})


def require_savable(queue: str, run: Run) -> None:
    """Refuse a foreign run, an invalid one, and one that is not RUNNING."""
    require_own(queue, run)
    run.validate()
    if run.status != RUNNING:
        raise InvalidEntity(
            f"run '{run.run_id}' was to be saved as {run.status}", hint="save it RUNNING, then end it by a transition"
        )
    limits.require_count("run", "version", run.version, highest=limits.MAX_INT32 - 1)


def require_end(run_id: str, end: RunEnd) -> None:
    """Refuse an end that is none."""
    require_run_id(run_id)
    end.validate()


def require_recordable(queue: str, invocation: Invocation) -> None:
    """Refuse a foreign or invalid attempt."""
    require_own(queue, invocation)
    invocation.validate()
    if invocation.finished_at_ms is not None:
        limits.require_positive_ms("invocation", "finished_at_ms", invocation.finished_at_ms)


def require_appendable(queue: str, event: WorkEvent) -> None:
    """Refuse a foreign or invalid event, one that claims alone write, and a body without what its kind says."""
    require_own(queue, event)
    event.validate()
    if event.kind in WRITTEN_BY_CLAIMS:
        raise InvalidEntity(f"{event.kind} is written by claims and take-overs alone", hint="claim the step")
    if event.kind in _REASONED and not isinstance(event.body.get("reason"), str):
        raise _incomplete(event, "reason")
    if event.kind == "StepCompleted" and not isinstance(event.body.get("output"), Mapping):
        raise _incomplete(event, "output")
    if event.kind == "StepResumed" and not isinstance(event.body.get("input", {}), Mapping):
        raise _incomplete(event, "input")
    if event.kind == "RetryScheduled":
        at = event.body.get("not_before_ms")
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= limits.MAX_INT64:
            raise _incomplete(event, "not_before_ms")


def require_run_id(run_id: str) -> None:
    """Refuse an id that no run can have."""
    require_name("run", "run_id", run_id)
    require_bytes("run", "run_id", run_id, RUN_ID_BYTES)


def require_claim(run_id: str, step_index: int, worker: str, ttl_ms: int) -> None:
    """Refuse a claim that could not be granted to anybody."""
    require_run_id(run_id)
    limits.require_count("step", "step_index", step_index)
    require_name("lease", "worker", worker)
    require_text("lease", "worker", worker, WORKER_CHARACTERS)
    if not 1 <= ttl_ms <= limits.MAX_INT32:
        raise InvalidEntity(f"a lease was asked for {ttl_ms} ms", hint=f"ask for 1 to {limits.MAX_INT32} ms")


def require_since(since_ms: int | None) -> None:
    """Refuse a window's start beyond 64 bits."""
    if since_ms is not None and not MIN_INT64 < since_ms <= limits.MAX_INT64:
        raise InvalidEntity(f"runs were asked for since {since_ms}", hint="give Unix milliseconds")


def require_verified(queue: str, verified: VerifiedQueue) -> None:
    """Refuse a foreign record, and one that no backend can hold."""
    if verified.queue != queue:
        raise ForeignQueue(
            f"VerifiedQueue belongs to queue '{verified.queue}', the ledger is bound to '{queue}'",
            hint=f"bind a ledger to '{verified.queue}'",
        )
    require_name("verified queue", "target", verified.target)
    require_bytes("verified queue", "target", verified.target, limits.QUEUE_BYTES)
    require_run_id(verified.run_id)
    require_bytes("verified queue", "verdict", verified.verdict, limits.STATE_CHARACTERS)
    require_bytes("verified queue", "boundary", verified.boundary, limits.REQUEST_ID_BYTES)
    limits.require_positive_ms("verified queue", "verified_at_ms", verified.verified_at_ms)
    limits.require_count("verified queue", "boundary_number", verified.boundary_number, highest=limits.MAX_INT64)


def can_be_step(step_index: int) -> bool:
    """Whether a step can have this number; a look-up for another one finds nothing."""
    return 0 <= step_index <= limits.MAX_INT32


def step_place(after: int) -> int:
    """The place behind which a page of steps begins, within what a number column holds."""
    return min(max(after, WHOLE_WORKFLOW), limits.MAX_INT32)


def sequence_place(after: int) -> int:
    """The same for events."""
    return min(max(after, 0), limits.MAX_INT64)


def _incomplete(event: WorkEvent, name: str) -> InvalidEntity:
    return InvalidEntity(
        f"event {event.kind} of step {event.step_index} has no fitting '{name}' in its body",
        hint="the projection of the step is made of it",
    )
