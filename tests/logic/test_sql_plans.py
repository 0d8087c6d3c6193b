"""How the databases run the audit's statements: along the primary key, from where the page starts, without sorting."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    IssueLogRow,
    OpenIssueRow,
    ProjectFactByDegreeRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
)
from stovepipe_cli.storage.contract.tables import (
    BUILD_ISSUE,
    ISSUE_LOG,
    OPEN_ISSUE,
    PROJECT_FACT_BY_DEGREE,
    REQUEST,
    REQUEST_ACCEPTANCE,
    REQUEST_LOG,
    Table,
)
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.open import open_storage
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.session import Session, Statement
from stovepipe_cli.storage.sql.table_statements import TableStatements
from stovepipe_cli.storage.sqlite import SQLiteBackend
from tests.contract.samples import NOON_MS

REQUESTS = 400
MANY = 50


class Plans:
    """Explains statements on a database that holds enough rows for an optimiser to care."""

    def __init__(self, backend: Backend, url: str) -> None:
        with open_storage(url) as factory:
            for queue in ("a", "main", "z"):
                factory.for_queue(queue).bulk.insert(
                    [RequestRow(f"{n:04}", "git://c", "accepted", "", "", 1, "") for n in range(REQUESTS)]
                    + [
                        RequestLogRow(f"{n:04}", f"x{k}", NOON_MS, "", "build_triggered", 0, "", "{}")
                        for n in range(REQUESTS)
                        for k in range(3)
                    ]
                    + [RequestAcceptanceRow(NOON_MS + n, f"{n:04}") for n in range(REQUESTS)]
                    + [BuildIssueRow(f"{n % 4:04}", f"{n:04}", "u") for n in range(REQUESTS)]
                    + [OpenIssueRow(f"{n:04}", "u", "b7") for n in range(REQUESTS)]
                    + [IssueLogRow(f"{n % 4:04}", "u", f"{n:04}", "opened", NOON_MS) for n in range(REQUESTS)]
                    + [ProjectFactByDegreeRow(f"{n % 4:04}", n / REQUESTS, f"{n:04}") for n in range(REQUESTS)]
                )
        self.backend = backend
        self.session = Session(backend.connect(), 0)

    def statements(self, table: Table) -> TableStatements:
        shape = self.backend.read_catalog(self.session).shape(table)
        assert shape is not None
        return TableStatements(shape, self.backend)

    def explain(self, word: str, statement: Statement) -> list[tuple[object, ...]]:
        values = {name: self._value(name) for name in statement.names}
        return list(self.session.fetch(f"{word} {statement.text}", statement.parameters(values)))

    def _value(self, name: str) -> object:
        fixed = {"k_queue": "main", "b_queue": b"main", "o_degree": 0.5, "limit": 10}
        if name in fixed:
            return fixed[name]
        if name.startswith("k_"):
            return b"0001"
        if "_at_ms" in name:
            return NOON_MS + REQUESTS // 2
        if name.startswith("k") and "_" in name and name[1].isdigit():
            return f"{int(name[1 : name.index('_')]):04}"
        return "0300" if name.startswith("upto") else "0200"


@pytest.fixture
def mariadb_plans(mariadb_service_database: str) -> Iterator[Plans]:
    with open_storage(mariadb_service_database) as factory:
        factory.admin.create_tables()
    backend = MySQLBackend(parse_connection_url(mariadb_service_database), Limits(), is_read_only=False)
    plans = Plans(backend, mariadb_service_database)
    plans.session.fetch(f"ANALYZE TABLE {', '.join({table.name for table, _ in (STATEMENTS | LISTINGS).values()})}")
    yield plans
    plans.session.connection.close()


@pytest.fixture
def sqlite_plans(tmp_path: Path) -> Iterator[Plans]:
    url = f"sqlite:///{tmp_path}/x.db"
    with open_storage(url) as factory:
        factory.admin.create_tables()
    plans = Plans(SQLiteBackend(parse_connection_url(url), Limits(), is_read_only=False), url)
    yield plans
    plans.session.connection.close()


STATEMENTS: dict[str, tuple[Table, Callable[[TableStatements], Statement]]] = {
    "requests after a key": (REQUEST, lambda statements: statements.page(1, 0)),
    "requests between keys": (REQUEST, lambda statements: statements.page(1, 1)),
    "log of requests between two": (REQUEST_LOG, lambda statements: statements.page(1, 1)),
    "histories of requests between two": (REQUEST_LOG, lambda statements: statements.histories(1, 1)),
    "log after an entry": (REQUEST_LOG, lambda statements: statements.page(2, 1)),
    "acceptances after one": (REQUEST_ACCEPTANCE, lambda statements: statements.page(2, 0)),
    "many requests": (REQUEST, lambda statements: statements.many(1, MANY)),
    "log of many requests": (REQUEST_LOG, lambda statements: statements.many(1, MANY)),
    "many entries": (REQUEST_LOG, lambda statements: statements.many(2, MANY)),
}


def listing(prefix: tuple[str, ...], order: tuple[str, ...]) -> Callable[[TableStatements], Statement]:
    return lambda statements: statements.listing(prefix, order, is_after=True, is_limited=True, as_bytes=False)


LISTINGS: dict[str, tuple[Table, Callable[[TableStatements], Statement]]] = {
    "observations of a build": (BUILD_ISSUE, listing(("build_id",), ("task_id", "unit_id"))),
    "open issues": (OPEN_ISSUE, listing((), ("task_id", "unit_id"))),
    "transitions of an issue": (ISSUE_LOG, listing(("task_id", "unit_id"), ("build_id", "event"))),
    "facts by degree": (PROJECT_FACT_BY_DEGREE, listing(("uri",), ("degree", "project"))),
}
each = pytest.mark.parametrize(("table", "build"), STATEMENTS.values(), ids=STATEMENTS)


@each
def test_mariadb_reads_a_range_of_the_primary_key_without_sorting(
    mariadb_plans: Plans, table: Table, build: Callable[[TableStatements], Statement]
) -> None:
    plan = mariadb_plans.explain("EXPLAIN", build(mariadb_plans.statements(table)))
    reads = [step for step in plan if step[2] == table.name]
    assert [step[5] for step in reads] == ["PRIMARY"]
    assert reads[0][3] in {"range", "eq_ref"}
    assert "filesort" not in str(plan)
    assert "temporary" not in str(plan)


def test_mariadb_looks_many_entries_up_by_their_whole_key(mariadb_plans: Plans) -> None:
    plan = mariadb_plans.explain("EXPLAIN", mariadb_plans.statements(REQUEST_LOG).many(2, MANY))
    assert [(step[3], step[5]) for step in plan if step[2] == "request_log"] == [("eq_ref", "PRIMARY")]


@each
def test_sqlite_searches_the_primary_key_without_sorting(
    sqlite_plans: Plans, table: Table, build: Callable[[TableStatements], Statement]
) -> None:
    plan = str(sqlite_plans.explain("EXPLAIN QUERY PLAN", build(sqlite_plans.statements(table))))
    assert f"SEARCH {table.name} USING PRIMARY KEY (queue=? AND" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize(("table", "build"), LISTINGS.values(), ids=LISTINGS)
def test_mariadb_starts_a_listing_behind_its_key_without_sorting(
    mariadb_plans: Plans, table: Table, build: Callable[[TableStatements], Statement]
) -> None:
    (step,) = mariadb_plans.explain("EXPLAIN", build(mariadb_plans.statements(table)))
    assert (step[3], step[5]) == ("range", "PRIMARY")
    assert "filesort" not in str(step)


@pytest.mark.parametrize(("table", "build"), LISTINGS.values(), ids=LISTINGS)
def test_sqlite_starts_a_listing_behind_its_key_without_sorting(
    sqlite_plans: Plans, table: Table, build: Callable[[TableStatements], Statement]
) -> None:
    plan = str(sqlite_plans.explain("EXPLAIN QUERY PLAN", build(sqlite_plans.statements(table))))
    assert f"SEARCH {table.name} USING PRIMARY KEY (queue=? AND" in plan
    assert "TEMP B-TREE" not in plan


def test_mariadb_finds_the_log_of_one_request_by_key(mariadb_plans: Plans) -> None:
    statements = mariadb_plans.statements(REQUEST_LOG)
    listing = statements.listing(
        ("request_id",), ("timestamp_ms", "log_id"), is_after=False, is_limited=False, as_bytes=False
    )
    assert [step[3] for step in mariadb_plans.explain("EXPLAIN", listing)] == ["ref"]
