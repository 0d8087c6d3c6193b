"""Valid entities and rows to store; a test names only the fields it is about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

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
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.storage.contract import rows as r
from stovepipe_cli.storage.contract.rows import Row

# Fields of any entity, by name.
Fields = dict[str, Any]

NOON_MS = 1_754_000_000_000
URI = "git://code/main/0a1b2c"


def a_request(queue: str, request_id: str = "7", **fields: object) -> Request:
    values: dict[str, Any] = {"queue": queue, "id": request_id, "uri": URI, "state": "accepted", "version": 1, **fields}
    return Request(**values)


def a_uri(queue: str, uri: str = URI, **fields: object) -> RequestURI:
    values: dict[str, Any] = {"queue": queue, "uri": uri, "request_id": "7", **fields}
    return RequestURI(**values)


def a_queue(name: str, **fields: object) -> Queue:
    values: dict[str, Any] = {
        "name": name,
        "version": 1,
        "last_green_uri": URI,
        "last_green_request_id": "6",
        "in_flight_count": 3,
        "latest_request_id": "9",
        "build_admission_not_before_ms": NOON_MS,
        "enablement_state": "enabled",
        "enablement_sequence": 4,
        **fields,
    }
    return Queue(**values)


def a_build(queue: str, build_id: str = "b7", **fields: object) -> Build:
    values: dict[str, Any] = {
        "queue": queue,
        "id": build_id,
        "request_id": "7",
        "status": "accepted",
        "version": 1,
        **fields,
    }
    return Build(**values)


def a_fact(queue: str, uri: str = URI, project: str = "", **fields: object) -> ValidationFact:
    values: dict[str, Any] = {
        "queue": queue,
        "uri": uri,
        "project": project,
        "degree": 1,
        "request_id": "7",
        "created_at_ms": NOON_MS,
        **fields,
    }
    return ValidationFact(**values)


def a_log(queue: str, request_id: str = "7", log_id: str = "state/1", **fields: object) -> RequestLog:
    values: dict[str, Any] = {
        "queue": queue,
        "request_id": request_id,
        "id": log_id,
        "timestamp_ms": NOON_MS,
        "state": "accepted",
        "request_version": 1,
        **fields,
    }
    return RequestLog(**values)


def a_summary(queue: str, request_id: str = "7", **fields: object) -> RequestSummary:
    values: dict[str, Any] = {
        "queue": queue,
        "request_id": request_id,
        "uri": URI,
        "base_uri": "git://code/main/base",
        "state": "failed",
        "request_version": 3,
        "state_timestamp_ms": NOON_MS + 2,
        "version": 1,
        "accepted_at_ms": NOON_MS,
        "outcome_reason": "build_failed",
        "project_results_completed_at_ms": NOON_MS + 3,
        "project_fact_count": 5,
        "broken_project_fact_count": 2,
        **fields,
    }
    return RequestSummary(**values)


def an_acceptance(queue: str, request_id: str = "7", accepted_at_ms: int = NOON_MS) -> RequestAcceptance:
    return RequestAcceptance(queue, accepted_at_ms, request_id)


def an_issue(queue: str, task_id: str = "//app:test", unit_id: str = "", build_id: str = "b7") -> OpenIssue:
    return OpenIssue(queue, task_id, unit_id, build_id)


def an_observation(queue: str, build_id: str = "b7", task_id: str = "//app:test", unit_id: str = "") -> BuildIssue:
    return BuildIssue(queue, build_id, task_id, unit_id)


def a_transition(
    queue: str,
    build_id: str = "b7",
    event: str = "opened",
    *,
    task_id: str = "//app:test",
    unit_id: str = "",
    timestamp_ms: int = NOON_MS,
) -> IssueLog:
    return IssueLog(queue, task_id, unit_id, build_id, event, timestamp_ms)


def an_occurrence(
    queue: str, sequence: int = 1, state: str = "enabled", metadata: Mapping[str, str] = MappingProxyType({})
) -> QueueLog:
    return QueueLog(queue, queue_log_id(sequence), sequence, state, NOON_MS + sequence, metadata)


def a_queue_summary(
    queue: str, *, state: str = "enabled", sequence: int = 9, projection_version: int = 5, version: int = 1
) -> QueueSummary:
    return QueueSummary(queue, state, sequence, NOON_MS, projection_version, version)


def a_mapping(queue: str, degree: float = 0.5, project: str = "app", uri: str = URI) -> ProjectFactByDegree:
    return ProjectFactByDegree(queue, uri, degree, project)


# Two rows of each kind, in key order, and (but for the queue's own rows) a third that shares its first key part
# with the second.
ROWS: dict[type[Row], tuple[Row, ...]] = {
    r.RequestRow: (
        r.RequestRow("a", URI, "accepted", "", "", 1, ""),
        r.RequestRow("b", URI, "succeeded", "full", "", 3, "b7"),
    ),
    r.RequestURIRow: (r.RequestURIRow("git://a", "7", 1), r.RequestURIRow("git://b", "8", 1)),
    r.QueueRow: (r.QueueRow(URI, 2, "9", 4, "6", NOON_MS, "enabled", 2),),
    r.BuildRow: (r.BuildRow("a", "7", "running", 2), r.BuildRow("b", "7", "failed", 3)),
    r.ValidationFactRow: (
        r.ValidationFactRow("git://a", "", 1.0, "7", NOON_MS),
        r.ValidationFactRow("git://b", "", 0.0, "8", NOON_MS),
        r.ValidationFactRow("git://b", "web", 0.25, "8", NOON_MS),
    ),
    r.RequestLogRow: (
        r.RequestLogRow("7", "state/1", NOON_MS, "accepted", "", 1, "", "{}"),
        r.RequestLogRow("8", "build/b7", NOON_MS, "", "build_triggered", 0, "", '{"build_id":"b7"}'),
        r.RequestLogRow("8", "state/1", NOON_MS, "accepted", "", 1, "", "{}"),
    ),
    r.RequestSummaryRow: (
        r.RequestSummaryRow("a", URI, "", "accepted", 1, NOON_MS, 1, NOON_MS, "", 0, 0, 0),
        r.RequestSummaryRow("b", URI, "", "failed", 3, NOON_MS, 2, NOON_MS, "build_failed", NOON_MS + 1, 4, 1),
    ),
    r.RequestAcceptanceRow: (
        r.RequestAcceptanceRow(NOON_MS, "B"),
        r.RequestAcceptanceRow(NOON_MS + 1, "10"),
        r.RequestAcceptanceRow(NOON_MS + 1, "9"),
    ),
    r.BuildIssueRow: (
        r.BuildIssueRow("B", "t", ""),
        r.BuildIssueRow("a", "t", ""),
        r.BuildIssueRow("a", "t", "u"),
    ),
    r.OpenIssueRow: (
        r.OpenIssueRow("B", "", "b7"),
        r.OpenIssueRow("a", "", "b7"),
        r.OpenIssueRow("a", "u", "b8"),
    ),
    r.IssueLogRow: (
        r.IssueLogRow("B", "", "b7", "opened", NOON_MS),
        r.IssueLogRow("a", "", "b7", "opened", NOON_MS),
        r.IssueLogRow("a", "", "b7", "resolved", NOON_MS + 1),
    ),
    r.ProjectFactByDegreeRow: (
        r.ProjectFactByDegreeRow("git://a", 0.25, "web"),
        r.ProjectFactByDegreeRow("git://b", 1.0, "web"),
        r.ProjectFactByDegreeRow("git://b", 0.5, "app"),
    ),
    r.QueueLogRow: (
        r.QueueLogRow("enablement/1", 1, "enabled", NOON_MS, "{}"),
        r.QueueLogRow("enablement/2", 2, "disabled", NOON_MS + 1, '{"by":"ops"}'),
    ),
    r.QueueSummaryRow: (r.QueueSummaryRow("enabled", 2, NOON_MS, 1, 3),),
}
