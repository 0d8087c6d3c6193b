"""The key that lies so many rows further on, by which a table is divided among workers."""

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import TABLE_OF, RequestRow, Row, key_of
from tests.contract.samples import ROWS

each_table = pytest.mark.parametrize("row_type", ROWS, ids=lambda row_type: TABLE_OF[row_type].name)


@each_table
def test_it_is_the_key_of_that_row_in_the_order_of_pages(storage: Storage, other: Storage, row_type: type[Row]) -> None:
    for each in (storage, other):
        each.bulk.insert(ROWS[row_type][::-1])
    with storage.audit.snapshot() as snapshot:
        keys = [key_of(row) for row in snapshot.page(row_type, limit=100).rows]
        assert [snapshot.key_behind(row_type, rows=at + 1) for at in range(len(keys))] == keys
        for at, after in enumerate(keys):
            further = [snapshot.key_behind(row_type, after=after, rows=rows + 1) for rows in range(len(keys) - at)]
            assert further == [*keys[at + 1 :], None]


@each_table
def test_it_lies_before_the_end_of_the_range(storage: Storage, row_type: type[Row]) -> None:
    storage.bulk.insert(ROWS[row_type])
    with storage.audit.snapshot() as snapshot:
        keys = [key_of(row) for row in snapshot.page(row_type, limit=100).rows]
        for size, upto in enumerate(keys, 1):
            assert snapshot.key_behind(row_type, upto=upto, rows=size) == upto
            assert snapshot.key_behind(row_type, upto=upto, rows=size + 1) is None


@each_table
def test_there_is_none_where_fewer_rows_are_left(storage: Storage, row_type: type[Row]) -> None:
    with storage.audit.snapshot() as snapshot:
        assert snapshot.key_behind(row_type, rows=1) is None
    storage.bulk.insert(ROWS[row_type])
    with storage.audit.snapshot() as snapshot:
        assert snapshot.key_behind(row_type, rows=len(ROWS[row_type]) + 1) is None


def test_no_rows_are_no_distance(storage: Storage) -> None:
    with storage.audit.snapshot() as snapshot, pytest.raises(InvalidEntity):
        snapshot.key_behind(RequestRow, rows=0)
