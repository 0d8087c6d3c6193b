"""Requests as a list, newest acceptance first."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import UsageError
from stovepipe_cli.instants import format_instant
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.look.request_filter import Kept, Position, RequestFilter, first_kept
from stovepipe_cli.look.request_rows import AT_ONCE, items_of
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import RequestItem
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import Key, RequestRow

# Above so many mappings or requests, those without a mapping are not counted.
MOST_COUNTED = 20_000

_LISTING = "requests"
_PAGE = 1000


def list_by_acceptance(
    storage: Storage, chosen: RequestFilter, clock: Clock, *, limit: int, cursor: str | None
) -> ListReport[RequestItem]:
    """Newest acceptance first, through the mappings alone, whose times are shown.

    A request without a mapping cannot appear, and a note on the first page says how many there are. A mapping without
    a request appears without a state.
    """
    require_page_limit(limit)
    order = f"accepted desc;{chosen.name}"
    behind: Position | None = None
    if cursor is not None:
        key = decode_cursor(cursor, queue=storage.queue, listing=_LISTING, order=order, shape=(int, int, int, str))
        chosen = chosen.within(int(key[0]), int(key[1]))
        behind = (int(key[2]), str(key[3]))
    snapshots = Snapshots(storage.audit, clock)
    try:
        kept = first_kept(_backwards(storage, snapshots, behind, chosen, limit), chosen, limit)
    except SchemaMismatch as error:
        if storage.audit.view("request_acceptance") is not None:
            raise
        raise UsageError(
            "this database has no acceptance mappings, so nothing can be listed by acceptance",
            hint="add --order number, which needs none",
        ) from error
    token = None
    if kept.behind is not None:
        bounds = (chosen.since_ms, chosen.until_ms)
        token = encode_cursor(queue=storage.queue, listing=_LISTING, order=order, key=(*bounds, *kept.behind))
    notes = _notes(storage.queue, kept, is_start=cursor is None)
    if cursor is None:
        notes += _unmapped(storage, snapshots)
    return ListReport(kept.items, token, RequestItem, notes)


def _backwards(
    storage: Storage, snapshots: Snapshots, behind: Position | None, chosen: RequestFilter, limit: int
) -> Iterator[tuple[Position, RequestItem | None]]:
    size = min(limit + 1, AT_ONCE)
    while page := storage.acceptances.list_before(chosen.since_ms, chosen.until_ms, behind, size):
        found = items_of(snapshots, [each.request_id for each in page], chosen.state)
        for mapping in page:
            behind = (mapping.accepted_at_ms, mapping.request_id)
            yield behind, _item(found.get(mapping.request_id), mapping)
        size = AT_ONCE


def _item(item: RequestItem | None, mapping: RequestAcceptance) -> RequestItem:
    accepted_at = format_instant(mapping.accepted_at_ms)
    if item is None:
        return RequestItem(mapping.request_id, None, "", mapping.accepted_at_ms, accepted_at, None)
    return replace(item, accepted_at_ms=mapping.accepted_at_ms, accepted_at=accepted_at)


def _notes(queue: str, kept: Kept, *, is_start: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if kept.is_cut and kept.behind is not None:
        down_to = format_instant(kept.behind[0])
        notes.append(f"this page looked at {kept.looked_at} mappings, back to {down_to}, and ends there")
    elif not kept.items:
        where = "" if is_start else " from here on"
        notes.append(f"queue '{queue}' has no such request with an acceptance mapping{where}")
    if lost := sum(item.state is None for item in kept.items):
        notes.append(f"{lost} of these mappings {'name' if lost > 1 else 'names'} a request that has no row")
    return tuple(notes)


def _unmapped(storage: Storage, snapshots: Snapshots) -> tuple[str, ...]:
    """How many requests cannot appear in this order, as long as counting them is cheap."""
    mapped: set[str] = set()
    before: Position | None = None
    while page := storage.acceptances.list_before(0, MAX_INT64, before, _PAGE):
        mapped.update(each.request_id for each in page)
        before = (page[-1].accepted_at_ms, page[-1].request_id)
        if len(mapped) > MOST_COUNTED:
            return _not_counted()
    requests = missing = 0
    after: Key | None = None
    while True:
        rows = snapshots.read(partial(_requests, after))
        requests += len(rows.rows)
        missing += sum(row.id not in mapped for row in rows.rows)
        if requests > MOST_COUNTED:
            return _not_counted()
        if rows.next_after is None:
            break
        after = rows.next_after
    if not missing:
        return ()
    have = "request has" if missing == 1 else "requests have"
    return (f"{missing} {have} no acceptance mapping and cannot appear in this order; --order number shows them",)


def _requests(after: Key | None, snapshot: AuditSnapshot) -> AuditPage[RequestRow]:
    return snapshot.page(RequestRow, after=after, limit=_PAGE)


def _not_counted() -> tuple[str, ...]:
    sentence = (
        f"requests without an acceptance mapping cannot appear in this order; with more than {MOST_COUNTED} requests "
        "they are not counted here: stovepipe backfill acceptances counts them"
    )
    return (sentence,)
