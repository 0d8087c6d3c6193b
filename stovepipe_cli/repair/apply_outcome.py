"""What a run that applies a plan has done so far, put together from all that its workers left on record."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.repair.apply_job import COUNTS, OUTCOMES, PROBLEMS, ApplyJob
from stovepipe_cli.repair.kept_rows import kept_rows, written_of
from stovepipe_cli.repair.recheck import Recheck
from stovepipe_cli.reports import ApplyReport, Finding, Receipt, Written, canonical_json
from stovepipe_cli.storage.contract import Storage, StorageUnavailable
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work import Stop

MOST_PROBLEMS = 1000
_PAGE = 500


def apply_outcome(
    ledger: QueueLedger, storage: Storage, run_id: str, job: ApplyJob, *, stop: Stop | None, clock: Clock
) -> ApplyReport:
    """The report of the run as it is on record; `stop` says why it is not at its end.

    What is left of the plan's requests is looked for unless somebody is waiting for the end.
    """
    counts = outcome_counts(ledger, run_id)
    problems = [str(each) for told in _told(ledger, run_id) for each in told.get(PROBLEMS) or ()]
    by_signal = None if stop is None else stop.signal
    return ApplyReport(
        run_id=run_id,
        dry_run=False,
        applied=counts["applied"],
        identical=counts["identical"],
        drifted=counts["drifted"],
        conflicts=counts["conflicts"],
        failed=counts["failed"],
        remaining_findings=()
        if by_signal is not None
        else _remaining(storage, job, clock, is_stopped=stop is not None),
        receipt=Receipt(None, rows_written(ledger, run_id)),
        problems=tuple(problems[:MOST_PROBLEMS]),
        stopped_because=None if stop is None else stop.sentence,
        ended_by=by_signal,
    )


def outcome_counts(ledger: QueueLedger, run_id: str) -> dict[str, int]:
    """How many of the plan's ready entries became what so far, steps that did not end included."""
    counts = Counter(dict.fromkeys(OUTCOMES, 0))
    for told in _told(ledger, run_id):
        counts.update({name: _number(told.get(COUNTS), name) for name in OUTCOMES})
    return dict(counts)


def rows_written(ledger: QueueLedger, run_id: str) -> tuple[Written, ...]:
    """Every row that is certain to be written by the run, each once, in plan order."""
    rows: dict[tuple[str, str, str], Written] = {}
    for kept in kept_rows(ledger, run_id):
        if kept.is_certain:
            written = written_of(kept)
            # A row that is inserted and then moved forward stands twice, and what a later attempt repeats once.
            rows.setdefault((written.table, canonical_json(written.key), canonical_json(written.after)), written)
    return tuple(rows.values())


def _told(ledger: QueueLedger, run_id: str) -> Iterator[Mapping[str, Any]]:
    """The counts of each step: of its end, or of its latest attempt where it has none."""
    after = -1
    while steps := ledger.steps.steps(run_id, limit=_PAGE, after=after):
        for step in steps:
            yield step.output if step.output is not None else _latest(ledger, step)
        after = steps[-1].step_index


def _latest(ledger: QueueLedger, step: WorkStep) -> Mapping[str, Any]:
    after = (step.step_index - 1, 2**31 - 1, "")
    attempts = [
        each
        for each in ledger.runs.invocations_of(step.run_id, limit=_PAGE, after=after)
        if each.step_index == step.step_index
    ]
    return attempts[-1].document if attempts else {}


def _remaining(storage: Storage, job: ApplyJob, clock: Clock, *, is_stopped: bool) -> tuple[Finding, ...]:
    recheck = Recheck(storage, job.plan, job.options.verify, clock)
    try:
        return recheck.findings(dict.fromkeys(entry.request_id for entry in job.plan.entries))
    except StorageUnavailable:
        # What was written must still be reported, and why nothing can be read is told already.
        if not is_stopped:
            raise
        return ()


def _number(counts: object, name: str) -> int:
    value = counts.get(name) if isinstance(counts, Mapping) else None
    return value if isinstance(value, int) else 0
