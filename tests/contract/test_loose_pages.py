"""Bare pages in any order: every row once, whatever it holds and however many rows a page has."""

import struct

import pytest

from stovepipe_cli.storage.contract import AuditSnapshot, Storage, StorageFactory
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    Key,
    RequestRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
    key_of,
)
from tests.contract.paging import MANY_PAGES
from tests.contract.samples import NOON_MS, ROWS

each_table = pytest.mark.parametrize("row_type", ROWS, ids=lambda row_type: TABLE_OF[row_type].name)
# A table of one row a queue has no range.
RANGES = [row_type for row_type, rows in ROWS.items() if len(rows) > 2]

DEGREES = (0.0, 1.0, 0.5, 0.1 + 0.2, 1 / 3, 2 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e-7, 1e22)


def loose(
    snapshot: AuditSnapshot, row_type: type[Row], size: int, *, after: Key | None = None, upto: Key | None = None
) -> list[tuple[object, ...]]:
    """Every row that such pages of `size` give, in key order."""
    listed: list[tuple[object, ...]] = []
    for _ in range(MANY_PAGES):
        page = snapshot.bare_page(row_type, after=after, upto=upto, limit=size, in_any_order=True)
        assert len(page.rows) + len(page.foreign) <= size
        listed += map(tuple, page.rows)
        if page.next_after is None:
            return listed
        after = page.next_after
    raise AssertionError("the pages do not end")


def plain(rows: object) -> set[tuple[object, ...]]:
    assert isinstance(rows, list | tuple)
    return {tuple(row) for row in rows}


@each_table
@pytest.mark.parametrize("size", [1, 2, 3, 4, 500])
def test_pages_of_any_size_give_every_row_once(
    storage: Storage, other: Storage, row_type: type[Row], size: int
) -> None:
    for each in (storage, other):
        each.bulk.insert(ROWS[row_type])
    with storage.audit.snapshot() as snapshot:
        found = loose(snapshot, row_type, size)
    assert len(found) == len(ROWS[row_type])
    assert plain(found) == plain(ROWS[row_type])


@pytest.mark.parametrize("row_type", RANGES, ids=lambda row_type: TABLE_OF[row_type].name)
@pytest.mark.parametrize("size", [1, 2, 500])
def test_bounds_are_those_of_a_page_in_key_order(storage: Storage, row_type: type[Row], size: int) -> None:
    rows = ROWS[row_type]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        found = loose(snapshot, row_type, size, after=key_of(rows[0]), upto=key_of(rows[-2]))
    assert plain(found) == plain(rows[1:-1])


@pytest.mark.parametrize("size", [1, 3, 500])
def test_a_double_comes_back_to_the_last_bit(storage: Storage, size: int) -> None:
    rows = [ValidationFactRow(f"git://r/{at}", "", degree, f"r{at}", NOON_MS) for at, degree in enumerate(DEGREES)]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        found = loose(snapshot, ValidationFactRow, size)
    bits = {row[0]: struct.pack(">d", row[2]) for row in found}
    assert bits == {row.uri: struct.pack(">d", row.degree) for row in rows}


@pytest.mark.parametrize("text", ["", BETWEEN_ENTRIES, f"a{BETWEEN_ENTRIES}b", "\x00", "\x1f", "日本", "null", "'\\"])
def test_any_text_comes_back(storage: Storage, text: str) -> None:
    rows = [RequestRow(f"r{at}", f"git://r/{at}", "accepted", text, text, 1, "") for at in range(3)]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        assert plain(loose(snapshot, RequestRow, 500)) == plain(rows)


def test_more_text_than_a_server_folds_comes_back(storage: Storage) -> None:
    rows = [RequestURIRow(f"{at:04}".ljust(250, "日"), f"r{at}", 1) for at in range(1_600)]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        found = loose(snapshot, RequestURIRow, 1_500)
    assert len(found) == len(rows)
    assert plain(found) == plain(rows)


@pytest.mark.parametrize("size", [1, 2, 500])
def test_rows_of_a_queue_equal_by_collation_are_no_rows_of_this_queue(
    collating_database: StorageFactory, size: int
) -> None:
    own, equal = (collating_database.for_queue(f"{name}/{size}") for name in ("loose", "Loose"))
    rows = [RequestURIRow(f"git://r/{at}", f"r{at}", 1) for at in range(4)]
    own.bulk.insert(rows[:2])
    equal.bulk.insert(rows[2:])
    for storage, wanted in ((own, rows[:2]), (equal, rows[2:])):
        with storage.audit.snapshot() as snapshot:
            assert plain(loose(snapshot, RequestURIRow, size)) == plain(wanted)
