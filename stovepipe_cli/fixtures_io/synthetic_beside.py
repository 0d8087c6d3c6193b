"""Damage beside requests: open issues that do not fit their record, and the queue's own rows."""

from collections.abc import Callable
from types import MappingProxyType

from stovepipe_cli.fixtures_io.synthetic_request import SyntheticRows
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    IssueLogRow,
    OpenIssueRow,
    QueueLogRow,
    QueueRow,
    QueueSummaryRow,
    Row,
)

# Takes the coordination row as it should be.
QueuePlanter = Callable[[QueueRow], list[Row]]

LOST_SLOTS = 5

_HOUR_MS = 3_600_000


def open_without_record(rows: SyntheticRows) -> list[Row]:
    """I701; another issue was opened and resolved on the record, so that transitions are known to be kept."""
    task = f"//logged:{rows.request.id}"
    at = rows.fact.created_at
    return [
        *rows,
        _open(rows),
        IssueLogRow(task, "", rows.build.id, "opened", at),
        IssueLogRow(task, "", rows.build.id, "resolved", at + _HOUR_MS),
    ]


def open_without_observation(rows: SyntheticRows) -> list[Row]:
    """I702."""
    return [*rows, _open(rows), _opened(rows), BuildIssueRow(rows.build.id, f"//other:{rows.request.id}", "")]


def open_and_resolved(rows: SyntheticRows) -> list[Row]:
    """I703."""
    opened = _opened(rows)
    resolved = opened._replace(event="resolved", timestamp_ms=opened.timestamp_ms + _HOUR_MS)
    observed = BuildIssueRow(rows.build.id, opened.task_id, "")
    return [*rows, _open(rows), opened, resolved, observed]


def _open(rows: SyntheticRows) -> OpenIssueRow:
    return OpenIssueRow(f"//open:{rows.request.id}", "", rows.build.id)


def _opened(rows: SyntheticRows) -> IssueLogRow:
    return IssueLogRow(f"//open:{rows.request.id}", "", rows.build.id, "opened", rows.fact.created_at)


def without_row(_queue: QueueRow) -> list[Row]:
    """Q601."""
    return []


def latest_unknown(queue: QueueRow) -> list[Row]:
    """Q602."""
    return [queue._replace(latest_request_id="")]


def green_without_fact(queue: QueueRow) -> list[Row]:
    """Q603."""
    return [queue._replace(last_green_uri="git://origin/nowhere", last_green_request_id="")]


def slots_lost(queue: QueueRow) -> list[Row]:
    """Q604."""
    return [queue._replace(in_flight_count=queue.in_flight_count + LOST_SLOTS)]


def summary_drifted(queue: QueueRow) -> list[Row]:
    """Q605."""
    return [
        queue,
        QueueLogRow("enablement/1", 1, "enabled", _HOUR_MS, "{}"),
        QueueLogRow("enablement/2", 2, "disabled", 2 * _HOUR_MS, "{}"),
        QueueSummaryRow("enabled", 1, _HOUR_MS, 1, 1),
    ]


ISSUES = MappingProxyType({"I701": open_without_record, "I702": open_without_observation, "I703": open_and_resolved})
# Each can be planted once, since there is one queue.
OF_QUEUE: MappingProxyType[str, QueuePlanter] = MappingProxyType(
    {
        "Q601": without_row,
        "Q602": latest_unknown,
        "Q603": green_without_fact,
        "Q604": slots_lost,
        "Q605": summary_drifted,
    }
)
