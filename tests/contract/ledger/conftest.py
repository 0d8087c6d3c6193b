"""One ledger a backend, shared by all tests: each works in queues of its own."""

import itertools
from collections.abc import Iterator

import pytest

from stovepipe_cli.storage.ledger.contract import Ledger, QueueLedger
from tests.contract.ledger.backends import InFile, InMemory, LedgerBackend, OnServer
from tests.support.galera import GaleraCluster

# The two of one server differ in what new tables compare text by; the second takes case and trailing spaces for
# nothing.
KINDS = ("memory", "sqlite", "mariadb-byte-exact", "mariadb-general-ci", "galera")


@pytest.fixture(scope="session", params=KINDS)
def ledger_backend(request: pytest.FixtureRequest) -> LedgerBackend:
    return make_backend(request, request.param)


@pytest.fixture(scope="session", params=["sqlite", "mariadb-general-ci", "galera"])
def sql_backend(request: pytest.FixtureRequest) -> LedgerBackend:
    return make_backend(request, request.param)


def make_backend(request: pytest.FixtureRequest, kind: str) -> LedgerBackend:
    if kind == "memory":
        return InMemory()
    if kind == "sqlite":
        return InFile(request.getfixturevalue("tmp_path_factory").mktemp("ledger"))
    if kind == "galera":
        cluster: GaleraCluster = request.getfixturevalue("galera_cluster")
        return OnServer(cluster.nodes[0], None, again=cluster.nodes)
    collation = "utf8mb4_nopad_bin" if kind == "mariadb-byte-exact" else None
    return OnServer(request.getfixturevalue("mariadb"), collation)


@pytest.fixture(scope="session")
def ledger(ledger_backend: LedgerBackend) -> Iterator[Ledger]:
    with ledger_backend.fresh() as opened:
        yield opened


@pytest.fixture(scope="session")
def ledger_queue_numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def ledger_queue(ledger_queue_numbers: Iterator[int]) -> str:
    """A name that no other test has, also where only case or trailing spaces differ."""
    return f"queue-{next(ledger_queue_numbers)}/main"


@pytest.fixture
def book(ledger: Ledger, ledger_queue: str) -> QueueLedger:
    return ledger.for_queue(ledger_queue)


@pytest.fixture
def neighbour(ledger: Ledger, ledger_queue: str) -> QueueLedger:
    """Another queue of the same ledger."""
    return ledger.for_queue(f"{ledger_queue}-other")


@pytest.fixture
def sql_ledgers(sql_backend: LedgerBackend) -> Iterator[tuple[Ledger, Ledger]]:
    """One ledger, opened twice."""
    first = sql_backend.fresh()
    with first, sql_backend.again(first) as second:
        yield first, second
