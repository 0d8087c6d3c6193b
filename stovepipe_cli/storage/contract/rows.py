"""Rows as the audit reads them: plain tuples of every column but the queue, in key order first.

Unknown values (an absent column, NULL) arrive as the column's default. Binary identifiers arrive as text, with
bytes that are not UTF-8 carried as surrogates. Log metadata stays the stored JSON text.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from stovepipe_cli.storage.contract import tables
from stovepipe_cli.storage.contract.tables import Table


class RequestRow(NamedTuple):
    """Key (id)."""

    id: str
    uri: str
    state: str
    build_strategy: str
    base_uri: str
    version: int
    terminal_build_id: str


class RequestURIRow(NamedTuple):
    """Key (uri)."""

    uri: str
    request_id: str
    version: int


class QueueRow(NamedTuple):
    """Key (): a queue has at most one."""

    last_green_uri: str
    in_flight_count: int
    latest_request_id: str
    version: int
    last_green_request_id: str
    build_admission_not_before_ms: int
    enablement_state: str
    enablement_sequence: int


class BuildRow(NamedTuple):
    """Key (id)."""

    id: str
    request_id: str
    status: str
    version: int


class ValidationFactRow(NamedTuple):
    """Key (uri, project); created_at in Unix milliseconds."""

    uri: str
    project: str
    degree: float
    request_id: str
    created_at: int


class RequestLogRow(NamedTuple):
    """Key (request_id, log_id); metadata is the stored JSON text."""

    request_id: str
    log_id: str
    timestamp_ms: int
    state: str
    event: str
    request_version: int
    outcome_reason: str
    metadata: str


class RequestSummaryRow(NamedTuple):
    """Key (request_id)."""

    request_id: str
    uri: str
    base_uri: str
    state: str
    request_version: int
    state_timestamp_ms: int
    version: int
    accepted_at_ms: int
    outcome_reason: str
    project_results_completed_at_ms: int
    project_fact_count: int
    broken_project_fact_count: int


class RequestAcceptanceRow(NamedTuple):
    """Key (accepted_at_ms, request_id)."""

    accepted_at_ms: int
    request_id: str


class BuildIssueRow(NamedTuple):
    """Key (build_id, task_id, unit_id)."""

    build_id: str
    task_id: str
    unit_id: str


class OpenIssueRow(NamedTuple):
    """Key (task_id, unit_id)."""

    task_id: str
    unit_id: str
    first_seen_build_id: str


class IssueLogRow(NamedTuple):
    """Key (task_id, unit_id, build_id, event)."""

    task_id: str
    unit_id: str
    build_id: str
    event: str
    timestamp_ms: int


class ProjectFactByDegreeRow(NamedTuple):
    """Key (uri, degree, project), degree descending."""

    uri: str
    degree: float
    project: str


class QueueLogRow(NamedTuple):
    """Key (log_id); metadata is the stored JSON text."""

    log_id: str
    sequence: int
    state: str
    timestamp_ms: int
    metadata: str


class QueueSummaryRow(NamedTuple):
    """Key (): a queue has at most one."""

    state: str
    enablement_sequence: int
    state_timestamp_ms: int
    projection_version: int
    version: int


Row = (
    RequestRow
    | RequestURIRow
    | QueueRow
    | BuildRow
    | ValidationFactRow
    | RequestLogRow
    | RequestSummaryRow
    | RequestAcceptanceRow
    | BuildIssueRow
    | OpenIssueRow
    | IssueLogRow
    | ProjectFactByDegreeRow
    | QueueLogRow
    | QueueSummaryRow
)

Key = tuple[str | int | float, ...]

# Keyed by any tuple type and not by type[Row], which mypy does not take a type variable's class for.
TABLE_OF: Mapping[type[tuple[object, ...]], Table] = MappingProxyType(
    {
        RequestRow: tables.REQUEST,
        RequestURIRow: tables.REQUEST_URI,
        QueueRow: tables.QUEUE,
        BuildRow: tables.BUILD,
        ValidationFactRow: tables.VALIDATION_FACT,
        RequestLogRow: tables.REQUEST_LOG,
        RequestSummaryRow: tables.REQUEST_SUMMARY,
        RequestAcceptanceRow: tables.REQUEST_ACCEPTANCE,
        BuildIssueRow: tables.BUILD_ISSUE,
        OpenIssueRow: tables.OPEN_ISSUE,
        IssueLogRow: tables.ISSUE_LOG,
        ProjectFactByDegreeRow: tables.PROJECT_FACT_BY_DEGREE,
        QueueLogRow: tables.QUEUE_LOG,
        QueueSummaryRow: tables.QUEUE_SUMMARY,
    }
)

ROW_OF: Mapping[str, type[Row]] = MappingProxyType(
    {
        TABLE_OF[row_type].name: row_type
        for row_type in (
            RequestRow,
            RequestURIRow,
            QueueRow,
            QueueLogRow,
            QueueSummaryRow,
            BuildRow,
            BuildIssueRow,
            OpenIssueRow,
            IssueLogRow,
            ValidationFactRow,
            ProjectFactByDegreeRow,
            RequestLogRow,
            RequestSummaryRow,
            RequestAcceptanceRow,
        )
    }
)


def key_of(row: Row) -> Key:
    """The primary key of a row, without the queue."""
    return tuple(row[: len(TABLE_OF[type(row)].key) - 1])
