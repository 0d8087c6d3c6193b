"""The sentences of the ledger's errors, so that every backend says the same of the same cause."""

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import RunEnd
from stovepipe_cli.storage.contract.errors import NotFound, VersionMismatch
from stovepipe_cli.storage.ledger.contract.errors import (
    InvocationConflict,
    LeaseLost,
    RunConflict,
    RunEnded,
    WorkflowEnded,
)

CHECK_RUN = "'stovepipe runs list' shows the runs of the queue"


def run_absent(queue: str, run_id: str) -> NotFound:
    """No run has this id."""
    return NotFound(f"queue '{queue}' has no run '{run_id}'", hint=CHECK_RUN)


def workflow_absent(queue: str, run_id: str) -> NotFound:
    """No workflow was started under this id, or it was pruned."""
    return NotFound(f"run '{run_id}' of queue '{queue}' has no workflow", hint=CHECK_RUN)


def step_absent(run_id: str, step_index: int) -> NotFound:
    """The workflow has no such step, and it could not be made."""
    return NotFound(
        f"run '{run_id}' has no step {step_index}",
        hint="steps are made in order, by a claim that tells what they cover",
    )


def run_ended(run_id: str, status: str) -> RunEnded:
    """The run takes no more writes."""
    return RunEnded(f"run '{run_id}' is {status} and takes no more writes", hint="start a new run")


def workflow_ended(run_id: str, kind: str) -> WorkflowEnded:
    """The workflow takes no more events."""
    return WorkflowEnded(f"the work of run '{run_id}' has ended with {kind}", hint="stop working at it")


def version_mismatch(run_id: str, named: int, on_record: int) -> VersionMismatch:
    """Another version is on record; 0 where there is none."""
    return VersionMismatch(
        f"run '{run_id}' is at version {on_record}, not {named}", hint="read it again and decide again"
    )


def origin_conflict(run_id: str) -> RunConflict:
    """What is fixed when a run is first saved was to be changed."""
    return RunConflict(
        f"run '{run_id}' is on record with another kind, lineage or start time", hint="use the id of one run once"
    )


def end_conflict(run_id: str, end: RunEnd, status: str, finished_at_ms: int) -> RunConflict:
    """The run has ended in another way or at another time."""
    return RunConflict(
        f"run '{run_id}' is {status} since {finished_at_ms}, not {end.status} since {end.finished_at_ms}",
        hint="the first end on record stands; read it again",
    )


def ending_conflict(run_id: str, kind: str, on_record: str) -> RunConflict:
    """The workflow was closed by another ending."""
    return RunConflict(
        f"the work of run '{run_id}' ended with {on_record}, not with {kind}", hint="the first ending on record stands"
    )


def not_waiting(run_id: str, step_index: int, status: str) -> RunConflict:
    """A step was to be resumed that does not wait."""
    return RunConflict(f"step {step_index} of run '{run_id}' is {status} and does not wait", hint="read the step again")


def invocation_conflict(invocation: Invocation, status: str) -> InvocationConflict:
    """The attempt is locked with other content."""
    return InvocationConflict(
        f"attempt '{invocation.invocation_id}' of run '{invocation.run_id}' is {status}, with other content",
        hint="a new attempt has an id of its own",
    )


def lease_lost(run_id: str, step_index: int, worker: str, fencing: int) -> LeaseLost:
    """The lease is not the caller's any more."""
    return LeaseLost(
        f"'{worker}' no longer holds lease {fencing} of step {step_index} of run '{run_id}'; nothing was written",
        hint="drop the step; whoever holds it now repeats what was left undone",
    )
