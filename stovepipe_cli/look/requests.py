"""Requests as a list, by acceptance or by number, and one request with everything beside it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stovepipe_cli.audit.numbers import highest_number, spellings
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import RequestSummary
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.history.viewer import request_view
from stovepipe_cli.instants import format_instant
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.reports import JsonValue, ListReport, json_form
from stovepipe_cli.reports.look import BuildItem, RepositoryVerdict, RequestItem, RequestReport
from stovepipe_cli.request_id import parse_request_id
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import RequestRow, RequestSummaryRow

# How far one page looks before it ends short, with a cursor that goes on from there.
MOST_LOOKED_AT = 20_000
MOST_BUILDS = 1000

T = TypeVar("T")

_REQUESTS = "requests"
_BATCH = 500


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """`state` empty keeps every state; the half-open window [since_ms, until_ms) is of acceptance times."""

    state: str = ""
    since_ms: int = 0
    until_ms: int = MAX_INT64

    @property
    def is_windowed(self) -> bool:
        """Whether acceptance times matter at all."""
        return self.since_ms > 0 or self.until_ms < MAX_INT64

    @property
    def name(self) -> str:
        """What a cursor is bound to."""
        return f"state={self.state};since={self.since_ms};until={self.until_ms}"

    def keeps(self, item: RequestItem) -> bool:
        """Whether a request belongs into the list; one of unknown acceptance is in no window."""
        if self.state and item.state != self.state:
            return False
        if not self.is_windowed:
            return True
        return item.accepted_at_ms is not None and self.since_ms <= item.accepted_at_ms < self.until_ms


def list_by_acceptance(
    storage: Storage, chosen: RequestFilter, *, limit: int, cursor: str | None
) -> ListReport[RequestItem]:
    """Newest acceptance first, through the mappings alone: a request without one cannot appear, and a note says so."""
    require_page_limit(limit)
    order = f"accepted desc;{chosen.name}"
    before: tuple[int, str] | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_REQUESTS, order=order, shape=(int, str))
        before = (int(key[0]), str(key[1]))
    items: list[RequestItem] = []
    looked_at = 0
    while len(items) < limit and looked_at < MOST_LOOKED_AT:
        page = storage.acceptances.list_before(chosen.since_ms, chosen.until_ms, before, min(_BATCH, limit))
        if not page:
            return ListReport(tuple(items), None, RequestItem, _notes(storage, items))
        found = _hydrated(storage, [each.request_id for each in page])
        for each in page:
            looked_at += 1
            before = (each.accepted_at_ms, each.request_id)
            item = found.get(each.request_id)
            if item is not None and chosen.keeps(item):
                items.append(item)
                if len(items) == limit:
                    break
    token = None
    if before is not None:
        token = encode_cursor(queue=storage.queue, listing=_REQUESTS, order=order, key=before)
    return ListReport(tuple(items), token, RequestItem, _notes(storage, items))


def list_by_number(
    storage: Storage, chosen: RequestFilter, clock: Clock, *, limit: int, cursor: str | None
) -> ListReport[RequestItem]:
    """Highest number first, whichever the form of the id.

    Requests above the coordination row's latest one appear unless a gap of hundreds of numbers lies between.
    """
    require_page_limit(limit)
    order = f"number desc;{chosen.name}"
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_REQUESTS, order=order, shape=(int,))
        number = int(key[0]) - 1
    else:
        number = highest_number(Snapshots(storage.audit, clock), storage.queue) or 0
    items: list[RequestItem] = []
    tried = 0
    for low, ids in _downwards(storage.queue, number):
        found = _hydrated(storage, ids)
        for item in sorted(found.values(), key=lambda each: _number(storage.queue, each), reverse=True):
            if chosen.keeps(item):
                items.append(item)
                if len(items) == limit:
                    token = _number_token(storage.queue, order, _number(storage.queue, item))
                    return ListReport(tuple(items), token, RequestItem)
        tried += _BATCH
        if tried >= MOST_LOOKED_AT and low > 1:
            note = f"looked at {tried} numbers down to {low}; the cursor goes on from there"
            return ListReport(tuple(items), _number_token(storage.queue, order, low), RequestItem, (note,))
    notes = () if items else (f"queue '{storage.queue}' has no such request",)
    return ListReport(tuple(items), None, RequestItem, notes)


def show_request(storage: Storage, request_id: str) -> RequestReport:
    """Everything beside one request; `NothingFound` where nothing at all is known of it."""
    request = _or_none(lambda: storage.requests.get(request_id))
    summary = _or_none(lambda: storage.summaries.get(request_id))
    entries = storage.request_log.list(request_id)
    if request is None and summary is None and not entries:
        raise NothingFound(
            f"nothing is known of request '{request_id}' in queue '{storage.queue}'",
            hint="name it by its id, its number, @latest, @last-green or its commit",
        )
    uri = request.uri if request else summary.uri if summary else ""
    named = [request.terminal_build_id if request else "", *(each.metadata.get(BUILD_ID, "") for each in entries)]
    mapping = _or_none(lambda: storage.request_uris.get(uri)) if uri else None
    return RequestReport(
        request_id=request_id,
        request=None if request is None else request_view(request),
        summary=_fields(summary),
        uri_request_id=None if mapping is None else mapping.request_id,
        builds=_builds(storage, named),
        verdict_of_commit=verdict_of(storage, uri),
        entries=len(entries),
    )


def verdict_of(storage: Storage, uri: str) -> RepositoryVerdict:
    """What the repository fact of a commit says; no fact says nothing."""
    fact = _or_none(lambda: storage.facts.get(uri)) if uri else None
    if fact is None:
        return "unknown"
    return "green" if fact.is_green else "broken"


def _builds(storage: Storage, named: Sequence[str]) -> tuple[BuildItem, ...]:
    items: list[BuildItem] = []
    for build_id in list(dict.fromkeys(name for name in named if name))[:MOST_BUILDS]:
        try:
            items.append(BuildItem(build_id, storage.builds.get(build_id).status))
        except NotFound:
            items.append(BuildItem(build_id, "(no such build)"))
    return tuple(items)


def _hydrated(storage: Storage, ids: Sequence[str]) -> dict[str, RequestItem]:
    keys = [(each,) for each in ids]
    with storage.audit.snapshot() as snapshot:
        requests = {row.id: row for row in snapshot.multi_get(RequestRow, keys)}
        summaries: dict[str, RequestSummaryRow] = {}
        if requests:
            try:
                found = snapshot.multi_get(RequestSummaryRow, [(each,) for each in requests])
                summaries = {row.request_id: row for row in found}
            except SchemaMismatch:
                summaries = {}
    return {request_id: _item(row, summaries.get(request_id)) for request_id, row in requests.items()}


def _item(row: RequestRow, summary: RequestSummaryRow | None) -> RequestItem:
    accepted_at_ms = (summary.accepted_at_ms or None) if summary else None
    return RequestItem(
        request_id=row.id,
        state=row.state,
        outcome_reason=summary.outcome_reason if summary else "",
        accepted_at_ms=accepted_at_ms,
        accepted_at=None if accepted_at_ms is None else format_instant(accepted_at_ms),
        uri=row.uri,
    )


def _downwards(queue: str, number: int) -> Iterator[tuple[int, list[str]]]:
    while number >= 1:
        low = max(number - _BATCH + 1, 1)
        yield low, spellings(queue, range(low, number + 1))
        number = low - 1


def _number(queue: str, item: RequestItem) -> int:
    parsed = parse_request_id(queue, item.request_id)
    return 0 if parsed is None else parsed.number


def _number_token(queue: str, order: str, number: int) -> str:
    return encode_cursor(queue=queue, listing=_REQUESTS, order=order, key=(number,))


def _notes(storage: Storage, items: Sequence[RequestItem]) -> tuple[str, ...]:
    notes = () if items else (f"queue '{storage.queue}' has no such request with an acceptance mapping",)
    return (*notes, _unmapped(storage))


def _unmapped(storage: Storage) -> str:
    """How many requests cannot appear in this order, as long as counting them is cheap."""
    mapped: set[str] = set()
    before: tuple[int, str] | None = None
    while page := storage.acceptances.list_before(0, MAX_INT64, before, 1000):
        mapped.update(each.request_id for each in page)
        before = (page[-1].accepted_at_ms, page[-1].request_id)
        if len(mapped) > MOST_LOOKED_AT:
            return _not_counted()
    requests = missing = 0
    after: tuple[str | int | float, ...] | None = None
    while True:
        with storage.audit.snapshot() as snapshot:
            rows = snapshot.page(RequestRow, after=after, limit=1000)
        requests += len(rows.rows)
        missing += sum(1 for row in rows.rows if row.id not in mapped)
        if requests > MOST_LOOKED_AT:
            return _not_counted()
        if rows.next_after is None:
            break
        after = rows.next_after
    if not missing:
        return "every request has an acceptance mapping"
    have = "request has" if missing == 1 else "requests have"
    return f"{missing} {have} no acceptance mapping and cannot appear in this order; --order number shows them"


def _not_counted() -> str:
    return (
        f"requests without an acceptance mapping cannot appear in this order; there are more than {MOST_LOOKED_AT} "
        "requests, so they were not counted: stovepipe backfill acceptances does"
    )


def _or_none(get: Callable[[], T]) -> T | None:
    try:
        return get()
    except (NotFound, SchemaMismatch):
        return None


def _fields(summary: RequestSummary | None) -> Mapping[str, JsonValue] | None:
    form = json_form(summary)
    return form if isinstance(form, Mapping) else None
