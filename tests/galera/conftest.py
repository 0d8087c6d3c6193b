"""A cluster whose nodes a test may end, and one database of it as each node gives access to it."""

import contextlib
import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.support.galera import GaleraCluster
from tests.support.service_tables import create_service_tables


@dataclass(frozen=True, slots=True)
class OnCluster:
    """One database of a cluster, with the service's tables, ours and those of a ledger."""

    cluster: GaleraCluster
    name: str

    def url(self, number: int) -> str:
        """The database as one node gives access to it."""
        return self.cluster.nodes[number].url(self.name)

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(self.url(number) for number in range(len(self.cluster.nodes)))


@pytest.fixture(scope="session")
def clustered_database(galera_cluster: GaleraCluster) -> Iterator[OnCluster]:
    first = galera_cluster.nodes[0]
    found = OnCluster(galera_cluster, first.unused_name("cluster"))
    first.create_database(found.name)
    with contextlib.closing(first.connect(found.name)) as connection:
        create_service_tables(connection, "mysql", project_results=True)
    with open_storage(found.url(0)) as storage, open_ledger(found.url(0)) as ledger:
        storage.admin.create_tables()
        ledger.admin.init()
    yield found
    first.drop_database(found.name)


@pytest.fixture
def on_cluster(clustered_database: OnCluster) -> Iterator[OnCluster]:
    """The one database, shared by all tests: each works in queues of its own, and may end nodes."""
    yield clustered_database
    clustered_database.cluster.bring_back()


@pytest.fixture(scope="session")
def cluster_queue_numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def queue(cluster_queue_numbers: Iterator[int]) -> str:
    """A name that no other test has."""
    return f"cluster/{next(cluster_queue_numbers)}"


@pytest.fixture
def factories(on_cluster: OnCluster) -> Iterator[list[StorageFactory]]:
    """The database, opened on every node."""
    with ExitStack() as opened:
        yield [opened.enter_context(open_storage(url)) for url in on_cluster.urls]
