"""Every backend that a story is told on, each story in a database of its own."""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.open import open_storage
from tests.stories.story import SERVICE_TABLES, NewDatabase
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables

LATER_COLUMNS: Mapping[str, Collection[str]] = {"request_summary": ("accepted_at_ms", "outcome_reason")}

BACKENDS = ("memory", "sqlite", "mariadb", SERVICE_TABLES)


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """The kind of database that stories are told on."""
    kind: str = request.param
    return kind


@pytest.fixture(scope="session")
def new_database(backend: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewDatabase:
    """Opens new databases of one kind; the last kind has the service's own tables alone, in the server's collation."""
    if backend == "memory":
        return lambda: created("memory://")
    if backend == "sqlite":
        return lambda: in_file(tmp_path_factory.mktemp("story") / "story.db")
    server: MariaDBServer = request.getfixturevalue("mariadb")
    return lambda: on_server(server, service_tables=backend == SERVICE_TABLES)


@pytest.fixture(scope="session", params=["sqlite", "mariadb"])
def database_of_first_summaries(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> NewDatabase:
    """Opens new databases of the service whose summaries have none of the columns that came later."""
    if request.param == "sqlite":
        return lambda: of_first_summaries(tmp_path_factory.mktemp("story") / "first.db")
    server: MariaDBServer = request.getfixturevalue("mariadb")
    return lambda: on_server(server, service_tables=True, without_columns=LATER_COLUMNS)


@contextlib.contextmanager
def created(url: str) -> Iterator[StorageFactory]:
    with open_storage(url) as factory:
        factory.admin.create_tables()
        yield factory
        assert factory.checked_out() == 0, "a connection was left checked out"


@contextlib.contextmanager
def in_file(path: Path) -> Iterator[StorageFactory]:
    with created(f"sqlite:///{path}") as factory:
        yield factory


@contextlib.contextmanager
def of_first_summaries(path: Path) -> Iterator[StorageFactory]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        create_service_tables(connection, "sqlite", without_columns=LATER_COLUMNS)
    with open_storage(f"sqlite:///{path}") as factory:
        yield factory


@contextlib.contextmanager
def on_server(
    server: MariaDBServer, *, service_tables: bool, without_columns: Mapping[str, Collection[str]] | None = None
) -> Iterator[StorageFactory]:
    name = server.unused_name("story")
    url = server.create_database(name)
    if service_tables:
        with contextlib.closing(server.connect(name)) as connection:
            create_service_tables(connection, "mysql", without_columns=without_columns)
        opened: contextlib.AbstractContextManager[StorageFactory] = open_storage(url)
    else:
        opened = created(url)
    with opened as factory:
        yield factory
    server.drop_database(name)
