"""Requests by their number: both forms of an id are tried, since a queue may hold either."""

from collections.abc import Iterator, Sequence
from functools import partial

from stovepipe_cli.audit.dossier import FIRST_ENTRY
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.request_id import MAX_NUMBER, parse_request_id, spell_request_id
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, QueueRow, RequestLogRow, RequestRow

TRIED_AT_ONCE = 500

# Beyond this many numbers a walk over the table is cheaper than asking for each of them.
MOST_TRIED = 20_000


def ids_between(queue: str, lowest: int, highest: int) -> Iterator[list[str]]:
    """The ids that numbers of this range can have, in batches by ascending number."""
    for start in range(max(lowest, 1), highest + 1, TRIED_AT_ONCE):
        stop = min(start + TRIED_AT_ONCE, highest + 1)
        yield spellings(queue, range(start, stop))


def spellings(queue: str, numbers: Sequence[int]) -> list[str]:
    """Both forms of the id of each number."""
    return [
        text
        for number in numbers
        for text in (spell_request_id(queue, number, "path"), spell_request_id(queue, number, "decimal"))
    ]


def latest_number(snapshots: Snapshots, queue: str) -> int | None:
    """The number of the queue's latest request as its coordination row has it, None where that is unknown."""
    rows = snapshots.read(lambda snapshot: snapshot.page(QueueRow, limit=1).rows)
    parsed = parse_request_id(queue, rows[0].latest_request_id) if rows else None
    return None if parsed is None else parsed.number


def existing(snapshots: Snapshots, queue: str, lowest: int, highest: int) -> list[int]:
    """The numbers of a range that requests have, ascending; the caller bounds the range."""
    numbers: set[int] = set()
    for ids in ids_between(queue, lowest, highest):
        keys = [(each,) for each in ids]
        for row in snapshots.read(partial(_requests, keys)):
            parsed = parse_request_id(queue, row.id)
            if parsed is not None:
                numbers.add(parsed.number)
    return sorted(numbers)


def highest_number(snapshots: Snapshots, queue: str) -> int | None:
    """The highest number of any request: from the coordination row upwards, else by a walk over the keys."""
    number = latest_number(snapshots, queue)
    if number is None:
        return _walked(snapshots, queue)
    while number < MAX_NUMBER:
        beyond = existing(snapshots, queue, number + 1, min(number + TRIED_AT_ONCE, MAX_NUMBER))
        if not beyond:
            break
        number = beyond[-1]
    return number


def _walked(snapshots: Snapshots, queue: str) -> int | None:
    return max(walked_numbers(snapshots, queue), default=None)


def walked_numbers(snapshots: Snapshots, queue: str) -> Iterator[int]:
    """The number of every request, in key order, by a walk over the whole table."""
    after: Key | None = None
    while True:
        page = snapshots.read(partial(_page, after))
        for row in page.rows:
            parsed = parse_request_id(queue, row.id)
            if parsed is not None:
                yield parsed.number
        if page.next_after is None:
            return
        after = page.next_after


def has_first_entry(snapshots: Snapshots, queue: str, lowest: int, highest: int) -> bool:
    """Whether a request of a number in this range has its first entry; the caller bounds the range."""
    for ids in ids_between(queue, lowest, highest):
        if snapshots.read(partial(_entries, [(each, FIRST_ENTRY) for each in ids])):
            return True
    return False


def _requests(keys: Sequence[Key], snapshot: AuditSnapshot) -> tuple[RequestRow, ...]:
    return snapshot.multi_get(RequestRow, keys)


def _entries(keys: Sequence[Key], snapshot: AuditSnapshot) -> tuple[RequestLogRow, ...]:
    return snapshot.multi_get(RequestLogRow, keys)


def _page(after: Key | None, snapshot: AuditSnapshot) -> AuditPage[RequestRow]:
    return snapshot.page(RequestRow, after=after, limit=MOST_TRIED // 4)
