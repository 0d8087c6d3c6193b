"""Applies a plan: evidence looked at again, rows written through the materializer, requests verified again.

The first batch is one entry alone; those after it grow, so that a mistake shows before it is repeated. A dry run
goes the same way and writes to stand-ins.
"""

from collections.abc import Iterator, Sequence

from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.plan_run import UNWATCHED, PlanRun
from stovepipe_cli.repair.steps import RequestSteps, steps_of
from stovepipe_cli.reports import ApplyReport, RepairPlan
from stovepipe_cli.storage.contract import Storage

SECOND_BATCH = 8
GROWTH = 8


def apply(
    storage: Storage,
    plan: RepairPlan,
    options: ApplyOptions,
    *,
    clock: Clock,
    run_id: str | None,
    watch: Watch = UNWATCHED,
) -> ApplyReport:
    """Write the ready entries of a plan that was checked with `require_applicable`, and report on each.

    What the plan holds and the database has already counts as identical, so that applying twice writes nothing. It
    stops at the first conflict, failure or new finding, unless told to keep going, and before the next step once
    `watch` says so; what is left can be applied again.
    `StorageUnavailable` and `StorageReadOnly` go to the caller where nothing was written yet.
    """
    options.validate()
    if plan.queue != storage.queue:
        raise refused(f"is for queue '{plan.queue}', not for '{storage.queue}'")
    groups = steps_of(plan, only=options.only, max_entries=options.max_entries)
    run = PlanRun(storage, plan, options, clock, run_id, watch)
    run.begin(groups)
    for batch in batches(groups, options.batch):
        run.write(batch)
        if not run.is_stopped:
            run.verify(batch)
        if run.is_stopped:
            break
    return run.report(run.remaining())


def batches(groups: Sequence[RequestSteps], largest: int) -> Iterator[Sequence[RequestSteps]]:
    """One step of the first request, then what is left of that request with those that follow."""
    if not groups:
        return
    first = groups[0]
    yield (RequestSteps(first.request_id, first.steps[:1]),)
    left = (RequestSteps(first.request_id, first.steps[1:]),) if len(first.steps) > 1 else ()
    remaining, start, size = (*left, *groups[1:]), 0, min(SECOND_BATCH, largest)
    while start < len(remaining):
        yield remaining[start : start + size]
        start += size
        size = min(size * GROWTH, largest)
