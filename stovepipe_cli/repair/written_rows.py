"""The rows that plan entries write, as the columns a plan shows and as the entities a store takes.

A time that is only known at the moment of writing is None among the columns and 0 in the entity.
"""

from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.entities import QueueSummary, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.reports.repair import Action
from stovepipe_cli.storage.contract import mapping, tables
from stovepipe_cli.storage.contract.tables import Table

Cells = Mapping[str, JsonValue]

_TABLE_WRITTEN: Mapping[Action, Table] = MappingProxyType(
    {
        "create-log": tables.REQUEST_LOG,
        "create-summary": tables.REQUEST_SUMMARY,
        "advance-summary": tables.REQUEST_SUMMARY,
        "create-acceptance": tables.REQUEST_ACCEPTANCE,
        "create-uri": tables.REQUEST_URI,
        "advance-queue-summary": tables.QUEUE_SUMMARY,
    }
)


def table_written(action: Action) -> Table:
    """The table an action writes to."""
    return _TABLE_WRITTEN[action]


def key_cells(table: Table, cells: Cells) -> dict[str, str | int | float]:
    """The primary key of a row, without the queue."""
    key: dict[str, str | int | float] = {}
    for name in table.key[1:]:
        value = cells[name]
        if not isinstance(value, str | int | float):
            message = f"{table.name}.{name} is part of the key"
            raise TypeError(message)
        key[name] = value
    return key


def log_cells(entry: RequestLog) -> Cells:
    """The columns of a log entry; metadata as an object."""
    return {
        "request_id": entry.request_id,
        "log_id": entry.id,
        "timestamp_ms": entry.timestamp_ms or None,
        "state": entry.state,
        "event": entry.event,
        "request_version": entry.request_version,
        "outcome_reason": entry.outcome_reason,
        "metadata": dict(sorted(entry.metadata.items())),
    }


def summary_cells(summary: RequestSummary) -> Cells:
    """The columns of a summary."""
    return mapping.summary_row(summary)._asdict()


def acceptance_cells(acceptance: RequestAcceptance) -> Cells:
    """The columns of an acceptance mapping."""
    return mapping.acceptance_row(acceptance)._asdict()


def uri_cells(uri: RequestURI) -> Cells:
    """The columns of a URI's mapping."""
    return mapping.request_uri_row(uri)._asdict()


def queue_summary_cells(summary: QueueSummary) -> Cells:
    """The columns of the queue's summary."""
    return mapping.queue_summary_row(summary)._asdict()


def log_from_cells(queue: str, cells: Cells) -> RequestLog:
    """The log entry in a plan's columns."""
    metadata = cells["metadata"]
    return RequestLog(
        queue=queue,
        request_id=_text(cells, "request_id"),
        id=_text(cells, "log_id"),
        timestamp_ms=_number(cells, "timestamp_ms"),
        state=_text(cells, "state"),
        event=_text(cells, "event"),
        request_version=_number(cells, "request_version"),
        outcome_reason=_text(cells, "outcome_reason"),
        metadata={key: str(value) for key, value in metadata.items()} if isinstance(metadata, Mapping) else {},
    )


def uri_from_cells(queue: str, cells: Cells) -> RequestURI:
    """The URI's mapping in a plan's columns."""
    return RequestURI(queue, _text(cells, "uri"), _text(cells, "request_id"), _number(cells, "version"))


def acceptance_from_cells(queue: str, cells: Cells) -> RequestAcceptance:
    """The acceptance mapping in a plan's columns."""
    return RequestAcceptance(queue, _number(cells, "accepted_at_ms"), _text(cells, "request_id"))


def _text(cells: Cells, name: str) -> str:
    value = cells[name]
    return value if isinstance(value, str) else ""


def _number(cells: Cells, name: str) -> int:
    value = cells[name]
    return value if isinstance(value, int) else 0
