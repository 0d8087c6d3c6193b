"""Audit reads: exact pages between prefix bounds, whole and partial keys, one view for as long as it is open."""

import itertools
from collections.abc import Iterable

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AuditReader, CollationConflict, Storage, StorageFactory
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildIssueRow,
    Key,
    OpenIssueRow,
    ProjectFactByDegreeRow,
    QueueRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
    key_of,
)
from stovepipe_cli.storage.contract.tables import TABLES, Table
from tests.contract.paging import walk_audit
from tests.contract.samples import NOON_MS, ROWS, URI

each_table = pytest.mark.parametrize("row_type", ROWS, ids=lambda row_type: TABLE_OF[row_type].name)


def log_row(request_id: str, log_id: str) -> RequestLogRow:
    return RequestLogRow(request_id, log_id, NOON_MS, "", "build_triggered", 0, "", "{}")


LOG = [log_row(request_id, log_id) for request_id in ("r1", "r2", "r3") for log_id in ("a", "b", "c")]
MAPPING = [
    ProjectFactByDegreeRow(uri, degree, project)
    for uri in ("git://a", "git://b")
    for degree in (1.0, 0.5, 0.0)
    for project in ("A", "a", "a ")
]


def keys(rows: Iterable[Row]) -> list[Key]:
    return [key_of(row) for row in rows]


@each_table
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_pages_of_any_size_give_every_row_once_in_key_order(
    storage: Storage, other: Storage, row_type: type[Row], size: int
) -> None:
    for each in (storage, other):
        each.bulk.insert(ROWS[row_type][::-1])
    with storage.audit.snapshot() as snapshot:
        assert keys(walk_audit(snapshot, row_type, size)) == keys(ROWS[row_type])


@each_table
def test_an_empty_remainder_is_the_end(storage: Storage, row_type: type[Row]) -> None:
    storage.bulk.insert(ROWS[row_type])
    with storage.audit.snapshot() as snapshot:
        page = snapshot.page(row_type, after=key_of(ROWS[row_type][-1]), limit=5)
    assert (page.rows, page.foreign, page.next_after) == ((), (), None)


@each_table
def test_a_page_that_rows_follow_says_where_they_start(storage: Storage, row_type: type[Row]) -> None:
    rows = ROWS[row_type]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        for size in range(1, len(rows)):
            page = snapshot.page(row_type, limit=size)
            assert page.next_after == key_of(rows[size - 1])


@pytest.mark.parametrize(
    ("after", "upto"),
    list(
        itertools.product(
            [None, ("r0",), ("r1",), ("r1", ""), ("r1", "b"), ("r2",), ("r2", "bb"), ("r3",), ("r4",)],
            [None, ("r0",), ("r1",), ("r1", "b"), ("r2", "bb"), ("r2",), ("r3", "c")],
        )
    ),
    ids=str,
)
def test_a_bound_is_compared_with_as_many_key_parts_as_it_has(
    storage: Storage, after: Key | None, upto: Key | None
) -> None:
    storage.bulk.insert(LOG)
    expected = [
        key_of(row)
        for row in LOG
        if (after is None or key_of(row)[: len(after)] > after) and (upto is None or key_of(row)[: len(upto)] <= upto)
    ]
    with storage.audit.snapshot() as snapshot:
        assert keys(walk_audit(snapshot, RequestLogRow, 2, after=after, upto=upto)) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 7, 17, 18, 19])
def test_facts_by_degree_descend_by_degree_within_a_uri(storage: Storage, size: int) -> None:
    storage.bulk.insert(MAPPING[::-1])
    with storage.audit.snapshot() as snapshot:
        assert walk_audit(snapshot, ProjectFactByDegreeRow, size) == MAPPING


@pytest.mark.parametrize(
    ("after", "upto", "expected"),
    [
        (("git://a",), None, MAPPING[9:]),
        (("git://a", 0.5), None, MAPPING[6:]),
        (("git://a", 0.7), None, MAPPING[3:]),
        (("git://a", 0.5, "a"), None, MAPPING[5:]),
        (None, ("git://a",), MAPPING[:9]),
        (None, ("git://a", 0.5), MAPPING[:6]),
        (None, ("git://a", 0.7), MAPPING[:3]),
        (("git://a", 1.0, "A"), ("git://b", 1.0, "a"), MAPPING[1:11]),
    ],
    ids=str,
)
def test_bounds_on_facts_by_degree_follow_their_order(
    storage: Storage, after: Key | None, upto: Key | None, expected: list[ProjectFactByDegreeRow]
) -> None:
    storage.bulk.insert(MAPPING)
    with storage.audit.snapshot() as snapshot:
        assert walk_audit(snapshot, ProjectFactByDegreeRow, 4, after=after, upto=upto) == expected


