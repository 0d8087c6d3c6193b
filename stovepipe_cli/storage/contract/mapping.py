"""Entities from rows and rows from entities, the same for every backend; nothing is judged on the way."""

import json
from collections.abc import Mapping

from stovepipe_cli.entities import (
    Build,
    BuildIssue,
    IssueLog,
    OpenIssue,
    ProjectFactByDegree,
    Queue,
    QueueLog,
    QueueSummary,
    Request,
    RequestAcceptance,
    RequestLog,
    RequestSummary,
    RequestURI,
    ValidationFact,
)
from stovepipe_cli.keys import is_text
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    BuildRow,
    IssueLogRow,
    OpenIssueRow,
    ProjectFactByDegreeRow,
    QueueLogRow,
    QueueRow,
    QueueSummaryRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    ValidationFactRow,
)


def request_row(request: Request) -> RequestRow:
    """The row of a request."""
    return RequestRow(
        id=request.id,
        uri=request.uri,
        state=request.state,
        build_strategy=request.build_strategy,
        base_uri=request.base_uri,
        version=request.version,
        terminal_build_id=request.terminal_build_id,
    )


def request_from(queue: str, row: RequestRow) -> Request:
    """The request in a row."""
    return Request(queue=queue, **row._asdict())


def request_uri_row(mapping: RequestURI) -> RequestURIRow:
    """The row of a URI's mapping."""
    return RequestURIRow(uri=mapping.uri, request_id=mapping.request_id, version=mapping.version)


def request_uri_from(queue: str, row: RequestURIRow) -> RequestURI:
    """The URI's mapping in a row."""
    return RequestURI(queue=queue, **row._asdict())


def queue_row(queue: Queue) -> QueueRow:
    """The coordination row of a queue."""
    return QueueRow(
        last_green_uri=queue.last_green_uri,
        in_flight_count=queue.in_flight_count,
        latest_request_id=queue.latest_request_id,
        version=queue.version,
        last_green_request_id=queue.last_green_request_id,
        build_admission_not_before_ms=queue.build_admission_not_before_ms,
        enablement_state=queue.enablement_state,
        enablement_sequence=queue.enablement_sequence,
    )


def queue_from(name: str, row: QueueRow) -> Queue:
    """The queue in its coordination row."""
    return Queue(name=name, **row._asdict())


def build_row(build: Build) -> BuildRow:
    """The row of a build."""
    return BuildRow(id=build.id, request_id=build.request_id, status=build.status, version=build.version)


def build_from(queue: str, row: BuildRow) -> Build:
    """The build in a row."""
    return Build(queue=queue, **row._asdict())


def fact_row(fact: ValidationFact) -> ValidationFactRow:
    """The row of a fact."""
    return ValidationFactRow(
        uri=fact.uri,
        project=fact.project,
        degree=float(fact.degree),
        request_id=fact.request_id,
        created_at=fact.created_at_ms,
    )


def fact_from(queue: str, row: ValidationFactRow) -> ValidationFact:
    """The fact in a row."""
    return ValidationFact(
        queue=queue,
        uri=row.uri,
        project=row.project,
        degree=row.degree,
        request_id=row.request_id,
        created_at_ms=row.created_at,
    )


def log_row(entry: RequestLog) -> RequestLogRow:
    """The row of a log entry."""
    return RequestLogRow(
        request_id=entry.request_id,
        log_id=entry.id,
        timestamp_ms=entry.timestamp_ms,
        state=entry.state,
        event=entry.event,
        request_version=entry.request_version,
        outcome_reason=entry.outcome_reason,
        metadata=metadata_text(entry.metadata),
    )


def log_from(queue: str, row: RequestLogRow) -> RequestLog:
    """The log entry in a row; metadata that is not an object of strings is kept as its text."""
    metadata = parse_metadata(row.metadata)
    return RequestLog(
        queue=queue,
        request_id=row.request_id,
        id=row.log_id,
        timestamp_ms=row.timestamp_ms,
        state=row.state,
        event=row.event,
        request_version=row.request_version,
        outcome_reason=row.outcome_reason,
        metadata=metadata or {},
        malformed_metadata=row.metadata if metadata is None else "",
    )


def summary_row(summary: RequestSummary) -> RequestSummaryRow:
    """The row of a summary."""
    return RequestSummaryRow(
        request_id=summary.request_id,
        uri=summary.uri,
        base_uri=summary.base_uri,
        state=summary.state,
        request_version=summary.request_version,
        state_timestamp_ms=summary.state_timestamp_ms,
        version=summary.version,
        accepted_at_ms=summary.accepted_at_ms,
        outcome_reason=summary.outcome_reason,
        project_results_completed_at_ms=summary.project_results_completed_at_ms,
        project_fact_count=summary.project_fact_count,
        broken_project_fact_count=summary.broken_project_fact_count,
    )


