"""The ways in which a run ends: each puts the ending of its work on record, and then the run's own, at that time.

Whoever comes second, or again after a kill in between, finds the first ending and repeats it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from stovepipe_cli.entities.run import Run, RunEnd, RunStatus
from stovepipe_cli.entities.work import ENDINGS, EventKind, WorkEvent
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import QueueLedger, RunConflict
from stovepipe_cli.work.header import amend, require_run


class WorkUnfinished(StovepipeError):
    """A run was to be completed with steps that are not disposed of."""

    code = "work-unfinished"
    exit_code = 8


def close_run(
    ledger: QueueLedger, run_id: str, *, counts: Mapping[str, int], failures: tuple[str, ...] = ()
) -> tuple[Run, bool]:
    """Complete the run, all of whose steps were minted; the run as it ended, and whether this call ended it.

    The only writer of COMPLETED for a run with steps. A run without any completes vacuously. `WorkUnfinished` where a
    step is neither completed nor failed for good.
    """
    by_status = ledger.steps.counts_by_status(run_id)
    unfinished = by_status["pending"] + by_status["running"] + by_status["waiting"]
    if unfinished:
        raise WorkUnfinished(
            f"run '{run_id}' has {unfinished} steps that are not done",
            hint=f"'stovepipe runs resume {run_id}' does them",
        )
    run = require_run(ledger, run_id)
    if not run.is_ended and run.header.stopped_because is not None:
        # One that left while another went on may have been the last to write.
        amend(ledger, run_id, lambda header: replace(header, stopped_because=None))
    return _end(ledger, run_id, "WorkflowCompleted", {"counts": dict(counts), "failures": list(failures)})


def cancel_run(ledger: QueueLedger, run_id: str, *, reason: str) -> tuple[Run, bool]:
    """Cancel the run, whatever was done of it; the run as it ended, which may be otherwise, and whether by this call.

    Its workers stop at their next look at their lease.
    """
    return _end(ledger, run_id, "WorkflowCancelled", {"stopped_because": reason})


def fail_run(
    ledger: QueueLedger, run_id: str, *, reason: str, counts: Mapping[str, int] | None = None
) -> tuple[Run, bool]:
    """The same for a run that cannot go on; `counts` are what was done of it, if that is more than is on record."""
    told = {} if counts is None else {"counts": dict(counts)}
    return _end(ledger, run_id, "WorkflowFailed", {"stopped_because": reason, "failures": [reason], **told})


def settle(ledger: QueueLedger, run: Run) -> Run:
    """The run, ended where the ending of its work is on record and the run's own is not yet."""
    if run.is_ended:
        return run
    ending = ledger.steps.ending(run.run_id)
    return run if ending is None else _transition(ledger, run.run_id, ending)[0]


def _end(ledger: QueueLedger, run_id: str, kind: EventKind, body: Mapping[str, object]) -> tuple[Run, bool]:
    run = settle(ledger, require_run(ledger, run_id))
    if run.is_ended:
        return run, False
    event = WorkEvent(ledger.queue, run_id, kind, token=kind, body=body)
    try:
        ending = ledger.steps.append_event(event)
    except RunConflict:
        # Another ending came first, and it is the one that counts.
        return settle(ledger, run), False
    except NotFound:
        return _end_without_work(ledger, run_id, kind, body)
    return _transition(ledger, run_id, ending)


def _end_without_work(
    ledger: QueueLedger, run_id: str, kind: EventKind, body: Mapping[str, object]
) -> tuple[Run, bool]:
    """No work was ever begun, so the run's own end is the only one."""
    end = _end_of(kind, ledger.steps.now_ms(), body)
    try:
        applied = ledger.runs.transition(run_id, end) == "APPLIED"
    except RunConflict:
        applied = False
    return require_run(ledger, run_id), applied


def _transition(ledger: QueueLedger, run_id: str, ending: WorkEvent) -> tuple[Run, bool]:
    applied = ledger.runs.transition(run_id, _end_of(ending.kind, ending.at_ms, ending.body)) == "APPLIED"
    return require_run(ledger, run_id), applied


def _end_of(kind: EventKind, at_ms: int, body: Mapping[str, object]) -> RunEnd:
    counts, failures, stopped = body.get("counts"), body.get("failures"), body.get("stopped_because")
    return RunEnd(
        status=cast("RunStatus", ENDINGS[kind]),
        finished_at_ms=at_ms,
        counts=dict(counts) if isinstance(counts, Mapping) else None,
        failures=tuple(failures) if isinstance(failures, list | tuple) else None,
        stopped_because=stopped if isinstance(stopped, str) else None,
    )
