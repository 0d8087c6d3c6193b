"""The service's tables, as the tests create them."""

import contextlib
import sqlite3

import pytest
from sqlalchemy.engine import make_url

from tests.support.mariadb import MariaDBServer
from tests.support.service_tables import create_service_tables, service_tables

COLUMNS = (
    "SELECT column_name, column_type, is_nullable, column_default, column_key FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND table_name = %s ORDER BY ordinal_position"
)


def database_name(url: str) -> str:
    return make_url(url).database or ""


def test_request_has_the_services_columns(mariadb: MariaDBServer, mariadb_service_database: str) -> None:
    assert mariadb.execute(COLUMNS, ("request",), database=database_name(mariadb_service_database)) == [
        ("queue", "varchar(255)", "NO", None, "PRI"),
        ("id", "varchar(255)", "NO", None, "PRI"),
        ("uri", "varchar(255)", "NO", None, ""),
        ("state", "varchar(64)", "NO", None, ""),
        ("build_strategy", "varchar(64)", "NO", "''", ""),
        ("base_uri", "varchar(255)", "NO", "''", ""),
        ("version", "int(11)", "NO", None, ""),
        ("terminal_build_id", "varchar(255)", "YES", "NULL", ""),
    ]


def test_an_acceptance_is_keyed_by_time_and_the_bytes_of_the_id(
    mariadb: MariaDBServer, mariadb_service_database: str
) -> None:
    assert mariadb.execute(COLUMNS, ("request_acceptance",), database=database_name(mariadb_service_database)) == [
        ("queue", "varchar(255)", "NO", None, "PRI"),
        ("accepted_at_ms", "bigint(20)", "NO", None, "PRI"),
        ("request_id", "varbinary(1020)", "NO", None, "PRI"),
    ]


def test_a_log_entry_has_no_default_and_an_order_of_its_own(
    mariadb: MariaDBServer, mariadb_service_database: str
) -> None:
    name = database_name(mariadb_service_database)
    defaults = {row[3] for row in mariadb.execute(COLUMNS, ("request_log",), database=name)}
    index = "SELECT column_name FROM information_schema.statistics WHERE table_schema = %s AND index_name = %s"

    assert defaults == {None}
    assert mariadb.execute(index + " ORDER BY seq_in_index", (name, "idx_request_log_order")) == [
        ("queue",),
        ("request_id",),
        ("timestamp_ms",),
        ("log_id",),
    ]


def test_a_key_column_has_the_servers_collation(mariadb: MariaDBServer, mariadb_service_database: str) -> None:
    name = database_name(mariadb_service_database)
    mariadb.execute("INSERT INTO request_uri VALUES ('q', 'git://A', 'r/1', 1)", database=name)

    assert mariadb.execute("SELECT uri FROM request_uri WHERE uri = 'git://a '", database=name) == [("git://A",)]


def test_an_old_deployment_lacks_tables_and_columns(mariadb: MariaDBServer, mariadb_database: str) -> None:
    name = database_name(mariadb_database)
    with contextlib.closing(mariadb.connect(name)) as connection:
        create_service_tables(
            connection,
            "mysql",
            without_tables=("request_acceptance", "request_summary", "request_log"),
            without_columns={"request": ("terminal_build_id", "build_strategy", "base_uri")},
            request_key=("id",),
        )
    tables = {row[0] for row in mariadb.execute("SHOW TABLES", database=name)}
    columns = [(row[0], row[4]) for row in mariadb.execute(COLUMNS, ("request",), database=name)]

    assert tables == {"request", "request_uri", "queue", "build", "validation_fact"}
    assert columns == [("queue", ""), ("id", "PRI"), ("uri", ""), ("state", ""), ("version", "")]


def test_the_newest_summary_counts_project_results_that_may_be_unknown(
    mariadb: MariaDBServer, mariadb_database: str
) -> None:
    name = database_name(mariadb_database)
    with contextlib.closing(mariadb.connect(name)) as connection:
        create_service_tables(connection, "mysql", project_results=True)
    columns = mariadb.execute(COLUMNS, ("request_summary",), database=name)

    assert [(row[0], row[2]) for row in columns[-3:]] == [
        ("project_results_completed_at_ms", "YES"),
        ("project_fact_count", "YES"),
        ("broken_project_fact_count", "YES"),
    ]


def test_the_obsolete_log_has_no_log_id() -> None:
    (log,) = [table for table in service_tables(obsolete_request_log=True) if table.name == "request_log"]

    assert "log_id" not in {column.name for column in log.columns}


@pytest.mark.parametrize(
    ("without_tables", "without_columns"),
    [(("requests",), {}), ((), {"requests": ("id",)}), ((), {"request": ("strategy",)})],
)
def test_a_name_that_the_service_does_not_know_is_refused(
    without_tables: tuple[str, ...], without_columns: dict[str, tuple[str, ...]]
) -> None:
    with pytest.raises(ValueError, match=r"'(requests|strategy)'"):
        service_tables(without_tables=without_tables, without_columns=without_columns)


def test_sqlite_has_the_same_columns_and_keeps_text_and_bytes_as_they_are() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        create_service_tables(connection, "sqlite")
        for table in service_tables():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")]
            assert columns == [column.name for column in table.columns]
        connection.execute("INSERT INTO request_acceptance VALUES ('007', 1, ?)", (b"42",))
        connection.execute("INSERT INTO request_log VALUES ('007', '1', '1e3', 1, '', '', 0, '', '12')")

        assert connection.execute("SELECT queue, request_id FROM request_acceptance").fetchall() == [("007", b"42")]
        assert connection.execute("SELECT log_id, metadata FROM request_log").fetchall() == [("1e3", "12")]
