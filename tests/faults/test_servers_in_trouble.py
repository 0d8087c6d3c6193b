"""Servers that are away, refuse, or take no writes: what is said, how soon, and that nothing is half done."""

import contextlib
import socket

import pymysql
import pytest

from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract import (
    SchemaMismatch,
    StorageReadOnly,
    StorageUnavailable,
)
from stovepipe_cli.storage.contract.rows import RequestRow, RequestURIRow
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.open import open_storage
from stovepipe_cli.storage.sql.retry import RetryPolicy
from stovepipe_cli.storage.sql.session import Session
from tests.contract.samples import a_request, a_uri
from tests.faults.opening import QUEUE, Pauses, open_directly
from tests.support.mariadb import HOST, MariaDBServer

PASSWORD = "sentinel-of-a-password"


@pytest.fixture
def own(own_mariadb: MariaDBServer) -> MariaDBServer:
    """A server with the database `own`, all tables, and a user `worker` without special rights."""
    url = own_mariadb.create_database("own")
    with open_storage(url) as factory:
        factory.admin.create_tables()
    own_mariadb.execute("CREATE USER worker IDENTIFIED BY %s", (PASSWORD,))
    own_mariadb.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON own.* TO worker")
    return own_mariadb


def worker_url(server: MariaDBServer, database: str = "own", password: str = PASSWORD) -> str:
    return server.url(database, user="worker", password=password)


def what_was_said(server: MariaDBServer) -> list[str]:
    """Every statement since the server's general log was turned on, which ends here."""
    server.execute("SET GLOBAL general_log = 0")
    return [row[0] for row in server.execute("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log")]


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def test_a_wrong_port_is_told_at_once_with_the_address_and_what_to_check(pauses: Pauses) -> None:
    port = unused_port()
    with (
        open_directly(f"mysql+pymysql://worker:{PASSWORD}@{HOST}:{port}/own", pauses.policy) as factory,
        pytest.raises(StorageUnavailable) as caught,
    ):
        factory.for_queue(QUEUE).requests.get("7")
    assert caught.value.message == f"no database answers at '{HOST}:{port}/own'"
    assert caught.value.hint
    assert caught.value.__cause__ is not None
    assert (caught.value.exit_code, caught.value.retryable, pauses.made) == (6, True, [])


def test_a_host_that_does_not_exist_is_unavailable(pauses: Pauses) -> None:
    with (
        open_directly("mysql+pymysql://worker@nowhere.invalid/own", pauses.policy) as factory,
        pytest.raises(StorageUnavailable, match=r"nowhere\.invalid"),
    ):
        factory.admin.ping()


def test_a_killed_and_restarted_server_is_found_again(own: MariaDBServer, pauses: Pauses) -> None:
    with open_directly(worker_url(own), pauses.policy) as factory:
        storage = factory.for_queue(QUEUE)
        storage.requests.create(a_request(QUEUE))
        own.kill()
        own.restart()
        assert storage.requests.get("7") == a_request(QUEUE)
        storage.request_uris.create(a_uri(QUEUE))


def test_a_server_that_comes_back_during_the_pauses_is_found_again(own: MariaDBServer) -> None:
    def sleep(_: float) -> None:
        if not own.is_running:
            own.restart()

    with open_directly(worker_url(own), RetryPolicy(sleep=sleep, chance=lambda: 0.5)) as factory:
        storage = factory.for_queue(QUEUE)
        storage.requests.create(a_request(QUEUE))
        own.kill()
        storage.requests.update(a_request(QUEUE, state="processing"), old_version=1, new_version=2)
        assert storage.requests.get("7") == a_request(QUEUE, state="processing", version=2)


def test_a_server_that_stays_away_is_unavailable_after_a_bounded_time(own: MariaDBServer, pauses: Pauses) -> None:
    with open_directly(worker_url(own), pauses.policy) as factory:
        storage = factory.for_queue(QUEUE)
        storage.requests.create(a_request(QUEUE))
        own.kill()
        with pytest.raises(StorageUnavailable):
            storage.requests.get("7")
        assert factory.checked_out() == 0
    assert 0 < sum(pauses.made) < 10


def test_a_read_only_server_takes_no_write_and_says_so(own: MariaDBServer, pauses: Pauses) -> None:
    with open_directly(worker_url(own), pauses.policy) as factory:
        storage = factory.for_queue(QUEUE)
        storage.requests.create(a_request(QUEUE))
        own.execute("SET GLOBAL read_only = 1")
        with pytest.raises(StorageReadOnly, match="read-only"):
            storage.bulk.insert([RequestURIRow("git://a", "7", 1)])
        assert factory.admin.ping().read_only
        assert storage.requests.get("7") == a_request(QUEUE)
        own.execute("SET GLOBAL read_only = 0")
        storage.request_uris.create(a_uri(QUEUE))
        assert not factory.admin.ping().read_only
    assert own.execute("SELECT COUNT(*) FROM request_uri", database="own") == [(1,)]


def test_a_storage_opened_for_reading_writes_nothing(own: MariaDBServer) -> None:
    with open_storage(worker_url(own)) as factory:
        factory.for_queue(QUEUE).requests.create(a_request(QUEUE))
    with open_storage(worker_url(own), read_only=True) as factory:
        storage = factory.for_queue(QUEUE)
        assert storage.requests.get("7") == a_request(QUEUE)
        with storage.audit.snapshot() as snapshot:
            assert len(snapshot.page(RequestRow, limit=5).rows) == 1
        with pytest.raises(StorageReadOnly):
            storage.request_uris.create(a_uri(QUEUE))
        with pytest.raises(StorageReadOnly):
            factory.admin.create_tables()
        assert not factory.admin.ping().read_only


