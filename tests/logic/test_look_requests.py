"""Lists of requests: their order, their pages, and what they say of requests that they cannot show."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.errors import InvalidCursor, UsageError
from stovepipe_cli.look import request_filter, requests_by_acceptance
from stovepipe_cli.look.newest import newest_number
from stovepipe_cli.look.request_filter import RequestFilter
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import QueueRow, RequestAcceptanceRow, RequestRow
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock, queue_of
from tests.support.lifecycles import BETWEEN_MS, FIRST_MS, QUEUE, Life, accepted, failed, processing, put, succeeded
from tests.support.looks import Order, by_acceptance, by_number, walked
from tests.support.watched_storage import watched


def path(number: int) -> str:
    return f"request/{QUEUE}/{number}"


def requests(*ids: str, state: str = "accepted") -> list[RequestRow]:
    return [RequestRow(each, f"git://{each}", state, "", "", 1, "") for each in ids]


def queue_row(latest: str) -> QueueRow:
    return QueueRow("", 0, latest, 1, "", 0, "", 0)


@pytest.fixture(params=["memory", "sqlite", "mariadb", "mariadb-of-the-service"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """A queue on each backend, without rows."""
    if request.param == "memory":
        url = "memory://"
    elif request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'look.db'}"
    else:
        fixture = "mariadb_database" if request.param == "mariadb" else "mariadb_service_database"
        url = request.getfixturevalue(fixture)
    with contextlib.closing(open_storage(url)) as factory:
        if request.param in {"sqlite", "mariadb"}:
            factory.admin.create_tables()
        yield factory.for_queue(QUEUE)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
def test_numbers_run_down_in_both_forms_at_every_page_size(storage: Storage, limit: int) -> None:
    """Also where two requests have one number, and where text would sort otherwise."""
    storage.bulk.insert(requests("7", path(7), "9", "10", path(99), "100", "1"))
    assert walked(by_number(storage), limit) == ["100", path(99), "10", "9", path(7), "7", "1"]


@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
def test_acceptances_run_back_at_every_page_size(storage: Storage, limit: int) -> None:
    """By id where the time is the same, and on every backend alike."""
    put(storage, *(accepted(number, form="decimal", start_ms=FIRST_MS) for number in (3, 20, 100)), accepted(5))
    assert walked(by_acceptance(storage), limit) == [path(5), "3", "20", "100"]


@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_the_last_page_has_no_cursor_though_it_is_full(page: Order, storage: Storage) -> None:
    put(storage, accepted(1), accepted(2))
    report = page(storage)(2, None)
    assert (len(report.items), report.next_cursor) == (2, None)


@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_a_state_is_looked_for_across_the_others(page: Order, storage: Storage) -> None:
    put(storage, *(failed(number) if number % 9 == 0 else succeeded(number) for number in range(1, 40)))
    assert walked(page(storage, RequestFilter(state="failed")), 2) == [path(number) for number in (36, 27, 18, 9)]


@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_a_window_is_half_open(page: Order) -> None:
    storage = queue_of(*map(accepted, range(1, 6)))
    since_ms = FIRST_MS + 2 * BETWEEN_MS + 1000
    chosen = RequestFilter(since_ms=since_ms, until_ms=since_ms + 2 * BETWEEN_MS)
    assert walked(page(storage, chosen), 10) == [path(3), path(2)]


@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_a_window_that_is_relative_to_now_stays_that_of_the_first_page(page: Order) -> None:
    storage = queue_of(*map(accepted, range(1, 6)))
    chosen = RequestFilter(until_ms=FIRST_MS + 4 * BETWEEN_MS, asked="older-than=1h")
    first = page(storage, chosen)(2, None)
    later = replace(chosen, until_ms=chosen.until_ms + 10 * BETWEEN_MS)
    second = page(storage, later)(2, first.next_cursor)
    assert [item.request_id for item in (*first.items, *second.items)] == [path(3), path(2), path(1)]


@pytest.mark.parametrize("page", [by_number, by_acceptance])
@pytest.mark.parametrize("other", [RequestFilter(state="failed"), RequestFilter(asked="since=2h")])
def test_a_cursor_of_another_filter_is_refused(page: Order, other: RequestFilter) -> None:
    storage = queue_of(accepted(1), accepted(2))
    cursor = page(storage)(1, None).next_cursor
    with pytest.raises(InvalidCursor):
        page(storage, other)(1, cursor)


def test_a_cursor_of_another_queue_is_refused() -> None:
    factory = MemoryFactory()
    storage, other = factory.for_queue(QUEUE), factory.for_queue(QUEUE.upper())
    put(storage, accepted(1), accepted(2))
    cursor = by_number(storage)(1, None).next_cursor
    with pytest.raises(InvalidCursor):
        by_number(other)(1, cursor)


@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_a_long_search_ends_short_and_its_cursor_goes_on(page: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_filter, "MOST_LOOKED_AT", 10)
    storage = queue_of(failed(1), *(accepted(number) for number in range(2, 60)))
    chosen = RequestFilter(state="failed")
    report = page(storage, chosen)(5, None)
    assert (report.items, report.next_cursor is None) == ((), False)
    assert "looked at 10" in report.notes[0]
    assert walked(page(storage, chosen), 5) == [path(1)]


def test_requests_of_unknown_acceptance_are_in_no_window_and_are_counted() -> None:
    storage = queue_of(accepted(1), accepted(2).without("summary"), accepted(3).change_summary(accepted_at_ms=0))
    report = by_number(storage, RequestFilter(until_ms=FIRST_MS + 9 * BETWEEN_MS))(10, None)
    assert [item.request_id for item in report.items] == [path(1)]
    assert report.notes == ("2 requests are left out, since it is not known when they were accepted",)


def test_only_what_cannot_appear_is_counted() -> None:
    storage = queue_of(accepted(1), accepted(2).without("acceptance"), accepted(3).legacy())
    first = by_acceptance(storage)(10, None)
    assert first.notes == (
        "2 requests have no acceptance mapping and cannot appear in this order; --order number shows them",
    )
    assert by_acceptance(queue_of(accepted(1)))(10, None).notes == ()


def test_what_cannot_appear_is_not_counted_where_that_is_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests_by_acceptance, "MOST_COUNTED", 3)
    (note,) = by_acceptance(queue_of(*map(accepted, range(1, 6))))(10, None).notes
    assert "cannot appear in this order" in note
    assert "not counted" in note


def test_pages_behind_the_first_count_nothing() -> None:
    storage, watch = watched(queue_of(*map(accepted, range(1, 6))))
    cursor = by_acceptance(storage)(2, None).next_cursor
    watch.pages.clear()
    by_acceptance(storage)(2, cursor)
    assert watch.pages == []


def test_a_mapping_without_a_request_is_shown_without_a_state() -> None:
    storage = queue_of(accepted(1))
    storage.bulk.insert([RequestAcceptanceRow(FIRST_MS, path(9))])
    report = by_acceptance(storage)(10, None)
    lost = report.items[-1]
    assert (lost.request_id, lost.state, lost.uri, lost.accepted_at_ms) == (path(9), None, None, FIRST_MS)
    assert report.notes == ("1 of these mappings names a request that has no row",)


def test_the_order_by_acceptance_shows_the_mappings_time() -> None:
    storage = queue_of(accepted(1).change_summary(accepted_at_ms=5))
    (item,) = by_acceptance(storage)(10, None).items
    assert item.accepted_at_ms == FIRST_MS + BETWEEN_MS + 1000


def test_without_mappings_the_other_order_is_named() -> None:
    storage = MemoryFactory(absent_tables=frozenset({"request_acceptance"})).for_queue(QUEUE)
    storage.bulk.insert([*requests("1", "2"), queue_row("2")])
    with pytest.raises(UsageError) as caught:
        by_acceptance(storage)(10, None)
    assert caught.value.hint == "add --order number, which needs none"
    assert walked(by_number(storage), 10) == ["2", "1"]


def test_requests_without_a_table_of_summaries_are_listed() -> None:
    storage = MemoryFactory(absent_tables=frozenset({"request_summary"})).for_queue(QUEUE)
    storage.bulk.insert([*requests("1"), RequestAcceptanceRow(FIRST_MS, "1")])
    assert walked(by_number(storage), 10) == walked(by_acceptance(storage), 10) == ["1"]


@pytest.mark.parametrize("limit", [0, -1, 1001])
@pytest.mark.parametrize("page", [by_number, by_acceptance])
def test_a_page_has_1_to_1000_requests(page: Order, limit: int) -> None:
    with pytest.raises(UsageError):
        page(queue_of(accepted(1)))(limit, None)


def newest(storage: Storage) -> int:
    return newest_number(storage, Snapshots(storage.audit, StandingClock()))


def without_row(*lives: Life) -> Storage:
    return queue_of(*lives, queue_row=False)


def test_the_newest_request_is_found_from_the_coordination_row() -> None:
    storage, watch = watched(queue_of(*map(processing, range(1, 30))))
    assert newest(storage) == 29
    assert not any(name == "request" for name, _ in watch.pages), "the table was walked"


def test_the_newest_request_is_found_above_a_row_that_lags() -> None:
    storage = without_row(*map(accepted, range(1, 30)))
    storage.bulk.insert([queue_row(path(4))])
    assert newest(storage) == 29


def test_a_row_that_names_a_request_far_above_all_others_is_not_believed() -> None:
    storage = without_row(*map(accepted, range(1, 30)))
    storage.bulk.insert([queue_row(path(10**15))])
    assert newest(storage) == 29


def test_the_newest_request_is_found_from_the_mappings_where_there_is_no_row() -> None:
    storage, watch = watched(without_row(*map(accepted, range(700, 730))))
    assert newest(storage) == 729
    assert not any(name == "request" for name, _ in watch.pages), "the table was walked"


def test_the_newest_request_is_found_by_a_walk_where_nothing_names_one() -> None:
    storage = without_row(accepted(9).legacy(), accepted(10).legacy())
    assert newest(storage) == 10


def test_a_queue_without_requests_has_no_newest_number(storage: Storage) -> None:
    assert newest(storage) == 0
    assert by_number(storage)(10, None).notes == (f"queue '{QUEUE}' has no such request",)
