"""The requests of a queue's newest numbers: which have not ended, and which was judged last."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from stovepipe_cli.audit.numbers import spellings
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.entities.request import OBSOLETE_STATES, TERMINAL_STATES
from stovepipe_cli.instants import format_instant
from stovepipe_cli.look.request_rows import AT_ONCE, summaries_of
from stovepipe_cli.reports.look import UnfinishedItem
from stovepipe_cli.request_id import parse_request_id, request_order
from stovepipe_cli.storage.contract import AuditSnapshot, SchemaMismatch
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestRow, ValidationFactRow


@dataclass(frozen=True, slots=True)
class Recent:
    """What a look back from the newest number saw.

    `unfinished` run from the oldest. `judged` is the newest request whose commit has a repository fact of its own,
    with that fact. `is_whole`: the look reached the first number, so no request of any number was left out.
    """

    newest: RequestRow | None
    unfinished: tuple[RequestRow, ...]
    judged: tuple[RequestRow, ValidationFactRow] | None
    path_ids: int
    decimal_ids: int
    is_whole: bool


def look_back(snapshots: Snapshots, queue: str, newest_number: int, most: int) -> Recent:
    """Read the requests of the `most` newest numbers."""
    newest: RequestRow | None = None
    judged: tuple[RequestRow, ValidationFactRow] | None = None
    unfinished: list[RequestRow] = []
    forms = {"path": 0, "decimal": 0}
    lowest = max(newest_number - most, 0) + 1
    for top in range(newest_number, lowest - 1, -AT_ONCE):
        ids = spellings(queue, range(max(top - AT_ONCE + 1, lowest), top + 1))
        found = sorted(snapshots.read(partial(_requests, ids)), key=lambda row: request_order(queue, row.id))
        found.reverse()
        newest = newest or next(iter(found), None)
        judged = judged or snapshots.read(partial(_first_judged, found))
        unfinished += [row for row in found if row.state not in TERMINAL_STATES | OBSOLETE_STATES]
        for row in found:
            parsed = parse_request_id(queue, row.id)
            if parsed is not None:
                forms[parsed.form] += 1
    return Recent(newest, tuple(reversed(unfinished)), judged, forms["path"], forms["decimal"], lowest == 1)


def unfinished_items(snapshots: Snapshots, rows: Sequence[RequestRow], now_ms: int) -> tuple[UnfinishedItem, ...]:
    """Since when each is in its state: by its summary, else by its entry, else it is not known."""
    items: list[UnfinishedItem] = []
    for start in range(0, len(rows), AT_ONCE):
        batch = rows[start : start + AT_ONCE]
        since = snapshots.read(partial(_since, batch))
        items += [_item(row, since.get(row.id), now_ms) for row in batch]
    return tuple(items)


def _requests(ids: Sequence[str], snapshot: AuditSnapshot) -> tuple[RequestRow, ...]:
    return snapshot.multi_get(RequestRow, [(each,) for each in ids])


def _first_judged(rows: Sequence[RequestRow], snapshot: AuditSnapshot) -> tuple[RequestRow, ValidationFactRow] | None:
    try:
        found = snapshot.multi_get(ValidationFactRow, [(row.uri, "") for row in rows if row.uri])
    except SchemaMismatch:
        return None
    facts = {fact.uri: fact for fact in found}
    for row in rows:
        fact = facts.get(row.uri)
        if fact is not None and fact.request_id == row.id:
            return row, fact
    return None


def _since(rows: Sequence[RequestRow], snapshot: AuditSnapshot) -> dict[str, int]:
    summaries = summaries_of(snapshot, [row.id for row in rows])
    since = {
        row.id: summary.state_timestamp_ms
        for row in rows
        if (summary := summaries.get(row.id)) is not None and summary.state == row.state
    }
    keys = [(row.id, f"state/{row.version}") for row in rows if row.id not in since]
    try:
        entries = snapshot.multi_get(RequestLogRow, keys)
    except SchemaMismatch:
        entries = ()
    states = {row.id: row.state for row in rows}
    return since | {each.request_id: each.timestamp_ms for each in entries if each.state == states[each.request_id]}


def _item(row: RequestRow, since_ms: int | None, now_ms: int) -> UnfinishedItem:
    if since_ms is None:
        return UnfinishedItem(row.id, row.state, None, None, None)
    return UnfinishedItem(row.id, row.state, since_ms, format_instant(since_ms), max(now_ms - since_ms, 0))
