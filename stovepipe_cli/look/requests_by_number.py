"""Requests as a list, highest number first."""

from collections.abc import Iterator

from stovepipe_cli.audit.numbers import spellings
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.cursor import decode_cursor, encode_cursor
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.listing import require_page_limit
from stovepipe_cli.look.newest import newest_number
from stovepipe_cli.look.request_filter import Kept, Position, RequestFilter, first_kept
from stovepipe_cli.look.request_rows import AT_ONCE, items_of
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import RequestItem
from stovepipe_cli.storage.contract import Storage

_LISTING = "requests"
_FEWEST_NUMBERS = 50


def list_by_number(
    storage: Storage, chosen: RequestFilter, clock: Clock, *, limit: int, cursor: str | None
) -> ListReport[RequestItem]:
    """Highest number first, whichever the form of the id; an id of neither form has no number and does not appear.

    Keys sort as text, so the numbers are counted down from the newest and asked for in both forms. A request that lies
    above the newest known one appears unless hundreds of numbers without a request are between.
    """
    require_page_limit(limit)
    order = f"number desc;{chosen.name}"
    snapshots = Snapshots(storage.audit, clock)
    if cursor is None:
        start: Position = (newest_number(storage, snapshots) + 1, "")
    else:
        key = decode_cursor(cursor, queue=storage.queue, listing=_LISTING, order=order, shape=(int, int, int, str))
        chosen = chosen.within(int(key[0]), int(key[1]))
        start = (int(key[2]), str(key[3]))
    kept = first_kept(_downwards(snapshots, storage.queue, start, chosen.state, limit), chosen, limit)
    token = None
    if kept.behind is not None:
        bounds = (chosen.since_ms, chosen.until_ms)
        token = encode_cursor(queue=storage.queue, listing=_LISTING, order=order, key=(*bounds, *kept.behind))
    return ListReport(kept.items, token, RequestItem, _notes(storage.queue, kept, is_start=cursor is None))


def _downwards(
    snapshots: Snapshots, queue: str, behind: Position, state: str, limit: int
) -> Iterator[tuple[Position, RequestItem | None]]:
    top, last_id = behind
    # Nothing of a number is behind an empty id.
    top = top if last_id else top - 1
    size = min(max(limit + 1, _FEWEST_NUMBERS), AT_ONCE)
    while top >= 1:
        low = max(top - size + 1, 1)
        found = items_of(snapshots, spellings(queue, range(low, top + 1)), state)
        for number in range(top, low - 1, -1):
            ids = sorted((each for each in spellings(queue, [number]) if each in found), key=key_bytes, reverse=True)
            if last_id and number == behind[0]:
                ids = [each for each in ids if key_bytes(each) < key_bytes(last_id)]
            for request_id in ids:
                yield (number, request_id), found[request_id]
            if not ids:
                yield (number, ""), None
        top, size = low - 1, AT_ONCE


def _notes(queue: str, kept: Kept, *, is_start: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if kept.is_cut and kept.behind is not None:
        notes.append(f"this page looked at {kept.looked_at} numbers, down to {kept.behind[0]}, and ends there")
    elif not kept.items:
        notes.append(f"queue '{queue}' has no such request" + ("" if is_start else " from here on"))
    if kept.unplaced:
        one = kept.unplaced == 1
        notes.append(
            f"{kept.unplaced} {'request is' if one else 'requests are'} left out, since it is not known when "
            f"{'it was' if one else 'they were'} accepted"
        )
    return tuple(notes)
