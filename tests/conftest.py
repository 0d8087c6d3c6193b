"""Databases for every test: one private MariaDB server a session, a fresh database a test."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.galera import GaleraCluster, what_is_missing
from tests.support.mariadb import MariaDBServer
from tests.support.mariadb_programs import find_programs, install_data_directory, is_required
from tests.support.service_tables import create_service_tables


@pytest.fixture(scope="session")
def mariadb_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data directory that was initialised and never served; servers start on copies of it."""
    programs = find_programs(os.environ.get("PATH", ""))
    if programs is None:
        reason = "mariadbd is not installed, so nothing is tested on MariaDB"
        if is_required(os.environ):
            pytest.fail(f"{reason}, and CI is set")
        pytest.skip(reason)
    directory = tmp_path_factory.mktemp("mariadb-template") / "data"
    install_data_directory(programs, directory)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def mariadb(mariadb_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDBServer]:
    """The session's server, shared by all tests: leave its settings and its life alone."""
    with MariaDBServer.start(tmp_path_factory.mktemp("mariadb"), template=mariadb_template) as server:
        yield server


@pytest.fixture(scope="session")
def galera_cluster(mariadb_template: Path) -> Iterator[GaleraCluster]:
    """Three nodes, shared by all tests: a test that ends one brings it back."""
    missing = what_is_missing()
    if missing is not None:
        pytest.skip(f"nothing is tested on a Galera cluster: {missing} is not installed")
    with GaleraCluster.start(mariadb_template) as cluster:
        yield cluster


@pytest.fixture
def own_mariadb(mariadb_template: Path, tmp_path: Path) -> Iterator[MariaDBServer]:
    """A server of the test's own, to kill, restart or misconfigure."""
    with MariaDBServer.start(tmp_path / "mariadb", template=mariadb_template) as server:
        yield server


@pytest.fixture
def mariadb_database(mariadb: MariaDBServer) -> Iterator[str]:
    """URL of an empty database with the server's default collation; the test must close its connections to it."""
    name = mariadb.unused_name()
    url = mariadb.create_database(name)
    yield url
    all_closed = mariadb.all_connections_closed(name)
    mariadb.drop_database(name)
    assert all_closed, "the test left a connection to its database open"


@pytest.fixture
def mariadb_service_database(mariadb: MariaDBServer, mariadb_database: str) -> str:
    """URL of a database that holds the service's tables, in their newest form and without rows."""
    name = mariadb_database.rpartition("/")[2]
    with contextlib.closing(mariadb.connect(name)) as connection:
        create_service_tables(connection, "mysql")
    return mariadb_database