def test_numbers_in_keys_are_compared_as_numbers(storage: Storage) -> None:
    rows = [RequestAcceptanceRow(time_ms, "7") for time_ms in (9, 10, 100)]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        assert walk_audit(snapshot, RequestAcceptanceRow, 1, after=(9,), upto=(100,)) == rows[1:]


def test_binary_keys_are_in_byte_order(storage: Storage) -> None:
    rows = [BuildIssueRow("b", "t", unit) for unit in ("", " ", "9", "A", "a", "a ", "ab", "é", "🙂", "\udcff")]
    storage.bulk.insert(rows[::-1])
    with storage.audit.snapshot() as snapshot:
        assert walk_audit(snapshot, BuildIssueRow, 3) == rows


def test_the_one_row_of_a_queue_has_an_empty_key(storage: Storage) -> None:
    storage.bulk.insert(ROWS[QueueRow])
    with storage.audit.snapshot() as snapshot:
        assert snapshot.multi_get(QueueRow, [()]) == ROWS[QueueRow]
        assert snapshot.page(QueueRow, after=(), limit=5).rows == ()


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(storage: Storage, limit: int) -> None:
    with storage.audit.snapshot() as snapshot, pytest.raises(InvalidEntity):
        snapshot.page(RequestRow, limit=limit)


@each_table
def test_whole_keys_give_their_rows(storage: Storage, other: Storage, row_type: type[Row]) -> None:
    for each in (storage, other):
        each.bulk.insert(ROWS[row_type])
    with storage.audit.snapshot() as snapshot:
        found = snapshot.multi_get(row_type, keys(ROWS[row_type][:2]))
    assert sorted(keys(found)) == sorted(keys(ROWS[row_type][:2]))


def test_a_key_prefix_gives_every_row_below_it(storage: Storage) -> None:
    storage.bulk.insert(LOG)
    with storage.audit.snapshot() as snapshot:
        found = snapshot.multi_get(RequestLogRow, [("r1",), ("r3", "b")])
    assert sorted(found) == [*LOG[:3], LOG[7]]


def test_keys_that_overlap_give_a_row_once(storage: Storage) -> None:
    storage.bulk.insert(LOG)
    with storage.audit.snapshot() as snapshot:
        found = snapshot.multi_get(RequestLogRow, [("r1",), ("r1", "a"), ("r1",)])
    assert sorted(found) == LOG[:3]


def test_keys_without_rows_and_no_keys_give_nothing(storage: Storage) -> None:
    storage.bulk.insert(LOG)
    with storage.audit.snapshot() as snapshot:
        assert snapshot.multi_get(RequestLogRow, [("r9",), ("r1", "z"), ("r",)]) == ()
        assert snapshot.multi_get(RequestLogRow, []) == ()


@pytest.mark.parametrize("key", [("R1",), ("r1 ",), ("r1", "A"), ("R1", "a"), ("r1", "a ")], ids=str)
def test_keys_that_differ_in_bytes_give_nothing(storage: Storage, key: Key) -> None:
    storage.bulk.insert(LOG)
    with storage.audit.snapshot() as snapshot:
        assert snapshot.multi_get(RequestLogRow, [key]) == ()


def test_the_rows_of_a_key_leave_out_those_equal_by_collation(storage: Storage) -> None:
    storage.bulk.insert([log_row("r1", "a"), log_row("R1", "b")])
    with storage.audit.snapshot() as snapshot:
        assert snapshot.multi_get(RequestLogRow, [("r1",)]) == (log_row("r1", "a"),)


def test_more_keys_than_fit_into_one_statement_give_their_rows(storage: Storage) -> None:
    rows = [RequestURIRow(f"git://{number:05}", "7", 1) for number in range(2500)]
    storage.bulk.insert(rows)
    with storage.audit.snapshot() as snapshot:
        found = snapshot.multi_get(RequestURIRow, [*keys(rows), ("git://absent",)])
    assert sorted(found) == rows


