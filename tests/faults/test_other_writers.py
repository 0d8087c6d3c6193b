"""Locks and races with other sessions: whole transactions are redone, and waiting is bounded."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pymysql
import pytest

from stovepipe_cli.storage.connection import Limits, parse_connection_url
from stovepipe_cli.storage.contract import (
    StatementTimeout,
    Storage,
    StorageUnavailable,
    VersionMismatch,
)
from stovepipe_cli.storage.contract.rows import RequestRow, RequestURIRow
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.open import open_storage
from stovepipe_cli.storage.sql.retry import RetryPolicy
from tests.contract.samples import NOON_MS, a_request, an_acceptance
from tests.faults.opening import QUEUE, Pauses, open_directly
from tests.support.mariadb import MariaDBServer
from tests.support.waiting import comes_true

A_REQUEST = RequestRow("7", "git://c", "accepted", "", "", 1, "")
INSERT_URI = "INSERT INTO request_uri (queue, uri, request_id, version) VALUES ('main', %s, '7', 1)"


def is_anyone_waiting(server: MariaDBServer) -> bool:
    return bool(server.execute("SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"))


def test_the_victim_of_a_deadlock_does_the_whole_transaction_again(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    rows = [RequestURIRow(uri, "7", 1) for uri in ("git://a", "git://b")]
    storage.request_log.list("7")
    with mariadb.connect(database) as other, other.cursor() as cursor, ThreadPoolExecutor(1) as pool:
        other.begin()
        # The server ends the transaction that has changed less.
        cursor.executemany(INSERT_URI, [(f"git://heavy/{number}",) for number in range(50)])
        cursor.execute(INSERT_URI, ("git://b",))
        writing = pool.submit(storage.bulk.insert, rows)
        assert comes_true(lambda: is_anyone_waiting(mariadb), within_seconds=10)
        cursor.execute(INSERT_URI, ("git://a",))
        other.rollback()
        writing.result(timeout=30)
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestURIRow, limit=9).rows == tuple(rows)


def test_a_lock_wait_that_ran_out_is_rolled_back_and_redone(mariadb: MariaDBServer, database: str) -> None:
    with mariadb.connect(database) as other, other.cursor() as cursor:
        policy = RetryPolicy(sleep=lambda _: other.rollback(), chance=lambda: 0.5)
        with open_directly(mariadb.url(database), policy) as factory:
            storage = factory.for_queue(QUEUE)
            other.begin()
            cursor.execute(INSERT_URI, ("git://b",))
            storage.bulk.insert([A_REQUEST, RequestURIRow("git://b", "8", 1)])
            assert storage.requests.get("7").version == 1
            assert storage.request_uris.get("git://b").request_id == "8"


def test_a_lock_that_is_never_released_ends_in_storage_unavailable_with_nothing_written(
    mariadb: MariaDBServer, database: str, storage: Storage
) -> None:
    with mariadb.connect(database) as other, other.cursor() as cursor:
        other.begin()
        cursor.execute(INSERT_URI, ("git://b",))
        with pytest.raises(StorageUnavailable, match="stayed locked") as caught:
            storage.bulk.insert([A_REQUEST, RequestURIRow("git://b", "8", 1)])
        other.rollback()
    assert caught.value.retryable
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestRow, limit=9).rows == ()
        assert snapshot.page(RequestURIRow, limit=9).rows == ()


def test_a_statement_beyond_its_time_limit_is_a_statement_timeout(
    mariadb: MariaDBServer, database: str, pauses: Pauses
) -> None:
    limits = Limits(statement_ms=300, lock_wait_ms=30_000)
    with (
        mariadb.connect(database) as other,
        other.cursor() as cursor,
        open_directly(mariadb.url(database), pauses.policy, limits) as factory,
    ):
        storage = factory.for_queue(QUEUE)
        other.begin()
        cursor.execute(INSERT_URI, ("git://b",))
        with pytest.raises(StatementTimeout, match="'request_uri'"):
            storage.bulk.insert([RequestURIRow("git://b", "8", 1)])
        other.rollback()


def test_racing_compare_and_sets_each_count_once(storage: Storage) -> None:
    storage.requests.create(a_request(QUEUE))
    workers, each = 4, 10

    def count_up() -> None:
        done = 0
        while done < each:
            current = storage.requests.get("7")
            try:
                storage.requests.update(current, old_version=current.version, new_version=current.version + 1)
            except VersionMismatch:
                continue
            done += 1

    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(count_up) for _ in range(workers)]:
            future.result(timeout=60)
    assert storage.requests.get("7").version == 1 + workers * each


def test_racing_batches_create_each_mapping_once_between_them(mariadb: MariaDBServer, database: str) -> None:
    batch = [an_acceptance(QUEUE, str(number), NOON_MS + number) for number in range(200)]
    start = threading.Barrier(3)

    def create() -> int:
        with open_storage(mariadb.url(database)) as factory:
            start.wait(timeout=30)
            return len(factory.for_queue(QUEUE).acceptances.create_missing(batch))

    with ThreadPoolExecutor(3) as pool:
        created = [future.result(timeout=60) for future in [pool.submit(create) for _ in range(3)]]
    assert sum(created) == len(batch)


def test_two_that_ask_for_a_queues_row_at_once_get_the_same(mariadb: MariaDBServer, database: str) -> None:
    start = threading.Barrier(3)

    def ask() -> int:
        with open_storage(mariadb.url(database)) as factory:
            start.wait(timeout=30)
            return factory.for_queue(QUEUE).queues.get_or_create().version

    with ThreadPoolExecutor(3) as pool:
        assert [future.result(timeout=60) for future in [pool.submit(ask) for _ in range(3)]] == [1, 1, 1]


def test_an_update_that_changes_no_value_still_matches(storage: Storage) -> None:
    storage.requests.create(a_request(QUEUE))
    storage.requests.update(a_request(QUEUE), old_version=1, new_version=1)
    assert storage.requests.get("7") == replace(a_request(QUEUE), version=1)


def test_a_writer_that_is_frozen_in_a_transaction_loses_its_locks(mariadb: MariaDBServer, database: str) -> None:
    backend = MySQLBackend(parse_connection_url(mariadb.url(database)), Limits(), is_read_only=False)
    frozen = backend.connect()
    other = mariadb.connect(database)
    try:
        cursor = frozen.cursor()
        cursor.execute("INSERT INTO request_uri (queue, uri, request_id, version) VALUES ('q', 'u', 'r', 1)", ())
        cursor.execute("START TRANSACTION", ())
        cursor.execute("UPDATE request_uri SET version = 2 WHERE queue = 'q'", ())
        # The lock is waited for until the server ends the session that says no more.
        with other.cursor() as waiting:
            waiting.execute("SET SESSION innodb_lock_wait_timeout = 60")
            waiting.execute("UPDATE request_uri SET version = 3 WHERE queue = 'q'")
            waiting.execute("SELECT version FROM request_uri WHERE queue = 'q'")
            assert waiting.fetchall() == ((3,),)
    finally:
        other.close()
        with contextlib.suppress(pymysql.Error):
            frozen.close()
