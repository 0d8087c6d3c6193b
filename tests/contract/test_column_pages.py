"""Rows of a key range as whole columns: what they hold, where they end, and when the rows themselves must be read."""

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.column_page import ColumnPage
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow
from tests.contract.samples import NOON_MS

ALIKE = ("state", "event", "request_version", "outcome_reason", "metadata")
IDS = ("r1", "r2", "r3", "ä", "日本")


def entry(request_id: str, log_id: str = "state/1", metadata: str = "{}", **fields: int) -> RequestLogRow:
    return RequestLogRow(request_id, log_id, fields.get("at", NOON_MS), "accepted", "", 1, "", metadata)


def read(
    storage: Storage, *, alike: tuple[str, ...] = ALIKE, after: Key | None = None, upto: Key | None = None
) -> ColumnPage:
    with storage.audit.snapshot() as snapshot:
        return snapshot.column_page(
            RequestLogRow, ("request_id", "timestamp_ms"), alike, at={"log_id": "state/1"}, after=after, upto=upto
        )


def pairs(page: ColumnPage) -> set[tuple[str, int]]:
    return {*zip(*page.columns, strict=True)}


def test_columns_hold_the_rows_of_the_asked_for_part_of_the_key(storage: Storage, other: Storage) -> None:
    for each in (storage, other):
        each.bulk.insert([entry(name, at=NOON_MS + at) for at, name in enumerate(IDS)])
        each.bulk.insert([entry(name, "state/2", at=1) for name in IDS])
    page = read(storage)
    assert pairs(page) == {(name, NOON_MS + at) for at, name in enumerate(IDS)}
    assert page.alike == ("accepted", "", 1, "", "{}")
    assert not page.is_odd


def test_bounds_are_those_of_a_page(storage: Storage) -> None:
    storage.bulk.insert([entry(name, at=at) for at, name in enumerate(IDS, 1)])
    assert pairs(read(storage, after=("r1",), upto=("r3",))) == {("r2", 2), ("r3", 3)}


def test_no_rows_are_empty_columns(storage: Storage) -> None:
    page = read(storage)
    assert page == ColumnPage(([], []), None)


@pytest.mark.parametrize("metadata", ['{"a":""}', '{"A":"x"}', '{"a":"x "}', '{"a":"X"}', '{"á":"x"}'])
def test_rows_that_differ_in_a_byte_are_not_alike(storage: Storage, metadata: str) -> None:
    storage.bulk.insert([entry("r1", metadata='{"a":"x"}'), entry("r2", metadata=metadata)])
    page = read(storage)
    assert page.alike is None
    assert {name for name, _ in pairs(page)} == {"r1", "r2"}


def test_an_id_that_holds_what_stands_between_makes_the_page_odd_or_whole(storage: Storage) -> None:
    name = f"r{BETWEEN_ENTRIES}1"
    storage.bulk.insert([entry(name), entry("r2")])
    page = read(storage)
    assert page.is_odd or {each for each, _ in pairs(page)} == {name, "r2"}


def test_more_text_than_a_server_folds_makes_the_page_odd_or_whole(storage: Storage) -> None:
    names = [f"{number:04}".ljust(240, "日") for number in range(1_500)]
    storage.bulk.insert([entry(name) for name in names])
    page = read(storage)
    assert page.is_odd or [name for name, _ in sorted(pairs(page))] == names


def test_requests_are_columns_as_well(storage: Storage) -> None:
    storage.bulk.insert(
        [RequestRow(name, f"git://r/{name}", "accepted", "", "", 1, "") for name in ("r1", "r2", "r3", "s")]
    )
    with storage.audit.snapshot() as snapshot:
        page = snapshot.column_page(RequestRow, ("id", "version"), upto=("r3",))
    assert pairs(page) == {("r1", 1), ("r2", 1), ("r3", 1)}
