"""Rows that another session had written and not yet committed when they were looked for."""

import contextlib
from collections.abc import Iterator

import pytest
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import TABLE_OF
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock
from tests.support.backfills import backfilled
from tests.support.lifecycles import QUEUE, Life, put, succeeded
from tests.support.mariadb import MariaDBServer

EARLIER, LATER = 100, 101


@pytest.fixture
def database(mariadb: MariaDBServer) -> str:
    name = mariadb.unused_name("late")
    with open_storage(mariadb.create_database(name)) as factory:
        factory.admin.create_tables()
    return name


@pytest.fixture
def slow(mariadb: MariaDBServer, database: str) -> Iterator["Connection[Cursor]"]:
    """A session in the middle of a transaction that has written the earlier request."""
    with contextlib.closing(mariadb.connect(database)) as connection:
        cursor = connection.cursor()
        cursor.execute("BEGIN")
        for row in unmapped(EARLIER).rows():
            table = TABLE_OF[type(row)]
            names = ", ".join(["queue", *row._fields])
            places = ", ".join(["%s"] * (len(row) + 1))
            cursor.execute(f"INSERT INTO {table.name} ({names}) VALUES ({places})", (QUEUE, *row))
        yield connection


@pytest.fixture
def storage(mariadb: MariaDBServer, database: str) -> Iterator[Storage]:
    with open_storage(mariadb.url(database)) as factory:
        yield factory.for_queue(QUEUE)


def unmapped(number: int) -> Life:
    return succeeded(number).without("acceptance")


def mapped(storage: Storage) -> list[str]:
    listed = storage.acceptances.list_before(0, 2**62, None, 10)
    return sorted(each.request_id.rpartition("/")[2] for each in listed)


def test_a_backfill_maps_what_was_committed_late_when_it_runs_again(
    storage: Storage, slow: "Connection[Cursor]"
) -> None:
    put(storage, unmapped(LATER), queue_row=False)
    assert backfilled(storage, BackfillOptions(), StandingClock()).mapped == 1
    assert mapped(storage) == [str(LATER)]
    slow.cursor().execute("COMMIT")
    assert backfilled(storage, BackfillOptions(), StandingClock()).mapped == 1
    assert mapped(storage) == [str(EARLIER), str(LATER)]


def test_a_verify_that_met_the_later_request_alone_meets_both_when_it_runs_again(
    storage: Storage, slow: "Connection[Cursor]"
) -> None:
    put(storage, succeeded(LATER), queue_row=False)
    options = VerifyOptions(settle_ms=0, select=("A",))
    first = verify(storage, options, clock=StandingClock())
    assert (first.coverage["requests"].checked, first.findings_total) == (1, 0)
    slow.cursor().execute("COMMIT")
    second = verify(storage, options, clock=StandingClock())
    assert (second.coverage["requests"].checked, second.counts) == (2, {"A401": 1})
