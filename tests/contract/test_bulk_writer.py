"""Bulk creation: rows as they are, all of them or none."""

import json

import pytest

from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    OpenIssueRow,
    QueueLogRow,
    QueueRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    Row,
)
from tests.contract.paging import walk_audit
from tests.contract.samples import NOON_MS, ROWS, URI, a_request


def kept(storage: Storage, row_type: type[Row]) -> list[Row]:
    with storage.audit.snapshot() as snapshot:
        return [parsed(row) for row in walk_audit(snapshot, row_type, 2)]


def parsed(row: Row) -> Row:
    """The row with its JSON in one spelling, since a database may keep another."""
    if not isinstance(row, RequestLogRow | QueueLogRow):
        return row
    return row._replace(metadata=json.dumps(json.loads(row.metadata)))


@pytest.mark.parametrize("row_type", ROWS, ids=lambda row_type: TABLE_OF[row_type].name)
def test_rows_of_every_table_are_read_back(storage: Storage, row_type: type[Row]) -> None:
    rows = ROWS[row_type]
    storage.bulk.insert(rows[::-1])
    assert kept(storage, row_type) == [parsed(row) for row in rows]


def test_rows_of_all_tables_go_in_one_call(storage: Storage) -> None:
    storage.bulk.insert([row for rows in ROWS.values() for row in rows])
    assert {row_type: len(kept(storage, row_type)) for row_type in ROWS} == {
        row_type: len(rows) for row_type, rows in ROWS.items()
    }


def test_rows_belong_to_the_bound_queue_alone(storage: Storage, other: Storage) -> None:
    storage.bulk.insert([RequestRow("7", URI, "accepted", "", "", 1, "")])
    assert storage.requests.get("7") == a_request(storage.queue)
    with pytest.raises(NotFound):
        other.requests.get("7")


def test_nothing_is_a_batch(storage: Storage) -> None:
    storage.bulk.insert([])
    assert kept(storage, RequestRow) == []


def test_one_taken_key_refuses_every_row_of_every_table(storage: Storage) -> None:
    storage.bulk.insert([BuildRow("b", "7", "running", 2)])
    with pytest.raises(AlreadyExists):
        storage.bulk.insert(
            [
                RequestRow("7", URI, "accepted", "", "", 1, ""),
                BuildRow("a", "7", "running", 2),
                BuildRow("b", "8", "failed", 9),
                BuildRow("c", "7", "running", 2),
            ]
        )
    assert kept(storage, RequestRow) == []
    assert kept(storage, BuildRow) == [BuildRow("b", "7", "running", 2)]


def test_a_key_that_comes_twice_refuses_every_row(storage: Storage) -> None:
    with pytest.raises(AlreadyExists):
        storage.bulk.insert([OpenIssueRow("t", "", "b7"), OpenIssueRow("t", "", "b8")])
    assert kept(storage, OpenIssueRow) == []


def test_a_second_row_of_the_queue_is_refused(storage: Storage) -> None:
    row = storage.queues.get_or_create()
    with pytest.raises(AlreadyExists):
        storage.bulk.insert([QueueRow("", 0, "", 7, "", 0, "", 0)])
    assert storage.queues.get() == row


def test_damaged_rows_are_written_as_they_are(storage: Storage) -> None:
    damaged: list[Row] = [
        RequestRow("7", "", "no such state", "", "", 0, ""),
        RequestLogRow("7", "state/1", -1, "accepted", "build_triggered", -5, "odd", "[1]"),
        RequestSummaryRow("7", "", "", "", 0, 0, 0, 0, "odd", 0, -2, -3),
    ]
    storage.bulk.insert(damaged)
    assert [row for each in damaged for row in kept(storage, type(each))] == damaged


def test_more_rows_than_fit_into_one_statement_are_written(storage: Storage) -> None:
    rows = [RequestLogRow("7", f"{number:05}", NOON_MS, "", "e", 0, "", "{}") for number in range(3000)]
    storage.bulk.insert(rows)
    assert len(storage.request_log.list("7")) == 3000