def summary_from(queue: str, row: RequestSummaryRow) -> RequestSummary:
    """The summary in a row."""
    return RequestSummary(queue=queue, **row._asdict())


def acceptance_row(acceptance: RequestAcceptance) -> RequestAcceptanceRow:
    """The row of an acceptance mapping."""
    return RequestAcceptanceRow(accepted_at_ms=acceptance.accepted_at_ms, request_id=acceptance.request_id)


def acceptance_from(queue: str, row: RequestAcceptanceRow) -> RequestAcceptance:
    """The acceptance mapping in a row."""
    return RequestAcceptance(queue=queue, accepted_at_ms=row.accepted_at_ms, request_id=row.request_id)


def open_issue_row(issue: OpenIssue) -> OpenIssueRow:
    """The row of an open issue."""
    return OpenIssueRow(task_id=issue.task_id, unit_id=issue.unit_id, first_seen_build_id=issue.first_seen_build_id)


def open_issue_from(queue: str, row: OpenIssueRow) -> OpenIssue:
    """The open issue in a row."""
    return OpenIssue(queue, *row)


def build_issue_row(issue: BuildIssue) -> BuildIssueRow:
    """The row of an observation."""
    return BuildIssueRow(build_id=issue.build_id, task_id=issue.task_id, unit_id=issue.unit_id)


def build_issue_from(queue: str, row: BuildIssueRow) -> BuildIssue:
    """The observation in a row."""
    return BuildIssue(queue=queue, **row._asdict())


def issue_log_row(entry: IssueLog) -> IssueLogRow:
    """The row of a transition."""
    return IssueLogRow(entry.task_id, entry.unit_id, entry.build_id, entry.event, entry.timestamp_ms)


def issue_log_from(queue: str, row: IssueLogRow) -> IssueLog:
    """The transition in a row."""
    return IssueLog(queue=queue, **row._asdict())


def queue_log_row(entry: QueueLog) -> QueueLogRow:
    """The row of an enablement occurrence."""
    return QueueLogRow(entry.id, entry.sequence, entry.state, entry.timestamp_ms, metadata_text(entry.metadata))


def queue_log_from(queue: str, row: QueueLogRow) -> QueueLog:
    """The enablement occurrence in a row; metadata that is not an object of strings is kept as its text."""
    metadata = parse_metadata(row.metadata)
    return QueueLog(
        queue=queue,
        id=row.log_id,
        sequence=row.sequence,
        state=row.state,
        timestamp_ms=row.timestamp_ms,
        metadata=metadata or {},
        malformed_metadata=row.metadata if metadata is None else "",
    )


def queue_summary_row(summary: QueueSummary) -> QueueSummaryRow:
    """The row of a queue's read model."""
    return QueueSummaryRow(
        state=summary.state,
        enablement_sequence=summary.enablement_sequence,
        state_timestamp_ms=summary.state_timestamp_ms,
        projection_version=summary.projection_version,
        version=summary.version,
    )


def queue_summary_from(queue: str, row: QueueSummaryRow) -> QueueSummary:
    """The queue's read model in its row."""
    return QueueSummary(queue=queue, **row._asdict())


def by_degree_row(mapping: ProjectFactByDegree) -> ProjectFactByDegreeRow:
    """The row of a degree mapping."""
    return ProjectFactByDegreeRow(uri=mapping.uri, degree=float(mapping.degree), project=mapping.project)


def by_degree_from(queue: str, row: ProjectFactByDegreeRow) -> ProjectFactByDegree:
    """The degree mapping in a row."""
    return ProjectFactByDegree(queue=queue, **row._asdict())


def metadata_text(metadata: Mapping[str, str]) -> str:
    """Canonical JSON of a metadata map: keys sorted, no spaces, all of Unicode as it is."""
    return json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_metadata(text: str) -> Mapping[str, str] | None:
    """The map in stored JSON, empty for `null` and no text at all; None where it is no object of strings.

    A string that no UTF-8 can carry (an escaped half of a surrogate pair) is no string here either.
    """
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if value is None:
        return {}
    if not isinstance(value, dict):
        return None
    if not all(isinstance(entry, str) and is_text(entry) and is_text(key) for key, entry in value.items()):
        return None
    return value
