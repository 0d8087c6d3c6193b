"""One operator run in full: its header and lineage, where its work stands, and what the ledger kept of it."""

from collections.abc import Iterator, Mapping

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import WHOLE_WORKFLOW, WorkEvent, WorkStep
from stovepipe_cli.instants import format_instant
from stovepipe_cli.look.runs import run_item
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.reports.json_form import json_form
from stovepipe_cli.reports.runs import EventView, FailedStep, HoldView, Pages, RunReport, WorkerView
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.identity import WorkerIdentity
from stovepipe_cli.work.stepless import DUE_MS, WORKER

THROTTLE = "throttle"
# Keys of a header's document that other fields of the answer show, or that are of no use to a reader.
_SHOWN_APART = frozenset({WORKER, DUE_MS, THROTTLE})
_MOST_RELATED = 100
_MOST_FAILED = 100
_PAGE = 1_000


def show_run(ledger: QueueLedger, run: Run, here: WorkerIdentity, *, events: bool = False) -> RunReport:
    """The run with its steps by status, its live workers, its hold and its lineage; its events too if asked for."""
    header, document, item = run.header, run.header.document, run_item(ledger, run, here)
    return RunReport(
        run_id=item.run_id,
        queue=item.queue,
        kind=item.kind,
        status=item.status,
        abandoned=item.abandoned,
        stopped_because=item.stopped_because,
        started_at_ms=item.started_at_ms,
        finished_at_ms=item.finished_at_ms,
        actor=item.actor,
        reason=item.reason,
        counts=item.counts,
        failures=item.failures,
        profile=header.profile,
        target=header.target,
        revisions=header.revisions,
        options=_object(header.options),
        parent_run_id=run.parent_run_id,
        root_run_id=run.root_run_id,
        ancestors=tuple(each.run_id for each in ledger.runs.ancestors_of(run.run_id, limit=_MOST_RELATED)),
        children=tuple(each.run_id for each in ledger.runs.children_of(run.run_id, limit=_MOST_RELATED)),
        steps=_steps(ledger, run.run_id),
        workers=tuple(_worker(step) for step in ledger.steps.live_leases(run.run_id, limit=_MOST_RELATED)),
        failed_steps=_failed(ledger, run.run_id),
        hold=hold_view(ledger, run.run_id),
        throttle=_object(document[THROTTLE]) if document.get(THROTTLE) else None,
        result=_object({name: value for name, value in document.items() if name not in _SHOWN_APART}),
        events=Pages(lambda: run_events(ledger, run.run_id)) if events else None,
    )


def hold_view(ledger: QueueLedger, run_id: str) -> HoldView | None:
    """The run's hold, if it is held."""
    hold = ledger.holds.of(run_id)
    return None if hold is None else HoldView(hold.reason, hold.actor, hold.since_ms)


def run_events(ledger: QueueLedger, run_id: str) -> Iterator[EventView]:
    """Every event of a run's work that is still kept, in order."""
    after = 0
    while page := ledger.steps.load_events(run_id, limit=_PAGE, after=after):
        yield from map(_event, page)
        after = page[-1].sequence


def _steps(ledger: QueueLedger, run_id: str) -> Mapping[str, int]:
    counts = ledger.steps.counts_by_status(run_id)
    return {status: count for status, count in counts.items() if count}


def _failed(ledger: QueueLedger, run_id: str) -> tuple[FailedStep, ...]:
    found = [
        step
        for status in ("failed", "waiting")
        for step in ledger.steps.steps(run_id, limit=_MOST_FAILED, status=status)
    ]
    return tuple(FailedStep(step.step_index, step.status, step.attempt, step.reason) for step in found)


def _worker(step: WorkStep) -> WorkerView:
    return WorkerView(step.worker, step.step_index, step.attempt, step.lease_until_ms)


def _event(event: WorkEvent) -> EventView:
    return EventView(
        sequence=event.sequence,
        at_ms=event.at_ms,
        at=format_instant(event.at_ms),
        event=event.kind,
        step_index=None if event.step_index == WHOLE_WORKFLOW else event.step_index,
        attempt=event.attempt,
        worker=event.worker,
        fencing=event.fencing,
        body=_object(event.body),
    )


def _object(value: object) -> Mapping[str, JsonValue]:
    form = json_form(value)
    return form if isinstance(form, Mapping) else {"value": form}
