"""One request with everything beside it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestLog, ValidationFact
from stovepipe_cli.errors import NothingFound
from stovepipe_cli.history.identity import BUILD_KEYED_EVENTS
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.history.viewer import request_view
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports.look import BuildItem, CommitFact, RequestReport
from stovepipe_cli.storage.contract import AuditSnapshot, NotFound, SchemaMismatch, Storage
from stovepipe_cli.storage.contract.rows import BuildRow

MOST_ENTRIES = 20_000
MOST_BUILDS = 1000

_PAGE = 1000

T = TypeVar("T")


def show_request(storage: Storage, request_id: str, clock: Clock) -> RequestReport:
    """Everything beside one request; `NothingFound` where nothing at all is known of it."""
    request = _or_none(lambda: storage.requests.get(request_id))
    summary = _or_none(lambda: storage.summaries.get(request_id))
    entries = _or_none(lambda: _entries(storage, request_id))
    if request is None and summary is None and not entries:
        raise NothingFound(
            f"nothing is known of request '{request_id}' in queue '{storage.queue}'",
            hint="name it by its id, its number, @latest, @last-green or its commit",
        )
    uri = request.uri if request else summary.uri if summary else ""
    mapping = _or_none(lambda: storage.request_uris.get(uri)) if uri else None
    fact = _or_none(lambda: storage.facts.get(uri)) if uri else None
    named = dict.fromkeys([request.terminal_build_id if request else "", *map(_build_of, entries or ())])
    builds = [each for each in named if each]
    return RequestReport(
        request_id=request_id,
        request=None if request is None else request_view(request),
        summary=summary,
        uri_request_id=None if mapping is None else mapping.request_id,
        builds=_builds(Snapshots(storage.audit, clock), builds[:MOST_BUILDS]),
        verdict_of_commit="unknown" if fact is None else "green" if fact.is_green else "broken",
        fact=_commit_fact(fact),
        entries=None if entries is None else min(len(entries), MOST_ENTRIES),
        is_whole=len(entries or ()) <= MOST_ENTRIES and len(builds) <= MOST_BUILDS,
    )


def _entries(storage: Storage, request_id: str) -> list[RequestLog]:
    """In the order of the history, and one more than `MOST_ENTRIES` where there are more."""
    entries: list[RequestLog] = []
    after: tuple[int, str] | None = None
    while len(entries) <= MOST_ENTRIES:
        page = storage.request_log.list_after(request_id, after, min(_PAGE, MOST_ENTRIES + 1 - len(entries)))
        if not page:
            break
        entries += page
        after = (page[-1].timestamp_ms, page[-1].id)
    return entries


def _build_of(entry: RequestLog) -> str:
    if entry.event in BUILD_KEYED_EVENTS:
        prefix = f"event/{entry.event}/"
        return entry.id.removeprefix(prefix) if entry.id.startswith(prefix) else ""
    return entry.metadata.get(BUILD_ID, "")


def _builds(snapshots: Snapshots, named: Sequence[str]) -> tuple[BuildItem, ...]:
    """In the order in which they are named; those that have no row too."""
    try:
        rows = {row.id: row for row in snapshots.read(partial(_build_rows, named))} if named else {}
    except SchemaMismatch:
        rows = {}
    return tuple(
        BuildItem(build_id, rows[build_id].status, rows[build_id].request_id)
        if build_id in rows
        else BuildItem(build_id, None, None)
        for build_id in named
    )


def _build_rows(ids: Sequence[str], snapshot: AuditSnapshot) -> tuple[BuildRow, ...]:
    return snapshot.multi_get(BuildRow, [(each,) for each in ids])


def _commit_fact(fact: ValidationFact | None) -> CommitFact | None:
    if fact is None:
        return None
    return CommitFact(fact.degree, fact.request_id, fact.created_at_ms, format_instant(fact.created_at_ms))


def _or_none(get: Callable[[], T]) -> T | None:
    try:
        return get()
    except (NotFound, SchemaMismatch):
        return None
