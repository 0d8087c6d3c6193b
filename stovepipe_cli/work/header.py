"""Changes of a run's header that survive others' changes of it."""

from collections.abc import Callable
from dataclasses import replace

from stovepipe_cli.entities.run import Run, RunHeader
from stovepipe_cli.storage.contract import NotFound, VersionMismatch
from stovepipe_cli.storage.ledger.contract import QueueLedger, RunEnded

# Every worker of a run may write its header at once when a stop reaches them all.
TRIES = 50


def require_run(ledger: QueueLedger, run_id: str) -> Run:
    """The run; `NotFound` where the queue has none of that id."""
    run = ledger.runs.find(run_id)
    if run is None:
        raise NotFound(
            f"queue '{ledger.queue}' has no run '{run_id}'", hint="'stovepipe runs list' shows the runs of the queue"
        )
    return run


def amend(ledger: QueueLedger, run_id: str, change: Callable[[RunHeader], RunHeader]) -> Run:
    """Replace the header by what `change` makes of the one on record; the run afterwards. An ended run stays as it is.

    `change` is asked again where another writer came first.
    """
    mismatch: VersionMismatch | None = None
    for _ in range(TRIES):
        run = require_run(ledger, run_id)
        if run.is_ended:
            return run
        try:
            return ledger.runs.save(replace(run, header=change(run.header)))
        except VersionMismatch as error:
            mismatch = error
        except RunEnded:
            continue
    raise mismatch or NotFound(f"run '{run_id}' changes faster than it can be read")
