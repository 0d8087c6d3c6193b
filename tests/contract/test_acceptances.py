"""Acceptances: newest first, in half-open windows, paged by exclusive keys."""

import itertools

import pytest

from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, NotFound, Storage
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from tests.contract.paging import walk
from tests.contract.samples import NOON_MS, an_acceptance

# As (milliseconds after noon, request id), in the order of the listing.
LISTING = [
    (9, "10"),
    (5, "🙂"),
    (5, "é"),
    (5, "a "),
    (5, "a"),
    (5, "A"),
    (5, "9"),
    (5, "10"),
    (0, "request/main/2"),
    (0, "request/main/10"),
]


def keep_listing(storage: Storage) -> None:
    storage.acceptances.create_missing(
        [an_acceptance(storage.queue, request_id, NOON_MS + late_ms) for late_ms, request_id in sorted(LISTING)]
    )


def positions(acceptances: tuple[RequestAcceptance, ...] | list[RequestAcceptance]) -> list[tuple[int, str]]:
    return [(each.accepted_at_ms - NOON_MS, each.request_id) for each in acceptances]


def test_a_mapping_is_created_once(storage: Storage) -> None:
    storage.acceptances.create(an_acceptance(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.acceptances.create(an_acceptance(storage.queue))


def test_one_request_may_have_two_times_and_one_time_two_requests(storage: Storage) -> None:
    for request_id, time_ms in (("7", NOON_MS), ("7", NOON_MS + 1), ("8", NOON_MS)):
        storage.acceptances.create(an_acceptance(storage.queue, request_id, time_ms))
        assert storage.acceptances.get(time_ms, request_id) == an_acceptance(storage.queue, request_id, time_ms)


def test_another_time_is_not_found(storage: Storage) -> None:
    storage.acceptances.create(an_acceptance(storage.queue))
    for time_ms in (NOON_MS - 1, NOON_MS + 1):
        with pytest.raises(NotFound):
            storage.acceptances.get(time_ms, "7")


def test_the_listing_descends_by_time_and_then_by_id_byte_for_byte(storage: Storage) -> None:
    keep_listing(storage)
    assert positions(storage.acceptances.list_before(0, NOON_MS * 2, None, 99)) == LISTING


@pytest.mark.parametrize("size", range(1, len(LISTING) + 2))
def test_pages_of_any_size_give_every_mapping_once(storage: Storage, size: int) -> None:
    keep_listing(storage)
    listed = walk(
        lambda before, limit: storage.acceptances.list_before(0, NOON_MS * 2, before, limit),
        lambda each: (each.accepted_at_ms, each.request_id),
        size,
    )
    assert positions(listed) == LISTING


@pytest.mark.parametrize(
    ("before", "following"),
    [
        ((9, "10"), (5, "🙂")),
        ((7, ""), (5, "🙂")),
        ((5, "b"), (5, "a ")),
        ((5, "a\t"), (5, "a")),
        ((5, "a"), (5, "A")),
        ((5, "95"), (5, "9")),
        ((5, ""), (0, "request/main/2")),
        ((0, "request/main/2"), (0, "request/main/10")),
    ],
    ids=str,
)
def test_the_cursor_needs_no_row_and_is_compared_as_bytes(
    storage: Storage, before: tuple[int, str], following: tuple[int, str]
) -> None:
    keep_listing(storage)
    page = storage.acceptances.list_before(0, NOON_MS * 2, (NOON_MS + before[0], before[1]), 1)
    assert positions(page) == [following]


def test_nothing_follows_the_oldest(storage: Storage) -> None:
    keep_listing(storage)
    assert storage.acceptances.list_before(0, NOON_MS * 2, (NOON_MS, "request/main/10"), 9) == ()


def test_a_window_holds_its_first_millisecond_and_not_its_last(storage: Storage) -> None:
    keep_listing(storage)
    listed = positions(storage.acceptances.list_before(NOON_MS, NOON_MS + 5, None, 99))
    assert listed == [position for position in LISTING if position[0] == 0]
    listed = positions(storage.acceptances.list_before(NOON_MS + 5, NOON_MS + 9, None, 99))
    assert listed == [position for position in LISTING if position[0] == 5]


def test_windows_side_by_side_give_every_mapping_once(storage: Storage) -> None:
    keep_listing(storage)
    edges = [NOON_MS + late_ms for late_ms in (10, 6, 5, 4, 0)]
    listed = [
        each
        for end, start in itertools.pairwise(edges)
        for each in storage.acceptances.list_before(start, end, None, 99)
    ]
    assert positions(listed) == LISTING


def test_a_cursor_outside_the_window_does_not_widen_it(storage: Storage) -> None:
    keep_listing(storage)
    listed = storage.acceptances.list_before(NOON_MS, NOON_MS + 5, (NOON_MS + 9, "10"), 99)
    assert positions(listed) == [position for position in LISTING if position[0] == 0]
    assert storage.acceptances.list_before(NOON_MS + 5, NOON_MS + 9, (NOON_MS, "z"), 99) == ()


def test_the_highest_time_is_stored_and_is_the_end_of_every_window(storage: Storage) -> None:
    storage.acceptances.create(an_acceptance(storage.queue, "7", MAX_INT64))
    storage.acceptances.create(an_acceptance(storage.queue, "8", MAX_INT64 - 1))
    assert storage.acceptances.get(MAX_INT64, "7") == an_acceptance(storage.queue, "7", MAX_INT64)
    listed = storage.acceptances.list_before(0, MAX_INT64, None, 9)
    assert listed == (an_acceptance(storage.queue, "8", MAX_INT64 - 1),)


@pytest.mark.parametrize("window", [(-1, 5), (5, 5), (6, 5), (0, 0), (0, MAX_INT64 + 1)], ids=str)
def test_a_window_that_is_negative_or_empty_is_refused_before_any_query(bare: Storage, window: tuple[int, int]) -> None:
    with pytest.raises(InvalidEntity):
        bare.acceptances.list_before(*window, None, 9)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused_before_any_query(bare: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        bare.acceptances.list_before(0, 5, None, limit)


@pytest.mark.parametrize("time_ms", [0, -1, MAX_INT64 + 1])
def test_a_time_that_is_not_positive_or_too_high_is_refused(storage: Storage, time_ms: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.acceptances.create(an_acceptance(storage.queue, "7", time_ms))


def test_create_missing_returns_what_it_created_in_the_order_given(storage: Storage) -> None:
    given = [an_acceptance(storage.queue, request_id) for request_id in ("9", "7", "8")]
    storage.acceptances.create(given[1])
    assert storage.acceptances.create_missing(given) == (given[0], given[2])
    assert positions(storage.acceptances.list_before(0, NOON_MS * 2, None, 9)) == [(0, "9"), (0, "8"), (0, "7")]


def test_create_missing_again_creates_nothing(storage: Storage) -> None:
    given = [an_acceptance(storage.queue, request_id) for request_id in ("7", "8")]
    storage.acceptances.create_missing(given)
    assert storage.acceptances.create_missing(given) == ()


def test_create_missing_of_nothing_creates_nothing(storage: Storage) -> None:
    assert storage.acceptances.create_missing([]) == ()


def test_create_missing_tells_keys_apart_byte_for_byte(storage: Storage) -> None:
    given = [an_acceptance(storage.queue, request_id) for request_id in ("a", "A", "a ", "é", "e")]
    storage.acceptances.create(given[0])
    assert storage.acceptances.create_missing(given) == tuple(given[1:])


def test_a_mapping_that_comes_twice_is_created_once(storage: Storage) -> None:
    given = an_acceptance(storage.queue)
    assert storage.acceptances.create_missing([given, given]) == (given,)


def test_columns_create_what_is_missing_and_return_it(storage: Storage) -> None:
    given = MappingColumns.of(storage.queue, [(NOON_MS + at, name) for at, name in enumerate(("a", "A", "a ", "日"))])
    assert storage.acceptances.create_missing_columns(given) == given
    more = MappingColumns.of(storage.queue, [*given, (NOON_MS, "b")])
    assert [*storage.acceptances.create_missing_columns(more)] == [(NOON_MS, "b")]
    assert [*storage.acceptances.create_missing_columns(more)] == []
    assert len(storage.acceptances.list_before(0, NOON_MS * 2, None, 9)) == 5


def test_a_key_that_comes_twice_in_columns_is_created_once(storage: Storage) -> None:
    given = MappingColumns.of(storage.queue, [(NOON_MS, "7"), (NOON_MS, "7"), (NOON_MS, "8")])
    assert [*storage.acceptances.create_missing_columns(given)] == [(NOON_MS, "7"), (NOON_MS, "8")]


def test_columns_of_another_queue_are_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.acceptances.create_missing_columns(MappingColumns.of("elsewhere", [(NOON_MS, "7")]))


@pytest.mark.parametrize(("request_id", "time_ms"), [("", NOON_MS), ("x" * 1021, NOON_MS), ("8", 0)], ids=str)
def test_one_invalid_mapping_refuses_all_columns(storage: Storage, request_id: str, time_ms: int) -> None:
    given = MappingColumns.of(storage.queue, [(NOON_MS, "7"), (time_ms, request_id)])
    with pytest.raises(InvalidEntity):
        storage.acceptances.create_missing_columns(given)
    with pytest.raises(NotFound):
        storage.acceptances.get(NOON_MS, "7")


@pytest.mark.parametrize(("request_id", "time_ms"), [("", NOON_MS), ("x" * 1021, NOON_MS), ("8", 0)], ids=str)
def test_one_invalid_mapping_refuses_the_whole_batch(storage: Storage, request_id: str, time_ms: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.acceptances.create_missing(
            [an_acceptance(storage.queue), an_acceptance(storage.queue, request_id, time_ms)]
        )
    with pytest.raises(NotFound):
        storage.acceptances.get(NOON_MS, "7")


def test_a_batch_of_many_is_created_and_listed(storage: Storage) -> None:
    given = [an_acceptance(storage.queue, str(number), NOON_MS + number) for number in range(1200)]
    storage.acceptances.create_missing(given[::3])
    created = storage.acceptances.create_missing(given)
    assert created == tuple(each for number, each in enumerate(given) if number % 3)
    assert len(storage.acceptances.list_before(0, NOON_MS * 2, None, 5000)) == 1200
