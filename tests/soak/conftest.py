"""Databases on disk and on a server, since a queue of this size and a second process need one."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.open import open_storage
from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables

BACKENDS = ("sqlite", "mariadb", "mariadb-service-tables")

NewURL = Callable[[], contextlib.AbstractContextManager[str]]


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database; the last kind has the service's own tables in the server's collation."""
    kind: str = request.param
    if kind == "sqlite":
        made = f"sqlite:///{tmp_path / 'queue.db'}"
        create_tables(made)
        yield made
        return
    server: MariaDBServer = request.getfixturevalue("mariadb")
    name = server.unused_name("soak")
    made = server.create_database(name)
    if kind == "mariadb":
        create_tables(made)
    else:
        with contextlib.closing(server.connect(name)) as connection:
            create_service_tables(connection, "mysql")
    yield made
    server.drop_database(name)


def create_tables(url: str) -> None:
    with open_storage(url) as factory:
        factory.admin.create_tables()
