"""SQLite files that are absent, foreign, locked or slow, and what is said of each."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.storage.connection import ConnectionSpec, Limits
from stovepipe_cli.storage.contract import (
    SchemaMismatch,
    StatementTimeout,
    Storage,
    StorageFactory,
    StorageReadOnly,
    StorageUnavailable,
)
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.open import open_storage
from stovepipe_cli.storage.sql.factory import SQLFactory
from stovepipe_cli.storage.sqlite import SQLiteBackend
from tests.contract.samples import a_request
from tests.faults.opening import QUEUE, Pauses


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with every table."""
    path = tmp_path / "stovepipe.db"
    with open_storage(f"sqlite:///{path}") as factory:
        factory.admin.create_tables()
    return path


@contextlib.contextmanager
def opened(path: Path, limits: Limits, pauses: Pauses) -> Iterator[StorageFactory]:
    backend = SQLiteBackend(ConnectionSpec("sqlite", path=str(path)), limits, is_read_only=False)
    with SQLFactory(backend, pauses.policy) as factory:
        yield factory
        assert factory.checked_out() == 0, "the test left a connection checked out"


def many_requests(storage: Storage, count: int) -> None:
    storage.bulk.insert([RequestRow(f"{number:06}", "git://c", "accepted", "", "", 1, "") for number in range(count)])


@pytest.mark.parametrize("read_only", [True, False])
def test_an_absent_file_is_told_and_not_created(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "absent.db"
    with (
        open_storage(f"sqlite:///{path}", read_only=read_only) as factory,
        pytest.raises(StorageUnavailable, match=r"no database file can be opened at '.*absent\.db'") as caught,
    ):
        factory.for_queue(QUEUE).requests.get("7")
    assert caught.value.hint is not None
    assert "stovepipe db init" in caught.value.hint
    assert not caught.value.retryable
    assert list(tmp_path.iterdir()) == []


def test_an_absent_directory_is_told_when_tables_are_created(tmp_path: Path) -> None:
    with (
        open_storage(f"sqlite:///{tmp_path}/no/such/x.db") as factory,
        pytest.raises(StorageUnavailable, match="the directory of"),
    ):
        factory.admin.create_tables()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_another_kind_is_told_and_left_as_it_is(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "notes.txt"
    text = "remember the milk\n" * 200
    path.write_text(text)
    with (
        open_storage(f"sqlite:///{path}", read_only=read_only) as factory,
        pytest.raises(StorageUnavailable, match="is not an SQLite database"),
    ):
        factory.for_queue(QUEUE).requests.get("7")
    assert path.read_text() == text


def test_a_database_of_another_program_lacks_our_tables(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    with open_storage(f"sqlite:///{path}") as factory, pytest.raises(SchemaMismatch, match="table 'request'"):
        factory.for_queue(QUEUE).requests.get("7")


def test_a_locked_file_is_waited_for_and_then_told(path: Path, pauses: Pauses) -> None:
    with (
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other,
        opened(path, Limits(busy_ms=50), pauses) as factory,
    ):
        other.execute("BEGIN IMMEDIATE")
        storage = factory.for_queue(QUEUE)
        with pytest.raises(StorageUnavailable, match="another process holds the database"):
            storage.requests.create(a_request(QUEUE))
        assert storage.request_log.list("7") == ()
        other.execute("ROLLBACK")
        storage.requests.create(a_request(QUEUE))


def test_a_statement_beyond_its_time_limit_is_a_statement_timeout(path: Path, pauses: Pauses) -> None:
    with open_storage(f"sqlite:///{path}") as factory:
        many_requests(factory.for_queue(QUEUE), 50_000)
    with opened(path, Limits(statement_ms=1), pauses) as factory:
        storage = factory.for_queue(QUEUE)
        with storage.audit.snapshot() as snapshot, pytest.raises(StatementTimeout):
            snapshot.page(RequestRow, limit=50_000)
        assert storage.requests.get("000007").version == 1


def test_a_file_opened_for_reading_takes_no_write(path: Path) -> None:
    with open_storage(f"sqlite:///{path}") as factory:
        factory.for_queue(QUEUE).requests.create(a_request(QUEUE))
    with open_storage(f"sqlite:///{path}", read_only=True) as factory:
        storage = factory.for_queue(QUEUE)
        assert storage.requests.get("7") == a_request(QUEUE)
        with pytest.raises(StorageReadOnly):
            storage.requests.create(a_request(QUEUE, "8"))
        with pytest.raises(StorageReadOnly):
            factory.admin.create_tables()


def test_a_database_keeps_its_identity_where_it_is_moved_to(path: Path, tmp_path: Path) -> None:
    with open_storage(f"sqlite:///{path}") as factory:
        identity = factory.admin.ping().identity
    moved = tmp_path / "moved.db"
    shutil.move(path, moved)
    with open_storage(f"sqlite:///{moved}") as factory:
        assert factory.admin.ping().identity == identity


def test_two_databases_have_two_identities(tmp_path: Path) -> None:
    identities = set()
    for name in ("a.db", "b.db"):
        with open_storage(f"sqlite:///{tmp_path / name}") as factory:
            factory.admin.create_tables()
            identities.add(factory.admin.ping().identity)
    assert len(identities) == 2


def test_a_path_with_any_character_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a b?c#d%20é.db"
    with SQLFactory(SQLiteBackend(ConnectionSpec("sqlite", path=str(path)), Limits(), is_read_only=False)) as factory:
        factory.admin.create_tables()
        factory.for_queue(QUEUE).requests.create(a_request(QUEUE))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
