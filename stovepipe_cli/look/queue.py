"""Why a queue's branch is, or is not, green at its newest commit: what is stored, and what of it disagrees."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from stovepipe_cli.audit.numbers import highest_number, spellings
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import Queue, QueueSummary, ValidationFact
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.instants import format_age, format_instant
from stovepipe_cli.look.requests import verdict_of
from stovepipe_cli.reports import JsonValue, json_form
from stovepipe_cli.reports.look import QueueReport, RepositoryVerdict, UnfinishedItem
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import RequestRow, RequestSummaryRow, ValidationFactRow

LOOK_BACK = 5000

_BATCH = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Recent:
    """The requests of the newest numbers, newest first, with their summaries and repository facts."""

    requests: tuple[RequestRow, ...]
    summaries: Mapping[str, RequestSummaryRow]
    facts: Mapping[str, ValidationFactRow]


def show_queue(storage: Storage, clock: Clock, *, look_back: int = LOOK_BACK) -> QueueReport:
    """The queue as it stands; `NothingFound` where there is neither a coordination row nor a request.

    Unfinished requests and the newest verdict are looked for among the newest `look_back` request numbers.
    """
    row = _or_none(storage.queues.get)
    recent = _recent(storage, clock, look_back)
    if row is None and not recent.requests:
        raise NothingFound(
            f"queue '{storage.queue}' has neither a coordination row nor a request", hint="stovepipe queues list"
        )
    green = _green_fact(storage, row)
    newest = recent.requests[0] if recent.requests else None
    judged, verdict = _newest_verdict(recent)
    unfinished = _unfinished(recent)
    accepted_at_ms = _accepted_at(newest, recent)
    summary = _or_none(storage.queue_summaries.get)
    return QueueReport(
        why=_why(newest, judged, verdict, clock.now_ms(), green),
        last_green_request_id=(row.last_green_request_id or None) if row else None,
        last_green_uri=(row.last_green_uri or None) if row else None,
        last_green_at_ms=green.created_at_ms if green else None,
        last_green_at=format_instant(green.created_at_ms) if green else None,
        newest_request_id=newest.id if newest else None,
        newest_state=newest.state if newest else None,
        newest_accepted_at_ms=accepted_at_ms,
        newest_accepted_at=None if accepted_at_ms is None else format_instant(accepted_at_ms),
        newest_verdict=verdict,
        newest_verdict_request_id=judged.id if judged else None,
        unfinished=unfinished,
        looked_back=look_back,
        coordination=_fields(row),
        summary=_fields(summary),
        disagreements=tuple(_disagreements(storage, row, newest, unfinished, summary)),
    )


def _recent(storage: Storage, clock: Clock, look_back: int) -> _Recent:
    snapshots = Snapshots(storage.audit, clock)
    highest = highest_number(snapshots, storage.queue) or 0
    requests: list[RequestRow] = []
    for top in range(highest, max(highest - look_back, 0), -_BATCH):
        ids = spellings(storage.queue, range(max(top - _BATCH, highest - look_back, 0) + 1, top + 1))
        with storage.audit.snapshot() as snapshot:
            requests.extend(snapshot.multi_get(RequestRow, [(each,) for each in ids]))
    requests.sort(key=lambda each: request_order(storage.queue, each.id), reverse=True)
    summaries: dict[str, RequestSummaryRow] = {}
    facts: dict[str, ValidationFactRow] = {}
    for start in range(0, len(requests), _BATCH):
        batch = requests[start : start + _BATCH]
        with storage.audit.snapshot() as snapshot:
            found = snapshot.multi_get(ValidationFactRow, [(each.uri, "") for each in batch if each.uri])
            facts.update((fact.uri, fact) for fact in found)
            if storage.audit.view("request_summary") is not None:
                keys = [(each.id,) for each in batch]
                summaries.update((each.request_id, each) for each in snapshot.multi_get(RequestSummaryRow, keys))
    return _Recent(tuple(requests), summaries, facts)


def _newest_verdict(recent: _Recent) -> tuple[RequestRow | None, RepositoryVerdict]:
    for request in recent.requests:
        fact = recent.facts.get(request.uri)
        if fact is not None and fact.request_id == request.id:
            return request, "green" if fact.degree == 0 else "broken"
    return None, "unknown"


def _unfinished(recent: _Recent) -> tuple[UnfinishedItem, ...]:
    items = []
    for request in reversed(recent.requests):
        if request.state not in TERMINAL_STATES:
            summary = recent.summaries.get(request.id)
            since_ms = summary.state_timestamp_ms if summary and summary.state == request.state else None
            since = None if since_ms is None else format_instant(since_ms)
            items.append(UnfinishedItem(request.id, request.state, since_ms, since))
    return tuple(items)


def _accepted_at(newest: RequestRow | None, recent: _Recent) -> int | None:
    summary = recent.summaries.get(newest.id) if newest else None
    return (summary.accepted_at_ms or None) if summary else None


def _green_fact(storage: Storage, row: Queue | None) -> ValidationFact | None:
    return _or_none(lambda: storage.facts.get(row.last_green_uri)) if row and row.last_green_uri else None


def _why(
    newest: RequestRow | None,
    judged: RequestRow | None,
    verdict: RepositoryVerdict,
    now_ms: int,
    green: ValidationFact | None,
) -> str:
    if newest is None:
        return "no request is on record, so nothing was ever validated"
    age = f", {format_age(max(now_ms - green.created_at_ms, 0))} ago" if green else ""
    if judged is None:
        return f"none of the newest requests has a verdict yet; the newest, '{newest.id}', is '{newest.state}'"
    if verdict == "green":
        if judged.id == newest.id:
            return f"green at its newest request '{newest.id}'{age}"
        return f"green at '{judged.id}'{age}; what came after has no verdict yet"
    return f"broken at '{judged.id}', the newest request with a verdict"


def _disagreements(
    storage: Storage,
    row: Queue | None,
    newest: RequestRow | None,
    unfinished: tuple[UnfinishedItem, ...],
    summary: QueueSummary | None,
) -> list[str]:
    found: list[str] = []
    if row is None:
        return ["Q601 requests exist, the coordination row does not"]
    if newest and row.latest_request_id != newest.id:
        found.append(f"Q602 the row's latest request is '{row.latest_request_id}', the newest is '{newest.id}'")
    if row.last_green_uri and verdict_of(storage, row.last_green_uri) != "green":
        found.append(f"Q603 no green fact stands at the last green commit '{row.last_green_uri}'")
    processing = sum(1 for each in unfinished if each.state == "processing")
    if row.in_flight_count != processing:
        found.append(f"Q604 the row counts {row.in_flight_count} in flight, {processing} requests are processing")
    if summary and row.enablement_sequence and summary.enablement_sequence != row.enablement_sequence:
        found.append(
            f"Q605 the queue summary shows enablement {summary.enablement_sequence}, the row {row.enablement_sequence}"
        )
    return found


def _or_none(get: Callable[[], T]) -> T | None:
    try:
        return get()
    except (NotFound, SchemaMismatch):
        return None


def _fields(value: Queue | QueueSummary | None) -> Mapping[str, JsonValue] | None:
    form = json_form(value)
    return form if isinstance(form, Mapping) else None
