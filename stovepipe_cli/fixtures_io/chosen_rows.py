"""The rows of chosen requests: their own, those of their commits, builds and the issues that these observed."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar, cast

from stovepipe_cli.errors import NothingFound, Refused
from stovepipe_cli.fixtures_io.paged_rows import PAGE_ROWS, PagedRows
from stovepipe_cli.history.identity import BUILD_KEYED_EVENTS
from stovepipe_cli.history.metadata_keys import BUILD_ID
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildIssueRow,
    BuildRow,
    IssueLogRow,
    Key,
    OpenIssueRow,
    ProjectFactByDegreeRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
    key_of,
)

R = TypeVar("R", bound=Row)

# No index leads from a request to these, so they are walked, and what names a chosen request is kept.
WALKED: tuple[type[BuildRow] | type[RequestURIRow] | type[RequestAcceptanceRow], ...] = (
    BuildRow,
    RequestURIRow,
    RequestAcceptanceRow,
)


class ChosenRows:
    """Gathers rows; each is held once. `Refused` beyond `most` rows."""

    def __init__(self, paged: PagedRows, ids: Collection[str], most: int) -> None:
        self._paged = paged
        self._ids = frozenset(ids)
        self._most = most
        self._rows: dict[type[Row], dict[Key, Row]] = defaultdict(dict)
        self._there: dict[str, bool] = {}
        self._count = 0

    def gather(self, listener: Callable[[int], None]) -> None:
        """Read everything; `listener` hears how many rows were looked at.

        The rows of one request come from one snapshot, save those that only a walk finds. `NothingFound` for a
        request of which there is neither a row, a summary nor an entry.
        """
        seen = 0
        for row_type in WALKED:
            for count in self._walk(row_type):
                seen += count
                listener(seen)
        for request_id in sorted(self._ids):
            found = self._paged.read(partial(self._around, request_id))
            if not any(isinstance(row, RequestRow | RequestSummaryRow | RequestLogRow) for row in found):
                raise NothingFound(
                    f"nothing is known of request '{request_id}'",
                    hint="name it by its id, its number, @latest, @last-green or its commit",
                )
            self._keep(found)

    def of(self, row_type: type[Row]) -> Iterator[Row]:
        """The rows of one table, in an order that depends on them alone."""
        rows = self._rows.get(row_type, {})
        return (rows[key] for key in sorted(rows, key=repr))

    def commits_of(self, request_id: str) -> frozenset[str]:
        """The commits that a request or its summary names."""
        own = (self._rows[row_type].get((request_id,)) for row_type in (RequestRow, RequestSummaryRow))
        return frozenset(row.uri for row in own if isinstance(row, RequestRow | RequestSummaryRow))

    def _walk(self, row_type: type[BuildRow] | type[RequestURIRow] | type[RequestAcceptanceRow]) -> Iterator[int]:
        if not self._has(row_type):
            return
        for rows in self._paged.pages(row_type, lambda _, rows: rows):
            named = cast("Sequence[BuildRow | RequestURIRow | RequestAcceptanceRow]", rows)
            self._keep(row for row in named if row.request_id in self._ids)
            yield len(rows)

    def _around(self, request_id: str, snapshot: AuditSnapshot) -> list[Row]:
        requests = self._get(snapshot, RequestRow, [(request_id,)])
        summaries = self._get(snapshot, RequestSummaryRow, [(request_id,)])
        entries = self._entries(snapshot, request_id)
        walked = [row for row in self._rows[RequestURIRow].values() if isinstance(row, RequestURIRow)]
        uris = dict.fromkeys([row.uri for row in requests if row.uri])
        uris.update(dict.fromkeys(row.uri for row in summaries if row.uri))
        uris.update(dict.fromkeys(row.uri for row in walked if row.request_id == request_id))
        named = dict.fromkeys([row.terminal_build_id for row in requests])
        named.update(dict.fromkeys(map(_build_named_by, entries)))
        own = [row for row in self._rows[BuildRow].values() if isinstance(row, BuildRow)]
        named.update(dict.fromkeys(row.id for row in own if row.request_id == request_id))
        builds = [build_id for build_id in named if build_id]
        return [
            *requests,
            *summaries,
            *entries,
            *self._get(snapshot, RequestURIRow, [(uri,) for uri in uris]),
            *self._get(snapshot, ValidationFactRow, [(uri,) for uri in uris]),
            *self._get(snapshot, ProjectFactByDegreeRow, [(uri,) for uri in uris]),
            *self._get(snapshot, BuildRow, [(build_id,) for build_id in builds]),
            *self._issues(snapshot, builds),
        ]

    def _entries(self, snapshot: AuditSnapshot, request_id: str) -> list[RequestLogRow]:
        found: list[RequestLogRow] = []
        after: Key | None = (request_id, "")
        while after is not None and self._has(RequestLogRow):
            page = snapshot.page(RequestLogRow, after=after, upto=(request_id,), limit=PAGE_ROWS)
            found += [row for row in page.rows if row.request_id == request_id]
            self._require_room(len(found))
            after = page.next_after
        return found

    def _issues(self, snapshot: AuditSnapshot, builds: Sequence[str]) -> list[Row]:
        observed = self._get(snapshot, BuildIssueRow, [(build_id,) for build_id in builds])
        issues = dict.fromkeys((row.task_id, row.unit_id) for row in observed)
        opened = self._get(snapshot, OpenIssueRow, list(issues))
        logged = self._get(snapshot, IssueLogRow, list(issues))
        return [
            *observed,
            *(row for row in opened if row.first_seen_build_id in builds),
            *(row for row in logged if row.build_id in builds),
        ]

    def _get(self, snapshot: AuditSnapshot, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        return snapshot.multi_get(row_type, keys) if keys and self._has(row_type) else ()

    def _has(self, row_type: type[tuple[object, ...]]) -> bool:
        table = TABLE_OF[row_type].name
        if table not in self._there:
            self._there[table] = self._paged.has(table)
        return self._there[table]

    def _keep(self, rows: Iterable[Row]) -> None:
        for row in rows:
            kept = self._rows[type(row)]
            self._count += key_of(row) not in kept
            kept[key_of(row)] = row
        self._require_room(0)

    def _require_room(self, more: int) -> None:
        if self._count + more > self._most:
            raise Refused(
                f"the chosen requests have more than {self._most:,} rows, which no load takes",
                hint="nothing was written: choose fewer requests",
            )


def _build_named_by(row: RequestLogRow) -> str:
    prefix = f"event/{row.event}/"
    if row.event in BUILD_KEYED_EVENTS and row.log_id.startswith(prefix):
        return row.log_id.removeprefix(prefix)
    return (parse_metadata(row.metadata) or {}).get(BUILD_ID, "") if BUILD_ID in row.metadata else ""
