"""From what the user asked to look at to the requests that are meant."""

import heapq
from collections.abc import Iterable
from functools import partial

from stovepipe_cli.audit import numbers
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.scope import Scope
from stovepipe_cli.audit.survey import Survey
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.instants import format_instant
from stovepipe_cli.request_id import parse_request_id, spell_request_id
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot, Storage
from stovepipe_cli.storage.contract.rows import Key, RequestAcceptanceRow, RequestLogRow, RequestRow

_PAGE = 5_000
_NAMED_IN_WORDS = 3


def narrowed(storage: Storage, snapshots: Snapshots, survey: Survey, options: VerifyOptions) -> Scope:
    """The scope that the options describe. `NothingFound` for a request without any row."""
    queue = storage.queue
    words: list[str] = []
    ids: frozenset[str] | None = None
    lowest: int | None = None
    highest: int | None = None
    if options.request_ids:
        ids = frozenset(
            _resolved(snapshots, queue, each, has_log=survey.has("request_log")) for each in options.request_ids
        )
        words.append(_named(sorted(ids)))
    if options.last is not None:
        lowest = _lowest_of_last(snapshots, queue, options.last)
        words.append(f"last {options.last} requests" if options.last > 1 else "last request")
    if options.since_ms is not None:
        first = _first_accepted_since(snapshots, queue, options.since_ms)
        lowest = first if first is not None else _behind_last_accepted_before(storage, options.since_ms)
        words.append(f"accepted since {format_instant(options.since_ms)}")
    if options.until_ms is not None:
        first = _first_accepted_since(snapshots, queue, options.until_ms)
        highest = None if first is None else first - 1
        words.append(f"accepted before {format_instant(options.until_ms)}")
    if options.select:
        words.append(f"rules {', '.join(options.select)}")
    if options.ignore:
        words.append(f"without rules {', '.join(options.ignore)}")
    return Scope(queue, ", ".join(words) or None, ids, lowest, highest)


def _named(ids: list[str]) -> str:
    if len(ids) > _NAMED_IN_WORDS:
        return f"{len(ids)} requests"
    return ("request " if len(ids) == 1 else "requests ") + ", ".join(f"'{each}'" for each in ids)


def _resolved(snapshots: Snapshots, queue: str, text: str, *, has_log: bool) -> str:
    parsed = parse_request_id(queue, text)
    forms = [text]
    if parsed is not None and parsed.form == "decimal":
        forms.append(spell_request_id(queue, parsed.number, "path"))

    def known(snapshot: AuditSnapshot) -> str | None:
        there = {row.id for row in snapshot.multi_get(RequestRow, [(each,) for each in forms])}
        return next((form for form in forms if form in there or (has_log and _has_entries(snapshot, form))), None)

    found = snapshots.read(known)
    if found is None:
        raise NothingFound(
            f"request '{text}' of queue '{queue}' has no row", hint="check the queue and the spelling of the request id"
        )
    return found


def _has_entries(snapshot: AuditSnapshot, request_id: str) -> bool:
    page = snapshot.page(RequestLogRow, after=(request_id, ""), upto=(request_id,), limit=_PAGE)
    return any(row.request_id == request_id for row in page.rows)


def _lowest_of_last(snapshots: Snapshots, queue: str, count: int) -> int:
    highest = numbers.highest_number(snapshots, queue)
    if highest is None:
        return 1
    found: list[int] = []
    tried = 0
    while highest - tried > 0 and len(found) < count:
        if tried >= max(numbers.MOST_TRIED, 4 * count):
            return _lowest(heapq.nlargest(count, numbers.walked_numbers(snapshots, queue)))
        stop = highest - tried
        found += reversed(numbers.existing(snapshots, queue, stop - numbers.TRIED_AT_ONCE + 1, stop))
        tried += numbers.TRIED_AT_ONCE
    return _lowest(found[:count])


def _lowest(found: Iterable[int]) -> int:
    return min(found, default=1)


def _first_accepted_since(snapshots: Snapshots, queue: str, since_ms: int) -> int | None:
    """The lowest number accepted at or after a time, None where nothing was."""
    lowest: int | None = None
    after: Key | None = (since_ms - 1,)
    while after is not None:
        page = snapshots.read(partial(_acceptances, after))
        for row in page.rows:
            parsed = parse_request_id(queue, row.request_id)
            if parsed is not None and (lowest is None or parsed.number < lowest):
                lowest = parsed.number
        after = page.next_after
    return lowest


def _acceptances(after: Key, snapshot: AuditSnapshot) -> AuditPage[RequestAcceptanceRow]:
    return snapshot.page(RequestAcceptanceRow, after=after, limit=_PAGE)


def _behind_last_accepted_before(storage: Storage, before_ms: int) -> int:
    for mapping in storage.acceptances.list_before(0, max(before_ms, 1), None, _PAGE):
        parsed = parse_request_id(storage.queue, mapping.request_id)
        if parsed is not None:
            return parsed.number + 1
    return 1
