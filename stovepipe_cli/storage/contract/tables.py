"""The tables of a Stovepipe database: names, columns and keys as the service has them.

A column marked `later` may be absent from an older database; it reads as its default there and is not written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

ColumnKind = Literal["text", "binary", "int", "bigint", "double", "json"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `size` counts characters (text) or bytes (binary); `default` None means it must be named."""

    name: str
    kind: ColumnKind
    size: int = 0
    default: str | int | float | None = None
    later: bool = False
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `key` is its primary key, the queue column first; `expected` tables are in every deployment."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    expected: bool
    descending: tuple[str, ...] = ()
    index: tuple[str, tuple[str, ...]] | None = None

    @property
    def queue_column(self) -> str:
        """The column that scopes rows to a queue."""
        return self.key[0]

    def column(self, name: str) -> Column:
        """The column of that name; `KeyError` where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def _text(name: str, size: int = 255, default: str | None = None, *, later: bool = False) -> Column:
    return Column(name, "text", size, default, later=later)


def _binary(name: str, size: int) -> Column:
    return Column(name, "binary", size)


REQUEST = Table(
    "request",
    (
        _text("queue"),
        _text("id"),
        _text("uri"),
        _text("state", 64),
        _text("build_strategy", 64, "", later=True),
        _text("base_uri", 255, "", later=True),
        Column("version", "int"),
        Column("terminal_build_id", "text", 255, "", later=True, nullable=True),
    ),
    ("queue", "id"),
    expected=True,
)
REQUEST_URI = Table(
    "request_uri",
    (_text("queue"), _text("uri"), _text("request_id"), Column("version", "int")),
    ("queue", "uri"),
    expected=True,
)
QUEUE = Table(
    "queue",
    (
        _text("name"),
        _text("last_green_uri", 255, ""),
        Column("in_flight_count", "int", default=0),
        _text("latest_request_id", 255, ""),
        Column("version", "int"),
        _text("last_green_request_id", 255, "", later=True),
        Column("build_admission_not_before_ms", "bigint", default=0, later=True),
        _text("enablement_state", 64, "", later=True),
        Column("enablement_sequence", "bigint", default=0, later=True),
    ),
    ("name",),
    expected=True,
)
BUILD = Table(
    "build",
    (_text("queue"), _text("id"), _text("request_id"), _text("status", 64), Column("version", "int")),
    ("queue", "id"),
    expected=True,
)
VALIDATION_FACT = Table(
    "validation_fact",
    (
        _text("queue"),
        _text("uri"),
        _text("project", 255, ""),
        Column("degree", "double"),
        _text("request_id"),
        Column("created_at", "bigint"),
    ),
    ("queue", "uri", "project"),
    expected=True,
)
REQUEST_LOG = Table(
    "request_log",
    (
        _text("queue"),
        _text("request_id"),
        _text("log_id"),
        Column("timestamp_ms", "bigint"),
        _text("state", 64),
        _text("event", 64),
        Column("request_version", "int"),
        _text("outcome_reason", 64),
        Column("metadata", "json"),
    ),
    ("queue", "request_id", "log_id"),
    expected=True,
    index=("idx_request_log_order", ("queue", "request_id", "timestamp_ms", "log_id")),
)
REQUEST_SUMMARY = Table(
    "request_summary",
    (
        _text("queue"),
        _text("request_id"),
        _text("uri"),
        _text("base_uri"),
        _text("state", 64),
        Column("request_version", "int"),
        Column("state_timestamp_ms", "bigint"),
        Column("version", "int"),
        Column("accepted_at_ms", "bigint", default=0, later=True),
        _text("outcome_reason", 64, "", later=True),
        Column("project_results_completed_at_ms", "bigint", default=0, later=True),
        Column("project_fact_count", "int", default=0, later=True),
        Column("broken_project_fact_count", "int", default=0, later=True),
    ),
    ("queue", "request_id"),
    expected=False,
)
REQUEST_ACCEPTANCE = Table(
    "request_acceptance",
    (_text("queue"), Column("accepted_at_ms", "bigint"), _binary("request_id", 1020)),
    ("queue", "accepted_at_ms", "request_id"),
    expected=False,
)
BUILD_ISSUE = Table(
    "build_issue",
    (_binary("queue", 255), _binary("build_id", 1020), _binary("task_id", 255), _binary("unit_id", 1024)),
    ("queue", "build_id", "task_id", "unit_id"),
    expected=False,
)
OPEN_ISSUE = Table(
    "open_issue",
    (
        _binary("queue", 255),
        _binary("task_id", 255),
        _binary("unit_id", 1024),
        _binary("first_seen_build_id", 1020),
    ),
    ("queue", "task_id", "unit_id"),
    expected=False,
)
ISSUE_LOG = Table(
    "issue_log",
    (
        _binary("queue", 255),
        _binary("task_id", 255),
        _binary("unit_id", 1024),
        _binary("build_id", 1020),
        _binary("event", 32),
        Column("timestamp_ms", "bigint"),
    ),
    ("queue", "task_id", "unit_id", "build_id", "event"),
    expected=False,
)
PROJECT_FACT_BY_DEGREE = Table(
    "project_fact_by_degree",
    (_binary("queue", 255), _binary("uri", 1020), Column("degree", "double"), _binary("project", 1020)),
    ("queue", "uri", "degree", "project"),
    expected=False,
    descending=("degree",),
)
QUEUE_LOG = Table(
    "queue_log",
    (
        _binary("queue", 255),
        _binary("log_id", 255),
        Column("sequence", "bigint"),
        _text("state", 64),
        Column("timestamp_ms", "bigint"),
        Column("metadata", "json"),
    ),
    ("queue", "log_id"),
    expected=False,
)
QUEUE_SUMMARY = Table(
    "queue_summary",
    (
        _binary("queue", 255),
        _text("state", 64),
        Column("enablement_sequence", "bigint"),
        Column("state_timestamp_ms", "bigint"),
        Column("projection_version", "int"),
        Column("version", "int"),
    ),
    ("queue",),
    expected=False,
)

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            REQUEST,
            REQUEST_URI,
            QUEUE,
            QUEUE_LOG,
            QUEUE_SUMMARY,
            BUILD,
            BUILD_ISSUE,
            OPEN_ISSUE,
            ISSUE_LOG,
            VALIDATION_FACT,
            PROJECT_FACT_BY_DEGREE,
            REQUEST_LOG,
            REQUEST_SUMMARY,
            REQUEST_ACCEPTANCE,
        )
    }
)
