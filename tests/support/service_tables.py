"""The tables as the service creates them: its columns, its keys, and no collation of their own.

Rows that the tests put here stand for rows that the service wrote. Older deployments lack columns or tables, which
the parameters of `create_service_tables` say.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

Dialect = Literal["mysql", "sqlite"]

NAME = "VARCHAR(255)"
WORD = "VARCHAR(64)"
NUMBER = "INT"
MILLISECONDS = "BIGINT"

# SQLite would give these type names numeric affinity and so change what is stored.
SQLITE_TYPES = {"VARBINARY(1020)": "BLOB", "JSON": "TEXT"}


class SQLCursor(Protocol):
    def execute(self, sql: str, /) -> object: ...
    def close(self) -> object: ...


class SQLConnection(Protocol):
    def cursor(self) -> SQLCursor: ...


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    rest: str = "NOT NULL"

    def definition(self, dialect: Dialect) -> str:
        column_type = SQLITE_TYPES.get(self.type, self.type) if dialect == "sqlite" else self.type
        return f"{quoted(self.name, dialect)} {column_type} {self.rest}"


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    order: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> "Table":
        """The table as it was before those columns came; refuses a name that it does not have."""
        unknown = set(names) - {column.name for column in self.columns}
        if unknown:
            raise ValueError(f"table {self.name} has no column {sorted(unknown)}")
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def statements(self, dialect: Dialect) -> list[str]:
        parts = [column.definition(dialect) for column in self.columns]
        parts.append(f"PRIMARY KEY ({column_list(self.key, dialect)})")
        table, index = quoted(self.name, dialect), quoted(f"idx_{self.name}_order", dialect)
        if dialect == "sqlite":
            created = [f"CREATE TABLE {table} ({', '.join(parts)})"]
            if self.order:
                created.append(f"CREATE INDEX {index} ON {table} ({column_list(self.order, dialect)})")
            return created
        if self.order:
            parts.append(f"KEY {index} ({column_list(self.order, dialect)})")
        return [f"CREATE TABLE {table} ({', '.join(parts)}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"]


REQUEST = Table(
    "request",
    (
        Column("queue", NAME),
        Column("id", NAME),
        Column("uri", NAME),
        Column("state", WORD),
        Column("build_strategy", WORD, "NOT NULL DEFAULT ''"),
        Column("base_uri", NAME, "NOT NULL DEFAULT ''"),
        Column("version", NUMBER),
        Column("terminal_build_id", NAME, "NULL"),
    ),
    key=("queue", "id"),
)

REQUEST_URI = Table(
    "request_uri",
    (Column("queue", NAME), Column("uri", NAME), Column("request_id", NAME), Column("version", NUMBER)),
    key=("queue", "uri"),
)

QUEUE = Table(
    "queue",
    (
        Column("name", NAME),
        Column("last_green_uri", NAME, "NOT NULL DEFAULT ''"),
        Column("in_flight_count", NUMBER, "NOT NULL DEFAULT 0"),
        Column("latest_request_id", NAME, "NOT NULL DEFAULT ''"),
        Column("version", NUMBER),
        Column("last_green_request_id", NAME, "NOT NULL DEFAULT ''"),
        Column("build_admission_not_before_ms", MILLISECONDS, "NOT NULL DEFAULT 0"),
    ),
    key=("name",),
)

BUILD = Table(
    "build",
    (
        Column("queue", NAME),
        Column("id", NAME),
        Column("request_id", NAME),
        Column("status", WORD),
        Column("version", NUMBER),
    ),
    key=("queue", "id"),
)

VALIDATION_FACT = Table(
    "validation_fact",
    (
        Column("queue", NAME),
        Column("uri", NAME),
        Column("project", NAME, "NOT NULL DEFAULT ''"),
        Column("degree", "DOUBLE"),
        Column("request_id", NAME),
        Column("created_at", MILLISECONDS),
    ),
    key=("queue", "uri", "project"),
)

REQUEST_LOG = Table(
    "request_log",
    (
        Column("queue", NAME),
        Column("request_id", NAME),
        Column("log_id", NAME),
        Column("timestamp_ms", MILLISECONDS),
        Column("state", WORD),
        Column("event", WORD),
        Column("request_version", NUMBER),
        Column("outcome_reason", WORD),
        Column("metadata", "JSON"),
    ),
    key=("queue", "request_id", "log_id"),
    order=("queue", "request_id", "timestamp_ms", "log_id"),
)

# Of a design that was given up: it shares the name, and none of the meaning.
OBSOLETE_REQUEST_LOG = Table(
    "request_log",
    (
        Column("request_id", NAME),
        Column("timestamp_ms", MILLISECONDS),
        Column("salt", NAME),
        Column("status", WORD),
        Column("request_version", NUMBER),
        Column("last_error", "TEXT"),
        Column("metadata", "JSON"),
    ),
    key=("request_id", "timestamp_ms", "salt"),
)

REQUEST_SUMMARY = Table(
    "request_summary",
    (
        Column("queue", NAME),
        Column("request_id", NAME),
        Column("uri", NAME),
        Column("base_uri", NAME),
        Column("state", WORD),
        Column("request_version", NUMBER),
        Column("state_timestamp_ms", MILLISECONDS),
        Column("version", NUMBER),
        Column("accepted_at_ms", MILLISECONDS, "NOT NULL DEFAULT 0"),
        Column("outcome_reason", WORD, "NOT NULL DEFAULT ''"),
    ),
    key=("queue", "request_id"),
)

PROJECT_RESULT_COLUMNS = (
    Column("project_results_completed_at_ms", MILLISECONDS, "NULL"),
    Column("project_fact_count", NUMBER, "NULL"),
    Column("broken_project_fact_count", NUMBER, "NULL"),
)

REQUEST_ACCEPTANCE = Table(
    "request_acceptance",
    (Column("queue", NAME), Column("accepted_at_ms", MILLISECONDS), Column("request_id", "VARBINARY(1020)")),
    key=("queue", "accepted_at_ms", "request_id"),
)


def service_tables(
    *,
    without_tables: Collection[str] = (),
    without_columns: Mapping[str, Collection[str]] | None = None,
    request_key: tuple[str, ...] = ("queue", "id"),
    project_results: bool = False,
    obsolete_request_log: bool = False,
) -> list[Table]:
    """The tables of one deployment; a table or column to leave out must exist in the newest form.

    `request_key` is ("id",) on the oldest; `project_results` adds the summary's newest columns.
    """
    summary = REQUEST_SUMMARY
    if project_results:
        summary = replace(summary, columns=summary.columns + PROJECT_RESULT_COLUMNS)
    request_log = OBSOLETE_REQUEST_LOG if obsolete_request_log else REQUEST_LOG
    newest = [
        replace(REQUEST, key=request_key),
        REQUEST_URI,
        QUEUE,
        BUILD,
        VALIDATION_FACT,
        request_log,
        summary,
        REQUEST_ACCEPTANCE,
    ]
    absent = without_columns or {}
    unknown = {*without_tables, *absent} - {table.name for table in newest}
    if unknown:
        raise ValueError(f"the service has no table {sorted(unknown)}")
    return [table.without(absent.get(table.name, ())) for table in newest if table.name not in without_tables]


def create_service_tables(
    connection: SQLConnection,
    dialect: Dialect,
    *,
    without_tables: Collection[str] = (),
    without_columns: Mapping[str, Collection[str]] | None = None,
    request_key: tuple[str, ...] = ("queue", "id"),
    project_results: bool = False,
    obsolete_request_log: bool = False,
) -> None:
    """Create `service_tables` in the connection's current database."""
    cursor = connection.cursor()
    for table in service_tables(
        without_tables=without_tables,
        without_columns=without_columns,
        request_key=request_key,
        project_results=project_results,
        obsolete_request_log=obsolete_request_log,
    ):
        for statement in table.statements(dialect):
            cursor.execute(statement)
    cursor.close()


def quoted(name: str, dialect: Dialect) -> str:
    return f"`{name}`" if dialect == "mysql" else f'"{name}"'


def column_list(names: tuple[str, ...], dialect: Dialect) -> str:
    return ", ".join(quoted(name, dialect) for name in names)