def test_a_session_opened_for_reading_is_read_only_on_the_server_as_well(own: MariaDBServer) -> None:
    own.execute("SET GLOBAL general_log = 1, GLOBAL log_output = 'TABLE'")
    with open_storage(worker_url(own), read_only=True) as factory, factory.for_queue(QUEUE).audit.snapshot():
        pass
    said = what_was_said(own)
    assert "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY" in said
    assert "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY" in said


def test_reading_rights_are_enough_to_read(own: MariaDBServer) -> None:
    with open_storage(worker_url(own)) as factory:
        factory.for_queue(QUEUE).requests.create(a_request(QUEUE))
    own.execute("REVOKE INSERT, UPDATE, DELETE ON own.* FROM worker")
    with open_storage(worker_url(own)) as factory:
        storage = factory.for_queue(QUEUE)
        assert storage.requests.get("7") == a_request(QUEUE)
        assert factory.directory.list_after(None, 9) == (QUEUE,)
        assert factory.admin.drift() == ()
        with pytest.raises(StorageReadOnly, match="'worker' may not write table 'request_uri'") as caught:
            storage.request_uris.create(a_uri(QUEUE))
    assert caught.value.exit_code == 6
    assert "db grants --role repair" in (caught.value.hint or "")


def test_a_table_that_may_not_be_read_is_refused_and_not_taken_for_absent(own: MariaDBServer) -> None:
    own.execute("REVOKE ALL ON own.* FROM worker")
    own.execute("GRANT SELECT ON own.request TO worker")
    with open_storage(worker_url(own)) as factory:
        storage = factory.for_queue(QUEUE)
        assert storage.audit.view("request") is not None
        with pytest.raises(StorageUnavailable, match="may not read table 'request_log'") as caught:
            storage.audit.view("request_log")
        with pytest.raises(StorageUnavailable):
            storage.request_log.list("7")
    assert not caught.value.retryable
    assert "db grants --role audit" in (caught.value.hint or "")


def test_a_wrong_password_is_told_without_repeating_it(own: MariaDBServer) -> None:
    with (
        open_storage(worker_url(own, password="wrong-sentinel")) as factory,
        pytest.raises(StorageUnavailable, match="refuses to log in user 'worker'") as caught,
    ):
        factory.admin.ping()
    error = caught.value
    assert not error.retryable
    assert error.hint is not None
    assert "sentinel" not in error.message + error.hint + repr(error)


def test_a_password_that_was_changed_is_asked_for_again(own: MariaDBServer) -> None:
    passwords = iter(["an-old-one", PASSWORD])
    with open_storage(own.url("own", user="worker"), credentials=lambda: next(passwords)) as factory:
        assert factory.for_queue(QUEUE).request_log.list("7") == ()


def test_a_database_that_does_not_exist_is_named(mariadb: MariaDBServer) -> None:
    with (
        open_storage(mariadb.url("no_such_database")) as factory,
        pytest.raises(SchemaMismatch, match="no_such_database"),
    ):
        factory.admin.ping()


def test_a_server_with_too_many_connections_is_asked_again_later(own: MariaDBServer) -> None:
    with contextlib.ExitStack() as others:
        own.execute("SET GLOBAL max_connections = 10")
        while True:
            try:
                other = own.connect("own", user="worker", password=PASSWORD)
            except pymysql.OperationalError:
                break
            others.callback(other.close)
        asked: list[float] = []

        def sleep(seconds: float) -> None:
            asked.append(seconds)
            others.close()

        with open_directly(worker_url(own), RetryPolicy(sleep=sleep, chance=lambda: 0.5)) as factory:
            assert factory.for_queue(QUEUE).request_log.list("7") == ()
    assert asked


def test_the_session_is_strict_in_utc_and_limited(own: MariaDBServer) -> None:
    own.execute("SET GLOBAL general_log = 1, GLOBAL log_output = 'TABLE'")
    with open_storage(worker_url(own), statement_timeout_ms=1_500) as factory:
        factory.for_queue(QUEUE).request_log.list("7")
    settings = next(text for text in what_was_said(own) if text.startswith("SET SESSION time_zone"))
    for setting in (
        "time_zone = '+00:00'",
        "STRICT_ALL_TABLES",
        "innodb_lock_wait_timeout = 3",
        "max_statement_time = 1.500",
    ):
        assert setting in settings


def test_a_failure_keeps_its_cause_and_none_of_the_drivers_words(own: MariaDBServer) -> None:
    with open_storage(worker_url(own)) as factory:
        storage = factory.for_queue(QUEUE)
        storage.requests.create(a_request(QUEUE))
        own.execute("DROP TABLE own.request")
        with pytest.raises(SchemaMismatch) as caught:
            storage.requests.get("7")
    assert caught.value.message == "table 'request' does not exist"
    assert "1146" in repr(caught.value.__cause__)


def test_a_statement_may_take_longer_than_a_connection(mariadb: MariaDBServer) -> None:
    url = mariadb.url("information_schema", driver="mysql+pymysql")
    backend = MySQLBackend(parse_connection_url(url), Limits(connect_ms=1_000), is_read_only=True)
    with contextlib.closing(backend.connect()) as connection:
        assert Session(connection, 0).fetch("SELECT SLEEP(1.5)")[0][0] == 0
