"""The one fixture over all backends, and the storages that tests take from it."""

import itertools
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.contract import Storage, StorageFactory
from stovepipe_cli.storage.contract.tables import TABLES
from tests.contract.backends import Backend, MariaDBBackend, MemoryBackend, SQLiteBackend
from tests.support.galera import GaleraCluster

BACKENDS = ("memory", "sqlite", "mariadb", "mariadb-service-tables", "galera")


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    return make_backend(request, request.param)


@pytest.fixture(scope="session", params=["sqlite", "mariadb"])
def byte_exact_database(request: pytest.FixtureRequest) -> Iterator[StorageFactory]:
    """A whole database whose text keys compare as bytes, to be compared with memory."""
    with make_backend(request, request.param).database() as opened:
        yield opened
        assert opened.checked_out() == 0, "a test left a connection checked out"


@pytest.fixture(scope="session", params=["mariadb-service-tables"])
def collating_database(request: pytest.FixtureRequest) -> Iterator[StorageFactory]:
    """A whole database whose text keys compare by a collation, to be compared with memory."""
    with make_backend(request, request.param).database() as opened:
        yield opened
        assert opened.checked_out() == 0, "a test left a connection checked out"


def make_backend(request: pytest.FixtureRequest, name: str) -> Backend:
    if name == "memory":
        return MemoryBackend()
    if name == "sqlite":
        return SQLiteBackend(request.getfixturevalue("tmp_path_factory").mktemp("contract"))
    if name == "galera":
        cluster: GaleraCluster = request.getfixturevalue("galera_cluster")
        return MariaDBBackend(cluster.nodes[0], service_tables=False, storage_server=cluster.nodes[1])
    return MariaDBBackend(request.getfixturevalue("mariadb"), service_tables=name == "mariadb-service-tables")


@pytest.fixture(scope="session")
def whole_database(backend: Backend) -> Iterator[StorageFactory]:
    with backend.database() as opened:
        yield opened


@pytest.fixture(scope="session")
def earlier_database(backend: Backend) -> Iterator[StorageFactory]:
    """Every table, and none of the columns that came later."""
    later = {
        table.name: [column.name for column in table.columns if column.later]
        for table in TABLES.values()
        if any(column.later for column in table.columns)
    }
    with backend.database(without_columns=later) as opened:
        yield opened


@pytest.fixture(scope="session")
def bare_database(backend: Backend) -> Iterator[StorageFactory]:
    """No table at all."""
    with backend.database(without_tables=list(TABLES)) as opened:
        yield opened


@pytest.fixture
def factory(whole_database: StorageFactory) -> Iterator[StorageFactory]:
    """The whole database, shared by all tests of a backend: each works in queues of its own."""
    yield whole_database
    assert whole_database.checked_out() == 0, "the test left a connection checked out"


@pytest.fixture
def earlier(earlier_database: StorageFactory, queue_name: str) -> Iterator[Storage]:
    yield earlier_database.for_queue(queue_name)
    assert earlier_database.checked_out() == 0, "the test left a connection checked out"


@pytest.fixture
def bare(bare_database: StorageFactory, queue_name: str) -> Iterator[Storage]:
    yield bare_database.for_queue(queue_name)
    assert bare_database.checked_out() == 0, "the test left a connection checked out"


@pytest.fixture(scope="session")
def queue_numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def queue_name(queue_numbers: Iterator[int]) -> str:
    """A name that no other test has, also where only case or trailing spaces differ."""
    return f"queue-{next(queue_numbers)}/main"


@pytest.fixture
def storage(factory: StorageFactory, queue_name: str) -> Storage:
    return factory.for_queue(queue_name)


@pytest.fixture
def other(factory: StorageFactory, queue_name: str) -> Storage:
    """The storage of another queue in the same database."""
    return factory.for_queue(f"{queue_name}-other")
