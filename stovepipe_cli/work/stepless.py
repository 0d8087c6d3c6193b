"""Runs that one process does from end to end, such as a verify: one row at the start, and its end."""

from dataclasses import replace

from stovepipe_cli.entities.run import Run
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.identity import WorkerIdentity

# How long a run without a time budget is believed in, when its worker is on another host and nothing is heard of it.
BELIEVED_MS = 24 * 60 * 60 * 1000
WORKER, DUE_MS = "worker", "due_ms"


def enter_run(ledger: QueueLedger, run: Run, worker: WorkerIdentity, *, run_time_ms: int | None) -> Run:
    """Put the run on record with its worker, and until when it will have ended: twice its time budget.

    Its process ends it by `transition`, and vouches for everything having been done where it says COMPLETED.
    """
    due_ms = run.started_at_ms + (BELIEVED_MS if run_time_ms is None else 2 * run_time_ms)
    document = {**run.header.document, WORKER: worker.name, DUE_MS: due_ms}
    return ledger.runs.save(replace(run, header=replace(run.header, document=document)))
