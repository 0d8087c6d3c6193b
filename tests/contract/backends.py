"""The backends under test: each makes new databases, whole or lacking what a deployment may lack."""

import contextlib
import itertools
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables

NO_COLUMNS: Mapping[str, Collection[str]] = {}

# The service's DDL for these is not public; like its other later columns, they may be NULL.
ADD_ENABLEMENT = """ALTER TABLE `queue`
    ADD COLUMN enablement_state VARCHAR(64) NULL, ADD COLUMN enablement_sequence BIGINT NULL"""


class Backend(Protocol):
    def database(
        self,
        without_tables: Collection[str] = (),
        without_columns: Mapping[str, Collection[str]] = NO_COLUMNS,
        *,
        read_only: bool = False,
    ) -> StorageFactory:
        """Open a new database that has every table but these, and every column but these."""
        ...

    def insert_early(self, database: StorageFactory, queue: str, row: Row) -> None:
        """Insert as a writer does that does not know the later columns."""
        ...


class MemoryBackend:
    def database(
        self,
        without_tables: Collection[str] = (),
        without_columns: Mapping[str, Collection[str]] = NO_COLUMNS,
        *,
        read_only: bool = False,
    ) -> StorageFactory:
        return MemoryFactory(
            absent_tables=frozenset(without_tables),
            absent_columns={table: frozenset(columns) for table, columns in without_columns.items()},
            read_only=read_only,
        )

    def insert_early(self, database: StorageFactory, queue: str, row: Row) -> None:
        later = {column.name: column.default for column in TABLE_OF[type(row)].columns if column.later}
        values = {name: later.get(name, value) for name, value in row._asdict().items()}
        database.for_queue(queue).bulk.insert([type(row)._make(values.values())])


class SQLiteBackend:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = itertools.count(1)
        self._paths: dict[StorageFactory, Path] = {}

    def database(
        self,
        without_tables: Collection[str] = (),
        without_columns: Mapping[str, Collection[str]] = NO_COLUMNS,
        *,
        read_only: bool = False,
    ) -> StorageFactory:
        path = self._directory / f"{next(self._numbers)}.db"
        url = f"sqlite:///{path}"
        with open_storage(url) as factory:
            factory.admin.create_tables()
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            for statement in drops(without_tables, without_columns):
                connection.execute(statement)
        opened = open_storage(url, read_only=read_only)
        self._paths[opened] = path
        return opened

    def insert_early(self, database: StorageFactory, queue: str, row: Row) -> None:
        statement, values = early_insert(queue, row, placeholder="?")
        with contextlib.closing(sqlite3.connect(self._paths[database])) as connection, connection:
            connection.execute(statement, values)


class MariaDBBackend:
    """`service_tables`: those the service creates itself have the server's collation; ours are beside them.

    Storages are opened on `storage_server` where it is given, which has the same rows as the server that is prepared.
    """

    def __init__(
        self, server: MariaDBServer, *, service_tables: bool, storage_server: MariaDBServer | None = None
    ) -> None:
        self._server = server
        self._storage_server = storage_server or server
        self._service_tables = service_tables
        self._names: dict[StorageFactory, str] = {}

    def database(
        self,
        without_tables: Collection[str] = (),
        without_columns: Mapping[str, Collection[str]] = NO_COLUMNS,
        *,
        read_only: bool = False,
    ) -> StorageFactory:
        name = self._server.unused_name("contract")
        self._server.create_database(name)
        url = self._storage_server.url(name)
        if self._service_tables:
            with contextlib.closing(self._server.connect(name)) as connection:
                create_service_tables(connection, "mysql", project_results=True)
                connection.query(ADD_ENABLEMENT)
        with open_storage(url) as factory:
            factory.admin.create_tables()
        with contextlib.closing(self._server.connect(name)) as connection, connection.cursor() as cursor:
            for statement in drops(without_tables, without_columns):
                cursor.execute(statement)
        opened = open_storage(url, read_only=read_only)
        self._names[opened] = name
        return opened

    def insert_early(self, database: StorageFactory, queue: str, row: Row) -> None:
        statement, values = early_insert(queue, row, placeholder="%s")
        self._server.execute(statement, values, database=self._names[database])


def drops(tables: Collection[str], columns: Mapping[str, Collection[str]]) -> list[str]:
    return [
        *(f"DROP TABLE `{table}`" for table in tables),
        *(f"ALTER TABLE `{table}` DROP COLUMN `{name}`" for table, names in columns.items() for name in names),
    ]


def early_insert(queue: str, row: Row, *, placeholder: str) -> tuple[str, list[object]]:
    table = TABLE_OF[type(row)]
    known: dict[str, object] = {table.queue_column: queue}
    known.update((name, value) for name, value in row._asdict().items() if not table.column(name).later)
    columns = ", ".join(f"`{name}`" for name in known)
    places = ", ".join([placeholder] * len(known))
    return f"INSERT INTO `{table.name}` ({columns}) VALUES ({places})", list(known.values())
