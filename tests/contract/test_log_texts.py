"""The log of many requests as whole texts: what they hold, where they end, and when they are not to be trusted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, LOGGED_COLUMNS, MOST_LOGGED, LogTexts
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow
from stovepipe_cli.storage.open import open_storage
from tests.contract.samples import NOON_MS


def entry(request_id: str, number: int = 1, metadata: str = '{"ä":"b"}', reason: str = "x") -> RequestLogRow:
    return RequestLogRow(request_id, f"state/{number}", NOON_MS + number, "failed", "", number, reason, metadata)


def read(storage: Storage, *, after: Key | None = None, upto: Key | None = None) -> LogTexts:
    with storage.audit.snapshot() as snapshot:
        return snapshot.log_texts(after=after, upto=upto)


def rows_of(texts: LogTexts) -> list[tuple[str, ...]]:
    columns = [text.split(BETWEEN_ENTRIES) for text in (*texts.columns, texts.times)]
    return [*zip(*columns, strict=True)]


def as_texts(row: RequestLogRow) -> tuple[str, ...]:
    return (*(str(getattr(row, name)) for name in LOGGED_COLUMNS), str(row.timestamp_ms))


def test_each_column_holds_the_values_of_all_entries_in_key_order(storage: Storage, other: Storage) -> None:
    rows = [entry(name, number) for name in ("r1", "r2", "r3") for number in (1, 2, 3)]
    for each in (storage, other):
        each.bulk.insert(rows[::-1])
    found = read(storage)
    assert (found.entries, found.is_odd) == (9, False)
    assert rows_of(found) == [*map(as_texts, rows)]


def test_bounds_are_requests(storage: Storage) -> None:
    storage.bulk.insert([entry(name, number) for name in ("a", "b", "c", "d") for number in (1, 2)])
    found = read(storage, after=("a",), upto=("c",))
    assert [row[0] for row in rows_of(found)] == ["b", "b", "c", "c"]


def test_no_entries_are_empty_texts(storage: Storage) -> None:
    found = read(storage)
    assert (found.entries, found.times, found.is_odd) == (0, "", False)


@pytest.mark.parametrize("reason", ["", BETWEEN_ENTRIES, "\x00", "日本", "'", "\\"])
def test_any_text_is_there_as_it_is_or_makes_the_page_odd(storage: Storage, reason: str) -> None:
    storage.bulk.insert([entry(name, reason=reason) for name in ("a", "b")])
    found = read(storage)
    assert found.is_odd or found.columns[LOGGED_COLUMNS.index("outcome_reason")] == BETWEEN_ENTRIES.join([reason] * 2)


def test_a_text_that_a_server_cuts_makes_the_page_odd(storage: Storage) -> None:
    rows = [entry(f"{number:04}", 1, '{"k":"' + "日" * 4_000 + '"}') for number in range(400)]
    storage.bulk.insert(rows)
    found = read(storage)
    assert found.is_odd or rows_of(found) == [*map(as_texts, rows)]


def test_more_entries_than_are_folded_make_the_page_odd(storage: Storage) -> None:
    storage.bulk.insert([entry("a", number, "{}") for number in range(1, MOST_LOGGED + 2)])
    storage.bulk.insert([entry("b")])
    assert read(storage).is_odd
    assert rows_of(read(storage, after=("a",))) == [as_texts(entry("b"))]


def test_entries_of_a_queue_equal_by_collation_make_the_page_odd_or_are_left_out(
    storage: Storage, other: Storage
) -> None:
    storage.bulk.insert([entry("a")])
    other.bulk.insert([entry("b")])
    found = read(storage)
    assert found.is_odd or [row[0] for row in rows_of(found)] == ["a"]


@pytest.mark.parametrize("column", ["log_id", "state", "metadata", "timestamp_ms", "request_version"])
def test_a_value_of_another_type_in_sqlite_makes_the_page_odd(column: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    with open_storage(f"sqlite:///{path}") as factory:
        factory.admin.create_tables()
        storage = factory.for_queue("q")
        storage.bulk.insert([entry("a"), entry("b")])
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE request_log SET {column} = CAST({column} AS BLOB) WHERE request_id = 'b'")
        assert read(storage).is_odd
