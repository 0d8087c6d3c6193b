"""Whatever keeps a verify from seeing everything: never clean, and its own verdict and code."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.storage.open import open_storage
from tests.cli.every_command import database_file
from tests.cli.running import FixedClock, Process, Program
from tests.support.mariadb import MariaDBServer
from tests.support.row_dump import dump_by_key

QUEUE = "demo/main"


@pytest.fixture
def server_url(mariadb_service_database: str) -> str:
    """A healthy queue on a server."""
    with open_storage(mariadb_service_database) as factory:
        scenario = bundled("healthy")
        load_scenario(factory.for_queue(scenario.queue), scenario, into_existing=False)
    return mariadb_service_database


@pytest.fixture
def reader(mariadb: MariaDBServer, server_url: str) -> Iterator[Callable[..., str]]:
    """Makes an account that may read these tables, or all, and do nothing else; its URL."""
    database = server_url.rpartition("/")[2]
    user = f"r_{database}"[:60]

    def may_read(*tables: str) -> str:
        mariadb.execute(f"CREATE USER '{user}'@'127.0.0.1'")
        for table in tables:
            place = table if table == "*" else f"`{table}`"
            mariadb.execute(f"GRANT SELECT ON `{database}`.{place} TO '{user}'@'127.0.0.1'")
        return server_url.replace("//root@", f"//{user}@")

    yield may_read
    mariadb.execute(f"DROP USER IF EXISTS '{user}'@'127.0.0.1'")


def tables_of(mariadb: MariaDBServer, url: str) -> list[str]:
    database = url.rpartition("/")[2]
    rows = mariadb.execute(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{database}'")
    return [str(row[0]) for row in rows]


def test_select_alone_is_enough_for_a_whole_verify_with_all_its_files(
    program: Program, server_url: str, reader: Callable[..., str], home: Path
) -> None:
    with open_storage(server_url) as factory:
        before = dump_by_key(factory.for_queue(QUEUE))
        url = reader("*")
        files = ("--metrics-file", home / "m.prom", "--junit-file", home / "j.xml", "--html-file", home / "h.html")
        result = program("verify", "-q", QUEUE, "--database-url", url, "-o", "json", *files)
        assert (result.code, result.document["data"]["blocking"]) == (0, [])
        assert dump_by_key(factory.for_queue(QUEUE)) == before


@pytest.mark.parametrize("table", ["build", "validation_fact", "request_uri", "request_log", "queue"])
def test_a_table_that_may_not_be_read_is_incomplete(
    table: str, program: Program, mariadb: MariaDBServer, server_url: str, reader: Callable[..., str]
) -> None:
    url = reader(*(each for each in tables_of(mariadb, server_url) if each != table))
    result = program("verify", "-q", QUEUE, "--database-url", url, "-o", "json")
    assert (result.code, result.document["verdict"]) == (4, "incomplete")
    assert any(f"table '{table}' may not be read" in reason for reason in result.document["data"]["blocking"])


def test_requests_that_may_not_be_read_are_an_error(
    program: Program, mariadb: MariaDBServer, server_url: str, reader: Callable[..., str]
) -> None:
    url = reader(*(each for each in tables_of(mariadb, server_url) if each != "request"))
    result = program("verify", "-q", QUEUE, "--database-url", url, "-o", "json")
    assert (result.code, result.document["verdict"]) == (6, "error")


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("request_log", "timestamp_ms"),
        ("request", "version"),
        ("request_summary", "state_timestamp_ms"),
        ("build", "version"),
        ("validation_fact", "degree"),
        ("request_uri", "version"),
    ],
)
def test_a_row_that_cannot_be_read_is_incomplete_and_named(table: str, column: str, healthy: Program) -> None:
    with contextlib.closing(sqlite3.connect(database_file(healthy))) as connection:
        connection.execute(f"UPDATE {table} SET {column} = 'abc'")
        connection.commit()
    result = healthy("verify", "--settle", "0", "-o", "json")
    document = result.document
    assert (result.code, document["verdict"]) == (4, "incomplete")
    assert any(f"table '{table}' has a '{column}' that is no" in note for note in document["data"]["notes"])
    assert any(part["skipped"] for part in document["data"]["coverage"].values())


@dataclass(slots=True)
class Hurrying(FixedClock):
    """A second passes whenever somebody looks."""

    def monotonic(self) -> float:
        self.at_ms += 1_000
        return self.at_ms / 1000


def test_a_time_budget_that_is_spent_is_incomplete(healthy: Program) -> None:
    hurrying = Program(healthy.home, healthy.environ, Hurrying())
    result = hurrying("verify", "--run-time", "3s", "-o", "json")
    assert (result.code, result.document["verdict"]) == (4, "incomplete")
    assert "the time budget ended" in " ".join(result.document["data"]["notes"])


def test_a_closed_pipe_ends_silently_and_the_files_are_whole(
    process: Process, database: Callable[[str], Path], home: Path
) -> None:
    environ = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}", "STOVEPIPE_QUEUE": QUEUE}
    script = '"$@" verify --settle 0 -o json --metrics-file m.prom --junit-file j.xml >&-'
    result = process(environ=environ, script=script)
    assert (result.code, result.stderr) == (141, "")
    assert 'verdict="findings"} 1.0' in (home / "m.prom").read_text()
    assert (home / "j.xml").read_text().endswith("</testsuites>\n")


def test_an_interrupted_verify_is_told_in_its_files(
    process: Process, database: Callable[[str], Path], home: Path
) -> None:
    environ = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}", "STOVEPIPE_QUEUE": QUEUE}
    # The alarm comes while it waits for its second look.
    script = 'exec timeout --preserve-status --signal=INT 2 "$@" verify --settle 50s --metrics-file m.prom'
    result = process(environ=environ, script=script)
    assert result.code == 130
    text = (home / "m.prom").read_text()
    assert 'verdict="error"} 1.0' in text
    assert "last_success_timestamp_seconds{" in text
    assert 'last_success_timestamp_seconds{queue="demo/main",scope=""} 0.0' in text
