"""Reads one request and everything beside it into a report of its history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from stovepipe_cli.entities import Request, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.history.arrangement import reverse
from stovepipe_cli.history.consistency import DEFAULT_CLOCK_SKEW_MS
from stovepipe_cli.history.gaps import Surroundings
from stovepipe_cli.history.legacy import FIRST_ENTRY, is_legacy
from stovepipe_cli.history.pages import Reading, count_marks, nobody_waits, read_entries
from stovepipe_cli.history.timeline import Timeline, TimelineEntry, lay_out
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark, RequestView
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How much of a history to show: repetitions folded, the last `tail` entries alone, the newest first."""

    is_folded: bool = False
    tail: int | None = None
    is_reversed: bool = False


def view_history(
    storage: Storage,
    request_id: str,
    *,
    clock_skew_ms: int = DEFAULT_CLOCK_SKEW_MS,
    history_since: str | None = None,
    arrangement: Arrangement | None = None,
    progress: Callable[[int], None] = nobody_waits,
) -> HistoryReport:
    """The history of one request; entries without a request and a request without entries are answers.

    `NothingFound` where there is neither. Requests below `history_since` are legacy, without it those below the first
    entry of any request, as far as their neighbours tell: nothing is called missing of them. The whole of it is
    judged, however little of it is shown.
    """
    arranged = arrangement or Arrangement()
    request = _absent_is_none(lambda: storage.requests.get(request_id))
    reading = read_entries(
        storage, request_id, request, is_folded=arranged.is_folded, tail=arranged.tail, progress=progress
    )
    if request is None and not reading.total:
        raise NothingFound(
            f"queue '{storage.queue}' has no request '{request_id}' and no history of one",
            hint="name it by its id, its number, @latest, @last-green or its commit",
        )
    has_first_entry = any(each.entry.id == FIRST_ENTRY for each in reading.marked)
    legacy = is_legacy(storage, request_id, history_since, has_first_entry=has_first_entry or request is None)
    timeline = lay_out(
        request,
        reading.marked,
        _surroundings(storage, request, reading),
        reading.of_builds,
        skew_ms=clock_skew_ms,
        is_legacy=legacy is True,
    )
    report = _report(request_id, timeline, reading, legacy=legacy)
    return reverse(report) if arranged.is_reversed else report


def _surroundings(storage: Storage, request: Request | None, reading: Reading) -> Surroundings:
    if request is None:
        return Surroundings()
    summaries = _table(lambda: _one(lambda: storage.summaries.get(request.id)))
    return Surroundings(
        builds=tuple(reading.builds.values()) if reading.has_builds else None,
        asked_builds=reading.asked_builds,
        facts=_table(lambda: _one(lambda: storage.facts.get(request.uri))),
        summaries=summaries,
        acceptances=_table(lambda: _acceptances(storage, summaries or ())),
        uri_mappings=_table(lambda: _uri_mapping(storage, request)),
    )


def _acceptances(storage: Storage, summaries: Sequence[RequestSummary]) -> tuple[RequestAcceptance, ...]:
    found: list[RequestAcceptance] = []
    for summary in summaries:
        if summary.accepted_at_ms:
            found += _one(partial(storage.acceptances.get, summary.accepted_at_ms, summary.request_id))
    return tuple(found)


def _uri_mapping(storage: Storage, request: Request) -> tuple[RequestURI, ...]:
    return _one(lambda: storage.request_uris.get(request.uri)) if request.uri else ()


def _one(get: Callable[[], T]) -> tuple[T, ...]:
    found = _absent_is_none(get)
    return () if found is None else (found,)


def _absent_is_none(get: Callable[[], T]) -> T | None:
    try:
        return get()
    except NotFound:
        return None


def _table(read: Callable[[], tuple[T, ...]]) -> tuple[T, ...] | None:
    try:
        return read()
    except SchemaMismatch:
        return None


def _report(request_id: str, timeline: Timeline, reading: Reading, *, legacy: bool | None) -> HistoryReport:
    request = timeline.request
    shown: Sequence[TimelineEntry] = timeline.entries
    positions = [gap.position for gap in timeline.gaps]
    folds = tuple(reading.folds)
    marked = shown
    if reading.last is not None:
        positions = [_position_in_tail(position, shown, reading.last) for position in positions]
        # Those that were kept carry what the whole history says of them; a state is never without its marks.
        kept = {each.entry.id: each for each in timeline.entries}
        shown, folds = [kept.get(each.entry.id, each) for each in reading.last], ()
        last = {each.entry.id for each in shown}
        earlier = [each for each in timeline.entries if each.entry.is_state and each.entry.id not in last]
        marked = [*earlier, *shown]
    counted = sum(map(count_marks, timeline.entries)) - sum(map(count_marks, reading.marked))
    return HistoryReport(
        request_id=request_id,
        uri=request.uri if request else None,
        request=request_view(request) if request else None,
        entries=tuple(_entry(each.entry) for each in shown),
        # Nothing is ever planned for a legacy request.
        gaps=tuple(
            Mark(gap.code, gap.log_id, gap.message, gap.is_mendable and legacy is False) for gap in timeline.gaps
        ),
        marks=(
            *(Mark(mark.code, each.entry.id, mark.message) for each in marked for mark in each.marks),
            *(Mark(remark.code, "", remark.message) for remark in timeline.remarks),
        ),
        gap_positions=tuple(positions),
        entries_total=reading.total,
        folds=folds,
        remarks_total=reading.marks + counted + len(timeline.remarks),
        is_legacy=legacy,
    )


def _position_in_tail(position: int, kept: Sequence[TimelineEntry], last: Sequence[TimelineEntry]) -> int:
    """Where a place before `kept[position]` lies among the last entries: their start where it lies before them."""
    if position >= len(kept):
        return len(last)
    order = kept[position].entry.order
    return next((index for index, each in enumerate(last) if each.entry.order >= order), len(last))


def request_view(request: Request) -> RequestView:
    """The request row as reports show it."""
    return RequestView(
        id=request.id,
        uri=request.uri,
        state=request.state,
        version=request.version,
        build_strategy=request.build_strategy,
        base_uri=request.base_uri,
        terminal_build_id=request.terminal_build_id,
    )


def _entry(entry: RequestLog) -> HistoryEntry:
    return HistoryEntry(
        log_id=entry.id,
        timestamp_ms=entry.timestamp_ms,
        time=format_instant(entry.timestamp_ms),
        state=entry.state,
        event=entry.event,
        request_version=entry.request_version,
        outcome_reason=entry.outcome_reason,
        metadata=entry.malformed_metadata or dict(entry.metadata),
    )
