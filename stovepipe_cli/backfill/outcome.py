"""What a run of a backfill has done so far, from what its workers left on record."""

from stovepipe_cli.backfill.acceptances import MOST_PROBLEMS
from stovepipe_cli.reports import BackfillReport
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work import WorkResult

_PAGE = 500


def backfill_outcome(ledger: QueueLedger, result: WorkResult) -> BackfillReport:
    """The report of the whole run, whoever did its steps."""
    counts, stop = result.progress.counts, result.stop
    run_id = result.run.run_id
    problems = [*_problems(ledger, run_id), *result.failures]
    return BackfillReport(
        run_id=run_id,
        dry_run=False,
        scanned=counts.get("scanned", 0),
        mapped=counts.get("mapped", 0),
        already_mapped=counts.get("already_mapped", 0),
        unknown_acceptance=counts.get("unknown_acceptance", 0),
        conflicts=counts.get("conflicts", 0),
        quarantined=result.progress.quarantined,
        problems=tuple(problems[:MOST_PROBLEMS]),
        summaries_updated=counts.get("summaries_updated", 0),
        outside_window=counts.get("outside_window", 0),
        stopped_because=None if stop is None else stop.sentence,
        ended_by=None if stop is None else stop.signal,
    )


def _problems(ledger: QueueLedger, run_id: str) -> list[str]:
    problems: list[str] = []
    after = -1
    while len(problems) < MOST_PROBLEMS and (steps := ledger.steps.steps(run_id, limit=_PAGE, after=after)):
        for step in steps:
            listed = (step.output or {}).get("problems")
            problems += [str(each) for each in listed] if isinstance(listed, list | tuple) else []
        after = steps[-1].step_index
    return problems
