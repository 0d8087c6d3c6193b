"""Plans the queue's own summary, from the newest occurrence of its log, forward only."""

from dataclasses import replace

from stovepipe_cli.entities import QueueLog, QueueSummary
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.errors import HistoryError
from stovepipe_cli.history.queue_projection import newest_occurrence, project_queue
from stovepipe_cli.repair.journal import update_left_out
from stovepipe_cli.repair.written_rows import queue_summary_cells
from stovepipe_cli.reports import Evidence, JsonValue, PlanEntry
from stovepipe_cli.storage.contract import NotFound, Storage, mapping
from stovepipe_cli.storage.contract.tables import QUEUE_LOG, QUEUE_SUMMARY

CODE = "Q605"
QUEUE_ITSELF = ""
OCCURRENCE_TIME = "queue_log.timestamp_ms"


def plan_queue(storage: Storage, *, insert_only: bool) -> PlanEntry | None:
    """The summary as the newest retained occurrence calls for it; None where no occurrence is retained any more."""
    newest = newest_occurrence(storage)
    if newest is None:
        return None
    summary = find_queue_summary(storage)
    draft = PlanEntry(
        action="advance-queue-summary",
        code=CODE,
        request_id=QUEUE_ITSELF,
        log_id=None,
        entry=None,
        before=None if summary is None else queue_summary_cells(summary),
        evidence=(_occurrence(newest), _summary(summary)),
        timestamp_source=OCCURRENCE_TIME,
        status="not-derivable",
        reason="",
    )
    try:
        decision = project_queue(summary, newest)
        if decision.summary is not None:
            decision.summary.validate()
    except (HistoryError, InvalidEntity) as problem:
        return replace(draft, reason=problem.message)
    if decision.change == "none" or decision.summary is None:
        return replace(draft, reason=_why_not(newest, summary))
    if insert_only and decision.change == "advanced":
        return replace(draft, status="needs-operator", reason=update_left_out("the queue").message)
    return replace(
        draft,
        entry=queue_summary_cells(decision.summary),
        status="ready",
        reason=f"the newest retained occurrence is '{newest.id}'",
    )


def find_queue_summary(storage: Storage) -> QueueSummary | None:
    """The queue's summary, None where there is none."""
    try:
        return storage.queue_summaries.get()
    except NotFound:
        return None


def _why_not(newest: QueueLog, summary: QueueSummary | None) -> str:
    if summary is not None and summary.enablement_sequence > newest.sequence:
        return f"the summary shows enablement {summary.enablement_sequence}, the newest retained is {newest.sequence}"
    return "the summary fits the newest occurrence; those that are missing before it leave no trace"


def _occurrence(entry: QueueLog) -> Evidence:
    row = mapping.queue_log_row(entry)
    values: dict[str, JsonValue] = {"sequence": row.sequence, "state": row.state, "timestamp_ms": row.timestamp_ms}
    return Evidence(QUEUE_LOG.name, {"log_id": entry.id}, values)


def _summary(summary: QueueSummary | None) -> Evidence:
    return Evidence(QUEUE_SUMMARY.name, {}, None if summary is None else queue_summary_cells(summary))
