"""Requests and what is kept of each: its URI, history, summary and acceptance."""

from collections.abc import Sequence

from stovepipe_cli.entities import Request, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.storage.contract import (
    RequestAcceptanceStore,
    RequestLogStore,
    RequestStore,
    RequestSummaryStore,
    RequestURIStore,
    guards,
)
from stovepipe_cli.storage.contract import mapping as conversion
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from stovepipe_cli.storage.contract.rows import (
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
)
from stovepipe_cli.storage.contract.tables import REQUEST_SUMMARY
from stovepipe_cli.storage.sql.queue_tables import QueueTables
from stovepipe_cli.storage.sql.session import Session

REQUEST_FIELDS = ("uri", "state", "build_strategy", "base_uri", "terminal_build_id")
SUMMARY_FIELDS = tuple(field for field in RequestSummaryRow._fields if field not in {"request_id", "uri", "version"})
LOG_ORDER = ("timestamp_ms", "log_id")


class SQLRequestStore(RequestStore):
    """Requests of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, request: Request) -> None:
        guards.require_creatable(self._tables.queue, request)
        self._tables.create(conversion.request_row(request))

    def get(self, request_id: str) -> Request:
        return conversion.request_from(self._tables.queue, self._tables.get(RequestRow, (request_id,)))

    def update(self, request: Request, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._tables.queue, request, new_version)
        row = conversion.request_row(request)
        self._tables.update(row, REQUEST_FIELDS, old_version=old_version, new_version=new_version)


class SQLRequestURIStore(RequestURIStore):
    """URIs of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, mapping: RequestURI) -> None:
        guards.require_creatable(self._tables.queue, mapping)
        self._tables.create(conversion.request_uri_row(mapping))

    def get(self, uri: str) -> RequestURI:
        return conversion.request_uri_from(self._tables.queue, self._tables.get(RequestURIRow, (uri,)))


class SQLRequestLogStore(RequestLogStore):
    """History entries of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, entry: RequestLog) -> None:
        guards.require_creatable(self._tables.queue, entry)
        self._tables.create(conversion.log_row(entry))

    def get(self, request_id: str, log_id: str) -> RequestLog:
        return conversion.log_from(self._tables.queue, self._tables.get(RequestLogRow, (request_id, log_id)))

    def list(self, request_id: str) -> tuple[RequestLog, ...]:
        rows = self._tables.listing(RequestLogRow, (request_id,), LOG_ORDER)
        return tuple(conversion.log_from(self._tables.queue, row) for row in rows)

    def list_after(self, request_id: str, after: tuple[int, str] | None, limit: int) -> tuple[RequestLog, ...]:
        guards.require_limit(limit)
        guards.require_time_cursor(after)
        rows = self._tables.listing(RequestLogRow, (request_id,), LOG_ORDER, after, limit)
        return tuple(conversion.log_from(self._tables.queue, row) for row in rows)


class SQLRequestSummaryStore(RequestSummaryStore):
    """Summaries of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, summary: RequestSummary) -> None:
        guards.require_creatable(self._tables.queue, summary)
        self._tables.create(conversion.summary_row(summary))

    def get(self, request_id: str) -> RequestSummary:
        return conversion.summary_from(self._tables.queue, self._tables.get(RequestSummaryRow, (request_id,)))

    def update(self, summary: RequestSummary, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._tables.queue, summary, new_version)
        row = conversion.summary_row(summary)
        self._tables.update(row, SUMMARY_FIELDS, old_version=old_version, new_version=new_version)

    def retains(self, field: str) -> bool:
        def work(session: Session) -> bool:
            statements = self._tables.database.statements_if_there(session, REQUEST_SUMMARY)
            return statements is not None and statements.shape.has(field)

        return self._tables.database.read(work, REQUEST_SUMMARY.name)


class SQLRequestAcceptanceStore(RequestAcceptanceStore):
    """Acceptance mappings of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, acceptance: RequestAcceptance) -> None:
        guards.require_creatable(self._tables.queue, acceptance)
        self._tables.create(conversion.acceptance_row(acceptance))

    def get(self, accepted_at_ms: int, request_id: str) -> RequestAcceptance:
        row = self._tables.get(RequestAcceptanceRow, (accepted_at_ms, request_id))
        return conversion.acceptance_from(self._tables.queue, row)

    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        for acceptance in acceptances:
            guards.require_creatable(self._tables.queue, acceptance)
        created = self._tables.create_missing([conversion.acceptance_row(acceptance) for acceptance in acceptances])
        return tuple(conversion.acceptance_from(self._tables.queue, row) for row in created)

    def create_missing_columns(self, mappings: MappingColumns) -> MappingColumns:
        if guards.are_plain_mappings(self._tables.queue, mappings):
            columns = (mappings.accepted_at_ms, mappings.request_ids)
            if self._tables.create_columns(RequestAcceptanceRow, columns):
                return mappings
        return super().create_missing_columns(mappings)

    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        guards.require_limit(limit)
        guards.require_window(accepted_at_or_after_ms, accepted_before_ms)
        guards.require_time_cursor(before)
        rows = self._tables.newest(accepted_at_or_after_ms, accepted_before_ms, before, limit)
        return tuple(conversion.acceptance_from(self._tables.queue, row) for row in rows)
