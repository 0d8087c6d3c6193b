"""The drivers on their own: what every rate is compared with."""

import contextlib
import importlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from stovepipe_cli.storage.contract.tables import Table
from tests.bench.databases import QUEUE, Reach


@contextlib.contextmanager
def connected(reach: Reach) -> Iterator[Any]:
    """A DB-API connection, in the driver's own form."""
    with contextlib.closing(_connect(reach)) as connection:
        yield connection


def stream(reach: Reach, tables: Iterable[Table]) -> int:
    """Read every row of the queue, whole but for its queue, from a cursor that holds none of them; how many."""
    rows = 0
    with connected(reach) as connection:
        for table in tables:
            cursor = _streaming_cursor(reach, connection)
            columns = ", ".join(_quoted(reach, column.name) for column in table.columns if not _is_queue(table, column))
            condition = f"{_quoted(reach, table.queue_column)} = {_placeholder(reach)}"
            name = QUEUE.encode() if table.column(table.queue_column).kind == "binary" else QUEUE
            cursor.execute(f"SELECT {columns} FROM {_quoted(reach, table.name)} WHERE {condition}", (name,))
            for _ in cursor:
                rows += 1
            cursor.close()
    return rows


def insert(
    reach: Reach,
    batches: Iterable[Sequence[tuple[Table, Sequence[tuple[object, ...]]]]],
    *,
    skips_what_is_there: bool = False,
) -> None:
    """Insert rows that hold their queue first, many a statement, a transaction a batch."""
    ignore = ("OR IGNORE " if reach.driver == "sqlite3" else "IGNORE ") if skips_what_is_there else ""
    with connected(reach) as connection:
        cursor = connection.cursor()
        for batch in batches:
            cursor.execute("BEGIN")
            for table, rows in batch:
                names = ", ".join(_quoted(reach, column.name) for column in table.columns)
                places = ", ".join([_placeholder(reach)] * len(table.columns))
                cursor.executemany(
                    f"INSERT {ignore}INTO {_quoted(reach, table.name)} ({names}) VALUES ({places})", rows
                )
            cursor.execute("COMMIT")


def clear(reach: Reach, table: Table) -> None:
    """Delete every row of a table."""
    with connected(reach) as connection:
        connection.cursor().execute(f"DELETE FROM {_quoted(reach, table.name)}")


def _is_queue(table: Table, column: Any) -> bool:  # noqa: ANN401  # a column of the contract
    return bool(column.name == table.queue_column)


def _connect(reach: Reach) -> Any:  # noqa: ANN401  # three drivers without a common class
    if reach.driver == "sqlite3":
        return sqlite3.connect(reach.url.removeprefix("sqlite:///"), isolation_level=None)
    parts = urlsplit(reach.url)
    driver = importlib.import_module("pymysql" if reach.driver == "PyMySQL" else "MySQLdb")
    return driver.connect(
        host=parts.hostname,
        port=parts.port,
        user=unquote(parts.username or ""),
        database=parts.path[1:],
        charset="utf8mb4",
        autocommit=True,
    )


def _streaming_cursor(reach: Reach, connection: Any) -> Any:  # noqa: ANN401  # as above
    if reach.driver == "sqlite3":
        return connection.cursor()
    cursors = importlib.import_module("pymysql.cursors" if reach.driver == "PyMySQL" else "MySQLdb.cursors")
    return connection.cursor(cursors.SSCursor)


def _quoted(reach: Reach, name: str) -> str:
    return f'"{name}"' if reach.driver == "sqlite3" else f"`{name}`"


def _placeholder(reach: Reach) -> str:
    return "?" if reach.driver == "sqlite3" else "%s"
