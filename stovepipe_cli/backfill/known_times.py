"""Acceptance times beyond doubt, told of whole columns: of summaries that moved on, and entries that agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.storage.contract import AuditSnapshot, mapping
from stovepipe_cli.storage.contract.column_page import ColumnPage
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow, RequestSummaryRow

_ACCEPTED = state_log_id(1)
# A summary of this version takes more than the time from the entry.
_ACCEPTED_VERSION = 1
_ALIKE = ("state", "event", "request_version", "outcome_reason", "metadata")


@dataclass(frozen=True, slots=True)
class KnownTimes:
    """Of a range of requests: mappings that follow from their summaries, and requests to be looked at one by one."""

    requests: int
    without_summary: int
    mappings: MappingColumns
    others: Sequence[str]


def known_times(snapshot: AuditSnapshot, queue: str, after: Key | None, upto: Key | None) -> KnownTimes | None:
    """Those of the requests with `after` < id <= `upto`; None where their rows have to be read.

    Only for tables that are sorted alike. A retained accepted entry can deny a summary that is at a later version in
    nothing but the time, so where the entries of the range are alike but for that, one of them stands for all.
    """
    summaries = snapshot.column_page(
        RequestSummaryRow, ("request_id", "accepted_at_ms", "request_version"), after=after, upto=upto
    )
    entries = snapshot.column_page(
        RequestLogRow, ("request_id", "timestamp_ms"), _ALIKE, at={"log_id": _ACCEPTED}, after=after, upto=upto
    )
    requests = snapshot.column_page(RequestRow, ("id",), after=after, upto=upto)
    if summaries.is_odd or requests.is_odd or not _are_sound(queue, entries):
        return None
    (ids,), (told, times, versions) = requests.columns, summaries.columns
    if _ACCEPTED_VERSION in versions:
        return None
    by_entry, at = entries.columns
    if ids == told == by_entry and times == at:
        return KnownTimes(len(ids), 0, MappingColumns(queue, times, ids), ())
    time_of, retained = dict(zip(told, times, strict=True)), dict(zip(by_entry, at, strict=True))
    known, others = [], []
    for each in ids:
        time = time_of.get(each)
        if time is None:
            continue
        if time > 0 and retained.get(each, time) == time:
            known.append((time, each))
        else:
            others.append(each)
    return KnownTimes(len(ids), len(ids) - len(known) - len(others), MappingColumns.of(queue, known), others)


def _are_sound(queue: str, entries: ColumnPage) -> bool:
    """Whether all of them are valid accepted entries, or there is none."""
    if entries.is_odd:
        return False
    ids, times = entries.columns
    if not ids:
        return True
    if entries.alike is None or min(times) <= 0:
        return False
    entry = mapping.log_from(queue, RequestLogRow(ids[0], _ACCEPTED, times[0], *entries.alike))
    try:
        entry.validate()
    except InvalidEntity:
        return False
    return entry.is_state and (entry.state, entry.request_version) == ("accepted", _ACCEPTED_VERSION)
