"""Histories folded into a row each: what they hold, where they end, and when the rows themselves must be read."""

from collections.abc import Iterable

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, MOST_FOLDED, FoldedHistory, unfolded
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow
from tests.contract.samples import NOON_MS


def entry(request_id: str, number: int) -> RequestLogRow:
    return RequestLogRow(request_id, f"state/{number}", NOON_MS + number, "failed", "", number, "x", '{"ä":"b"}')


def histories(
    storage: Storage, *, after: Key | None = None, upto: Key | None = None, limit: int = 10
) -> list[FoldedHistory]:
    found: list[FoldedHistory] = []
    with storage.audit.snapshot() as snapshot:
        while True:
            page = snapshot.histories(after=after, upto=upto, limit=limit)
            assert len(page.histories) <= limit
            found += map(FoldedHistory._make, page.histories)
            if page.next_after is None:
                assert not page.histories
                return found
            after = page.next_after


def entries_of(history: FoldedHistory, *, is_by_column: bool) -> set[tuple[str, ...]]:
    rows = unfolded(history.text, history.entries, is_by_column=is_by_column)
    assert rows is not None
    return {(*row, time) for row, time in zip(rows, history.times.split(BETWEEN_ENTRIES), strict=True)}


def is_by_column(storage: Storage) -> bool:
    with storage.audit.snapshot() as snapshot:
        return snapshot.histories(limit=1).is_by_column


def columns_of(rows: Iterable[RequestLogRow]) -> set[tuple[str, ...]]:
    return {
        (
            *map(str, (row.log_id, row.state, row.event, row.request_version)),
            row.outcome_reason,
            row.metadata,
            str(row.timestamp_ms),
        )
        for row in rows
    }


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_each_request_has_one_history_of_all_its_entries(storage: Storage, other: Storage, limit: int) -> None:
    rows = {
        name: [entry(name, number) for number in range(1, size + 1)] for name, size in (("a", 1), ("b", 3), ("c", 8))
    }
    for each in (storage, other):
        each.bulk.insert([row for own in rows.values() for row in own])
    found = histories(storage, limit=limit)
    assert [(each.request_id, each.entries, bool(each.is_odd)) for each in found] == [
        ("a", 1, False),
        ("b", 3, False),
        ("c", 8, False),
    ]
    assert all(
        entries_of(each, is_by_column=is_by_column(storage)) == columns_of(rows[each.request_id]) for each in found
    )


def test_bounds_leave_out_what_lies_beyond(storage: Storage) -> None:
    storage.bulk.insert([entry(name, 1) for name in ("a", "b", "c", "d")])
    assert [each.request_id for each in histories(storage, after=("a",), upto=("c",))] == ["b", "c"]


def test_a_long_history_is_counted_and_has_no_text(storage: Storage) -> None:
    storage.bulk.insert([entry("a", number) for number in range(1, MOST_FOLDED + 2)])
    (found,) = histories(storage)
    assert (found.entries, found.text, found.times) == (MOST_FOLDED + 1, "", "")


def test_a_queue_without_entries_has_no_history(storage: Storage, other: Storage) -> None:
    other.bulk.insert([entry("a", 1)])
    assert histories(storage) == []
