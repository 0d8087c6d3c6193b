"""Why a queue's branch is, or is not, green at its newest commit: what is stored, and what of it disagrees."""

from functools import partial
from typing import NamedTuple, TypeVar

from stovepipe_cli.audit.rules.queue import QueueView, judge_queue
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.instants import format_instant
from stovepipe_cli.look.newest import newest_number
from stovepipe_cli.look.recent import Recent, look_back, unfinished_items
from stovepipe_cli.look.request_rows import summaries_of
from stovepipe_cli.look.why import why
from stovepipe_cli.reports.look import (
    Disagreement,
    Enablement,
    LastGreen,
    NewestRequest,
    NewestVerdict,
    QueueReport,
)
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract import AuditSnapshot, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.mapping import queue_from, queue_summary_from
from stovepipe_cli.storage.contract.rows import (
    QueueLogRow,
    QueueRow,
    QueueSummaryRow,
    RequestRow,
    RequestSummaryRow,
    Row,
    ValidationFactRow,
)

LOOK_BACK = 5_000
MOST_LOOKED_BACK = 100_000

# Occurrences beyond the one that the rows know of, which a projection that failed has left behind.
_LATER_OCCURRENCES = 10

R = TypeVar("R", bound=Row)


class _Rows(NamedTuple):
    """What one snapshot has of the queue, and of the requests that had not ended."""

    view: QueueView
    newest_summary: RequestSummaryRow | None


def show_queue(storage: Storage, clock: Clock, *, most: int = LOOK_BACK) -> QueueReport:
    """The queue as it stands; `NothingFound` where there is neither a coordination row nor a request.

    Unfinished requests and the newest verdict are looked for among the `most` newest request numbers, 1 to 100,000.
    """
    if not 1 <= most <= MOST_LOOKED_BACK:
        raise UsageError(f"--look-back {most} is out of range", hint=f"use 1 to {MOST_LOOKED_BACK}")
    snapshots = Snapshots(storage.audit, clock)
    recent = look_back(snapshots, storage.queue, newest_number(storage, snapshots), most)
    rows = snapshots.read(partial(_rows, storage.queue, recent))
    view = rows.view
    if view.row is None and recent.newest is None:
        raise NothingFound(
            f"queue '{storage.queue}' has neither a coordination row nor a request",
            hint="'stovepipe queues list' shows the queues there are",
        )
    now_ms = clock.now_ms()
    green = _last_green(view, now_ms)
    newest = _newest(recent, rows.newest_summary, now_ms)
    verdict = _verdict(recent, now_ms)
    unfinished = unfinished_items(snapshots, recent.unfinished, now_ms)
    return QueueReport(
        why=why(newest, verdict, green, unfinished, None if recent.is_whole else most),
        as_of_ms=now_ms,
        as_of=format_instant(now_ms),
        last_green=green,
        newest=newest,
        newest_verdict=verdict,
        unfinished=unfinished,
        looked_back=most,
        is_whole=recent.is_whole,
        coordination=None if view.row is None else queue_from(storage.queue, view.row),
        enablement=_enablement(view, now_ms),
        summary=None if view.summary is None else queue_summary_from(storage.queue, view.summary),
        disagreements=tuple(Disagreement(each.code, each.message) for each in judge_queue(view)),
    )


def _rows(queue: str, recent: Recent, snapshot: AuditSnapshot) -> _Rows:
    row, summary = _only(snapshot, QueueRow), _only(snapshot, QueueSummaryRow)
    latest = row.latest_request_id if row else ""
    newest_id = recent.newest.id if recent.newest else ""
    is_latest_there = bool(latest) and bool(snapshot.multi_get(RequestRow, [(latest,)]))
    unfinished = snapshot.multi_get(RequestRow, [(each.id,) for each in recent.unfinished])
    in_flight = sum(each.state == "processing" for each in unfinished)
    # Below the look there may be more of them: then only a count that is too low can be told.
    is_counted = recent.is_whole or (row is not None and in_flight > row.in_flight_count)
    view = QueueView(
        at_ms=0,
        row=row,
        highest_id=newest_id,
        is_latest_there=is_latest_there and request_order(queue, latest) >= request_order(queue, newest_id),
        in_flight=in_flight if is_counted else None,
        path_ids=recent.path_ids,
        decimal_ids=recent.decimal_ids,
        green_fact=_green_fact(snapshot, row),
        summary=summary,
        newest=_newest_occurrence(snapshot, row, summary),
        missing_sequences=0,
    )
    return _Rows(view, summaries_of(snapshot, [newest_id]).get(newest_id) if newest_id else None)


def _only(snapshot: AuditSnapshot, row_type: type[R]) -> R | None:
    """The queue's one row of a table; None too where there is no such table."""
    try:
        return next(iter(snapshot.page(row_type, limit=1).rows), None)
    except SchemaMismatch:
        return None


def _green_fact(snapshot: AuditSnapshot, row: QueueRow | None) -> ValidationFactRow | None:
    if row is None or not row.last_green_uri:
        return None
    try:
        return next(iter(snapshot.multi_get(ValidationFactRow, [(row.last_green_uri, "")])), None)
    except SchemaMismatch:
        return None


def _newest_occurrence(
    snapshot: AuditSnapshot, row: QueueRow | None, summary: QueueSummaryRow | None
) -> QueueLogRow | None:
    known = max(row.enablement_sequence if row else 0, summary.enablement_sequence if summary else 0)
    sequences = {known, *range(known + 1, known + 1 + _LATER_OCCURRENCES)} - {0}
    try:
        found = snapshot.multi_get(QueueLogRow, [(queue_log_id(each),) for each in sequences])
    except SchemaMismatch:
        return None
    return max(found, key=lambda each: each.sequence, default=None)


def _last_green(view: QueueView, now_ms: int) -> LastGreen | None:
    row, fact = view.row, view.green_fact
    if row is None or not (row.last_green_uri or row.last_green_request_id):
        return None
    names = (row.last_green_request_id or None, row.last_green_uri or None)
    if fact is None:
        return LastGreen(*names, None, None, None)
    return LastGreen(*names, fact.created_at, format_instant(fact.created_at), max(now_ms - fact.created_at, 0))


def _newest(recent: Recent, summary: RequestSummaryRow | None, now_ms: int) -> NewestRequest | None:
    row = recent.newest
    if row is None:
        return None
    at_ms = summary.accepted_at_ms if summary else 0
    if not at_ms:
        return NewestRequest(row.id, row.uri, row.state, None, None, None)
    return NewestRequest(row.id, row.uri, row.state, at_ms, format_instant(at_ms), max(now_ms - at_ms, 0))


def _verdict(recent: Recent, now_ms: int) -> NewestVerdict | None:
    if recent.judged is None:
        return None
    row, fact = recent.judged
    return NewestVerdict(
        verdict="green" if fact.degree == 0 else "broken",
        request_id=row.id,
        uri=row.uri,
        at_ms=fact.created_at,
        at=format_instant(fact.created_at),
        age_ms=max(now_ms - fact.created_at, 0),
    )


def _enablement(view: QueueView, now_ms: int) -> Enablement | None:
    row, newest = view.row, view.newest
    if row is None or not (row.enablement_state or row.enablement_sequence):
        return None
    if newest is None or newest.sequence != row.enablement_sequence:
        return Enablement(row.enablement_state, row.enablement_sequence, None, None, None)
    since_ms = newest.timestamp_ms
    age_ms = max(now_ms - since_ms, 0)
    return Enablement(row.enablement_state, row.enablement_sequence, since_ms, format_instant(since_ms), age_ms)