def test_facts_by_degree_are_found_by_their_degree(storage: Storage) -> None:
    storage.bulk.insert([*MAPPING, ProjectFactByDegreeRow("git://a", 1 / 3, "a")])
    with storage.audit.snapshot() as snapshot:
        found = snapshot.multi_get(ProjectFactByDegreeRow, [("git://a", 1 / 3, "a"), ("git://b", 0.5)])
    assert sorted(found) == sorted([ProjectFactByDegreeRow("git://a", 1 / 3, "a"), *MAPPING[12:15]])


@pytest.mark.parametrize("row_type", [RequestRow, RequestLogRow, RequestAcceptanceRow, ValidationFactRow, OpenIssueRow])
def test_rows_of_a_queue_equal_by_collation_are_no_rows_of_this_queue(
    factory: StorageFactory, storage: Storage, row_type: type[Row]
) -> None:
    respelled = factory.for_queue(storage.queue.upper())
    rows = ROWS[row_type]
    storage.bulk.insert(rows[:1])
    respelled.bulk.insert(rows[1:])
    with storage.audit.snapshot() as snapshot:
        assert keys(walk_audit(snapshot, row_type, 2)) == keys(rows[:1])
        assert keys(snapshot.multi_get(row_type, keys(rows))) == keys(rows[:1])


@pytest.mark.parametrize("row_type", [RequestRow, RequestLogRow, RequestAcceptanceRow, OpenIssueRow])
def test_foreign_keys_are_told_where_the_table_cannot_keep_them_apart(
    factory: StorageFactory, storage: Storage, row_type: type[Row]
) -> None:
    respelled = factory.for_queue(storage.queue.upper())
    rows = ROWS[row_type]
    storage.bulk.insert(rows[:1])
    respelled.bulk.insert(rows[1:])
    with storage.audit.snapshot() as snapshot:
        foreign = snapshot.page(row_type, limit=9).foreign
    apart = keeps_respelled_keys_apart(storage, respelled, row_type)
    assert list(foreign) == ([] if apart else keys(rows[1:]))


def keeps_respelled_keys_apart(storage: Storage, respelled: Storage, row_type: type[Row]) -> bool:
    """Whether one key can be kept for two queues whose names differ in case."""
    row = ROWS[row_type][0]
    assert storage.queue != respelled.queue
    try:
        respelled.bulk.insert([row])
    except CollationConflict:
        return False
    return True


def test_a_snapshot_does_not_see_later_writes(storage: Storage) -> None:
    storage.bulk.insert([log_row("r1", "a")])
    with storage.audit.snapshot() as snapshot:
        assert len(snapshot.page(RequestLogRow, limit=9).rows) == 1
        storage.bulk.insert([log_row("r1", "b"), RequestRow("r1", URI, "accepted", "", "", 1, "")])
        assert snapshot.page(RequestLogRow, limit=9).rows == (log_row("r1", "a"),)
        assert snapshot.page(RequestRow, limit=9).rows == ()
        assert snapshot.multi_get(RequestLogRow, [("r1",)]) == (log_row("r1", "a"),)


def test_a_new_snapshot_sees_what_was_written(storage: Storage) -> None:
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestLogRow, limit=9).rows == ()
    storage.bulk.insert([log_row("r1", "a")])
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestLogRow, limit=9).rows == (log_row("r1", "a"),)


def test_writes_go_on_while_a_snapshot_is_open(storage: Storage) -> None:
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestLogRow, limit=9).rows == ()
        storage.bulk.insert([log_row("r1", "a")])
        assert [entry.id for entry in storage.request_log.list("r1")] == ["a"]


def test_the_clock_is_in_unix_milliseconds_and_does_not_go_back(storage: Storage) -> None:
    with storage.audit.snapshot() as snapshot:
        first = snapshot.now_ms()
    with storage.audit.snapshot() as snapshot:
        second = snapshot.now_ms()
    year_ms = 366 * 86_400_000
    assert NOON_MS - year_ms < first <= second < NOON_MS + 50 * year_ms


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_a_view_shows_every_column_and_the_collation_of_every_key_column(storage: Storage, table: Table) -> None:
    view = storage.audit.view(table.name)
    assert view is not None
    assert view.columns == {column.name for column in table.columns}
    assert set(view.key_collations) == set(table.key)
    for name, collation in view.key_collations.items():
        assert bool(collation) == (table.column(name).kind == "text")


def test_a_table_that_nobody_knows_is_absent(storage: Storage) -> None:
    audit: AuditReader = storage.audit
    assert audit.view("no_such_table") is None
