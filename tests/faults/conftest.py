"""A MariaDB database reached through a proxy that can break, and storages opened on it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract import Storage, StorageFactory
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process
from tests.faults.applying import Applying
from tests.faults.opening import QUEUE, Pauses, open_directly
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.service_tables import create_service_tables
from tests.support.tcp_proxy import TcpProxy


@pytest.fixture
def pauses() -> Pauses:
    return Pauses([])


@pytest.fixture
def database(mariadb_service_database: str) -> str:
    """Name of a database with the service's tables, and ours beside them."""
    with open_storage(mariadb_service_database) as factory:
        factory.admin.create_tables()
    return mariadb_service_database.rpartition("/")[2]


@pytest.fixture
def proxy(mariadb: MariaDBServer) -> Iterator[TcpProxy]:
    with TcpProxy(mariadb.port) as proxy:
        yield proxy


@pytest.fixture
def factory(database: str, proxy: TcpProxy, pauses: Pauses) -> Iterator[StorageFactory]:
    """The database through the proxy."""
    with open_directly(
        f"mysql+pymysql://root@{HOST}:{proxy.port}/{database}?ssl_mode=DISABLED", pauses.policy
    ) as opened:
        yield opened
        assert opened.checked_out() == 0, "the test left a connection checked out"


@pytest.fixture
def storage(factory: StorageFactory) -> Storage:
    return factory.for_queue(QUEUE)


@pytest.fixture
def direct(mariadb: MariaDBServer, database: str) -> Iterator[Storage]:
    """Another process with a connection that does not break."""
    with open_storage(mariadb.url(database)) as factory:
        yield factory.for_queue(QUEUE)


@pytest.fixture
def applying(mariadb: MariaDBServer, mariadb_database: str, proxy: TcpProxy, tmp_path: Path) -> Iterator[Applying]:
    """Repairs as processes, on a database that has every column of the newest service."""
    name = mariadb_database.rpartition("/")[2]
    with contextlib.closing(mariadb.connect(name)) as connection:
        create_service_tables(connection, "mysql", project_results=True)
    with open_storage(mariadb_database) as factory:
        yield Applying(factory, proxy, Process(tmp_path), mariadb.port, name)
