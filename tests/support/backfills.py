"""Backfills for tests: the real job, worked at by one worker with a ledger in memory."""

from stovepipe_cli.backfill.acceptance_job import KIND, AcceptanceJob, acceptance_body
from stovepipe_cli.backfill.acceptances import require_tables
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.backfill.outcome import backfill_outcome
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.run import Run, RunHeader
from stovepipe_cli.reports import BackfillReport
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.ledger.memory import MemoryLedger
from stovepipe_cli.work import JobArguments, JobRegistry, Workplace, WorkSettings, start_run, this_worker, work
from stovepipe_cli.work.throttle import Pace, Throttle


def backfilled(
    storage: Storage,
    options: BackfillOptions,
    clock: Clock,
    *,
    rate: float | None = None,
    ledger: QueueLedger | None = None,
) -> BackfillReport:
    """Start a run, work at it to its end, and what its command would answer."""
    options.validate()
    require_tables(storage)
    kept = ledger or MemoryLedger(clock=clock.now_ms).for_queue(storage.queue)
    body = acceptance_body(storage, options, clock=clock)
    run = Run(storage.queue, mint_run_id(clock), KIND, RunHeader(), clock.now_ms())
    here = this_worker()
    start_run(kept, run, here, arguments=JobArguments(KIND, storage.queue, "memory"), body=body)
    place = Workplace(
        ledger=kept,
        clock=clock,
        worker=here,
        throttle=Throttle((), Pace(clock, rate), clock=clock),
        settings=WorkSettings(max_failure_share=None),
        has_heartbeat=False,
    )
    registry = JobRegistry({KIND: lambda _, kept_body: AcceptanceJob.of_body(storage, kept_body, clock=clock)})
    return backfill_outcome(kept, work(place, run.run_id, registry))
