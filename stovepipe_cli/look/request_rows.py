"""Request rows and what their summaries add, many at once."""

from collections.abc import Sequence
from functools import partial

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports.look import RequestItem
from stovepipe_cli.storage.contract import AuditSnapshot, SchemaMismatch
from stovepipe_cli.storage.contract.rows import RequestRow, RequestSummaryRow

AT_ONCE = 500


def items_of(snapshots: Snapshots, ids: Sequence[str], state: str) -> dict[str, RequestItem]:
    """The requests that exist of these ids, by id; an empty `state` is any. The caller bounds the ids."""
    return snapshots.read(partial(_items, ids, state))


def summaries_of(snapshot: AuditSnapshot, ids: Sequence[str]) -> dict[str, RequestSummaryRow]:
    """The summaries that exist, by request; none where there is no table of them."""
    try:
        return {row.request_id: row for row in snapshot.multi_get(RequestSummaryRow, [(each,) for each in ids])}
    except SchemaMismatch:
        return {}


def _items(ids: Sequence[str], state: str, snapshot: AuditSnapshot) -> dict[str, RequestItem]:
    found = snapshot.multi_get(RequestRow, [(each,) for each in ids])
    rows = [row for row in found if state in {"", row.state}]
    summaries = summaries_of(snapshot, [row.id for row in rows])
    return {row.id: _item(row, summaries.get(row.id)) for row in rows}


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
