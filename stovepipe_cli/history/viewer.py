"""Reads one request and everything beside it into a report of its history."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from stovepipe_cli.entities import Build, Request, RequestAcceptance, RequestLog, RequestURI
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.history.consistency import DEFAULT_CLOCK_SKEW_MS
from stovepipe_cli.history.gaps import Surroundings
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.history.timeline import Timeline, build_timeline
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark, RequestView
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract import NotFound, SchemaMismatch, Storage

_MOST_BUILDS = 1000

T = TypeVar("T")


def view_history(
    storage: Storage,
    request_id: str,
    *,
    clock_skew_ms: int = DEFAULT_CLOCK_SKEW_MS,
    history_since: str | None = None,
) -> HistoryReport:
    """The history of one request; entries without a request and a request without entries are answers.

    `NothingFound` where there is neither. Requests below `history_since` are legacy: nothing is called missing of them.
    """
    entries = storage.request_log.list(request_id)
    request = _absent_is_none(lambda: storage.requests.get(request_id))
    if request is None and not entries:
        raise NothingFound(
            f"queue '{storage.queue}' has no request '{request_id}' and no history of one",
            hint="name it by its id, its number, @latest, @last-green or its commit",
        )
    timeline = build_timeline(
        request,
        entries,
        _surroundings(storage, request, entries),
        skew_ms=clock_skew_ms,
        is_legacy=_is_legacy(storage.queue, request_id, history_since),
    )
    return _report(request_id, timeline)


def _surroundings(storage: Storage, request: Request | None, entries: tuple[RequestLog, ...]) -> Surroundings:
    if request is None:
        return Surroundings()
    return Surroundings(
        builds=_table(lambda: _builds(storage, request, entries)),
        facts=_table(lambda: storage.facts.list_after(request.uri, None, 1)),
        summaries=_table(lambda: _one(lambda: storage.summaries.get(request.id))),
        acceptances=_table(lambda: _acceptances(storage, request.id)),
        uri_mappings=_table(lambda: _uri_mapping(storage, request)),
    )


def _builds(storage: Storage, request: Request, entries: tuple[RequestLog, ...]) -> tuple[Build, ...]:
    """The builds that the request or its history names: no index leads from a request to its builds."""
    named = dict.fromkeys([request.terminal_build_id, *(entry.metadata.get(BUILD_ID, "") for entry in entries)])
    found: list[Build] = []
    for build_id in list(named)[:_MOST_BUILDS]:
        if build_id:
            found.extend(_one(partial(storage.builds.get, build_id)))
    return tuple(found)


def _acceptances(storage: Storage, request_id: str) -> tuple[RequestAcceptance, ...]:
    summary = _absent_is_none(lambda: storage.summaries.get(request_id))
    if summary is None or not summary.accepted_at_ms:
        return ()
    accepted_at_ms = summary.accepted_at_ms
    return _one(lambda: storage.acceptances.get(accepted_at_ms, request_id))


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


def _is_legacy(queue: str, request_id: str, history_since: str | None) -> bool:
    if history_since is None or history_since == "none":
        return False
    return request_order(queue, request_id) < request_order(queue, history_since)


def _report(request_id: str, timeline: Timeline) -> HistoryReport:
    request = timeline.request
    return HistoryReport(
        request_id=request_id,
        uri=request.uri if request else None,
        request=request_view(request) if request else None,
        entries=tuple(_entry(each.entry) for each in timeline.entries),
        gaps=tuple(Mark(gap.code, gap.log_id, gap.message) for gap in timeline.gaps),
        marks=tuple(Mark(mark.code, each.entry.id, mark.message) for each in timeline.entries for mark in each.marks),
        gap_positions=tuple(gap.position for gap in timeline.gaps),
    )


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
