"""Steps whose worker is no more: taken over at once where that is certain, else once their lease has run out."""

from contextlib import suppress

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.storage.ledger.contract import QueueLedger, WorkflowEnded
from stovepipe_cli.work.identity import WorkerIdentity, is_gone
from stovepipe_cli.work.job import JobRegistry

MOST_LEASES = 1_000


def recover_gone(ledger: QueueLedger, run_id: str, here: WorkerIdentity) -> tuple[WorkStep, ...]:
    """End the leases of this host's processes that are no more; the steps that are still held by others."""
    held: list[WorkStep] = []
    for step in ledger.steps.live_leases(run_id, limit=MOST_LEASES):
        if not is_gone(step.worker, here):
            held.append(step)
            continue
        # What has ended is worked at by nobody.
        with suppress(WorkflowEnded):
            ledger.steps.take_over(run_id, step.step_index, fencing=step.fencing, worker=step.worker)
    return tuple(held)


def recoverable(ledger: QueueLedger, registry: JobRegistry, *, limit: int) -> tuple[Run, ...]:
    """Runs with steps whose lease has run out, of kinds that this process can work at, longest expired first.

    Looks at no more than `limit` such steps.
    """
    found: dict[str, Run] = {}
    for execution in ledger.steps.expired_leases(limit=limit):
        run = None if execution.run_id in found else ledger.runs.find(execution.run_id)
        if run is not None and not run.is_ended and run.kind in registry:
            found[run.run_id] = run
    return tuple(found.values())
