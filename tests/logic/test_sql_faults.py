"""What kind of failure a driver's error is, for both MySQL drivers and SQLite."""

import contextlib
import sqlite3
import ssl
from pathlib import Path

import pymysql
import pytest

from stovepipe_cli.storage.sql.faults import Fault, fault_of

RETRYABLE = {Fault.LOST, Fault.UNREACHABLE, Fault.OVERLOADED, Fault.LOCK_WAIT, Fault.DEADLOCK, Fault.SERVER_READ_ONLY}


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (1062, Fault.DUPLICATE),
        (1146, Fault.TABLE_ABSENT),
        (1054, Fault.COLUMN_ABSENT),
        (1049, Fault.DATABASE_ABSENT),
        (1044, Fault.RIGHT_MISSING),
        (1045, Fault.LOGIN_REFUSED),
        (1142, Fault.RIGHT_MISSING),
        (1213, Fault.DEADLOCK),
        (1205, Fault.LOCK_WAIT),
        (2006, Fault.LOST),
        (2013, Fault.LOST),
        (2055, Fault.LOST),
        (1290, Fault.SERVER_READ_ONLY),
        (1836, Fault.SERVER_READ_ONLY),
        (1792, Fault.SESSION_READ_ONLY),
        (1040, Fault.OVERLOADED),
        (1203, Fault.OVERLOADED),
        (1047, Fault.OVERLOADED),
        (1969, Fault.TIMEOUT),
        (3024, Fault.TIMEOUT),
        (1406, Fault.VALUE_REFUSED),
        (1452, Fault.VALUE_REFUSED),
        (1644, Fault.VALUE_REFUSED),
        (1064, Fault.OTHER),
        (9999, Fault.OTHER),
    ],
)
def test_an_error_of_the_server_is_told_by_its_number(number: int, fault: Fault) -> None:
    assert fault_of(pymysql.OperationalError(number, "any words")) is fault


@pytest.mark.parametrize(
    "number",
    [1040, 1042, 1043, 1053, 1077, 1080, 1129, 1130, 1158, 1161, 1205, 1213, 1290, 1836, 2002, 2003, 2006, 2013],
)
def test_what_the_service_retries_is_retried_here(number: int) -> None:
    assert fault_of(pymysql.OperationalError(number, "any words")) in RETRYABLE


def test_a_closed_connection_is_a_lost_one() -> None:
    assert fault_of(pymysql.InterfaceError(0, "")) is Fault.LOST


def test_a_failed_tls_handshake_is_told_apart_from_an_absent_server() -> None:
    error = pymysql.OperationalError(2003, "any words")
    error.original_exception = ssl.SSLError("any words")  # type: ignore[attr-defined]  # the driver sets it so
    assert fault_of(error) is Fault.TLS


def test_words_alone_decide_nothing() -> None:
    assert fault_of(pymysql.OperationalError("1213 Deadlock found")) is Fault.OTHER


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("INSERT INTO t VALUES (1, 'x')", Fault.DUPLICATE),
        ("INSERT INTO t VALUES (2, NULL)", Fault.VALUE_REFUSED),
        ("SELECT * FROM absent", Fault.TABLE_ABSENT),
        ("SELECT absent FROM t", Fault.COLUMN_ABSENT),
        ("INSERT INTO t (absent) VALUES (1)", Fault.COLUMN_ABSENT),
        ("SELEKT", Fault.OTHER),
    ],
)
def test_an_error_of_sqlite_is_told_by_its_code(statement: str, fault: Fault) -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID")
        connection.execute("INSERT INTO t VALUES ('1', 'x')")
        with pytest.raises(sqlite3.Error) as caught:
            connection.execute(statement)
        assert fault_of(caught.value) is fault


def test_an_sqlite_file_that_cannot_be_opened_is_absent(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        sqlite3.connect(f"file:{tmp_path}/absent?mode=ro", uri=True)
    assert fault_of(caught.value) is Fault.FILE_ABSENT
