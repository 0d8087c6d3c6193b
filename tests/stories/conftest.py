"""Every backend that a story is told on, each story in a database of its own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.open import open_storage
from tests.stories.story import NewDatabase
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables

BACKENDS = ("memory", "sqlite", "mariadb", "mariadb-service-tables")


@pytest.fixture(scope="session", params=BACKENDS)
def new_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewDatabase:
    """Opens new databases of one kind; the last kind has the service's own tables alone, in the server's collation."""
    kind: str = request.param
    if kind == "memory":
        return lambda: created("memory://")
    if kind == "sqlite":
        return lambda: in_file(tmp_path_factory.mktemp("story") / "story.db")
    server: MariaDBServer = request.getfixturevalue("mariadb")
    return lambda: on_server(server, service_tables=kind == "mariadb-service-tables")


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
def on_server(server: MariaDBServer, *, service_tables: bool) -> Iterator[StorageFactory]:
    name = server.unused_name("story")
    url = server.create_database(name)
    if service_tables:
        with contextlib.closing(server.connect(name)) as connection:
            create_service_tables(connection, "mysql")
        opened: contextlib.AbstractContextManager[StorageFactory] = open_storage(url)
    else:
        opened = created(url)
    with opened as factory:
        yield factory
    server.drop_database(name)
