"""History: append-only, in the order of time and id, with metadata as it was written."""

import json

import pytest

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage
from stovepipe_cli.storage.contract.rows import RequestLogRow
from tests.contract.paging import walk
from tests.contract.samples import NOON_MS, Fields, a_log

# As (milliseconds after noon, id), in the order of the history.
HISTORY = [
    (0, "state/1"),
    (5, "build/b"),
    (5, "build/b2"),
    (5, "state/10"),
    (5, "state/2"),
    (5, "é"),
    (5, "🙂"),
    (6, "a"),
]


def keep_history(storage: Storage) -> None:
    for late_ms, log_id in reversed(HISTORY):
        storage.request_log.create(a_log(storage.queue, "7", log_id, timestamp_ms=NOON_MS + late_ms))
    storage.request_log.create(a_log(storage.queue, "70", "state/1"))


def positions(entries: tuple[RequestLog, ...] | list[RequestLog]) -> list[tuple[int, str]]:
    return [(entry.timestamp_ms - NOON_MS, entry.id) for entry in entries]


def test_every_field_of_a_state_is_read_back(storage: Storage) -> None:
    entry = a_log(
        storage.queue,
        timestamp_ms=MAX_INT64,
        state="failed",
        request_version=3,
        outcome_reason="build_failed",
        metadata={"base_uri": "git://base"},
    )
    storage.request_log.create(entry)
    assert storage.request_log.get("7", "state/1") == entry


def test_every_field_of_an_event_is_read_back(storage: Storage) -> None:
    entry = a_log(storage.queue, "7", "build/b7", state="", event="build_triggered", request_version=0)
    storage.request_log.create(entry)
    assert storage.request_log.get("7", "build/b7") == entry


def test_a_second_creation_leaves_the_first_entry_as_it_is(storage: Storage) -> None:
    storage.request_log.create(a_log(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.request_log.create(a_log(storage.queue, timestamp_ms=NOON_MS + 1, metadata={"late": "yes"}))
    assert storage.request_log.get("7", "state/1") == a_log(storage.queue)


def test_one_id_may_stand_in_the_history_of_two_requests(storage: Storage) -> None:
    storage.request_log.create(a_log(storage.queue, "7"))
    storage.request_log.create(a_log(storage.queue, "8"))
    assert storage.request_log.list("7") == (a_log(storage.queue, "7"),)


def test_a_request_without_history_has_an_empty_list(storage: Storage) -> None:
    assert storage.request_log.list("7") == ()


def test_a_history_is_in_order_of_time_and_then_of_id_byte_for_byte(storage: Storage) -> None:
    keep_history(storage)
    assert positions(storage.request_log.list("7")) == HISTORY


def test_a_new_entry_is_listed_at_once_at_its_place(storage: Storage) -> None:
    keep_history(storage)
    storage.request_log.create(a_log(storage.queue, "7", "between", timestamp_ms=NOON_MS + 3))
    assert positions(storage.request_log.list("7"))[:3] == [(0, "state/1"), (3, "between"), (5, "build/b")]


@pytest.mark.parametrize("size", range(1, len(HISTORY) + 2))
def test_pages_of_any_size_give_every_entry_once(storage: Storage, size: int) -> None:
    keep_history(storage)
    listed = walk(
        lambda after, limit: storage.request_log.list_after("7", after, limit),
        lambda entry: (entry.timestamp_ms, entry.id),
        size,
    )
    assert positions(listed) == HISTORY


@pytest.mark.parametrize(
    ("after", "following"),
    [
        ((0, ""), (0, "state/1")),
        ((3, "zzz"), (5, "build/b")),
        ((5, ""), (5, "build/b")),
        ((5, "Build/b"), (5, "build/b")),
        ((5, "build/b "), (5, "build/b2")),
        ((5, "e"), (5, "state/10")),
        ((5, "state/2"), (5, "é")),
        ((5, "🙂"), (6, "a")),
    ],
    ids=str,
)
def test_the_cursor_needs_no_row_and_is_compared_as_bytes(
    storage: Storage, after: tuple[int, str], following: tuple[int, str]
) -> None:
    keep_history(storage)
    page = storage.request_log.list_after("7", (NOON_MS + after[0], after[1]), 1)
    assert positions(page) == [following]


def test_nothing_follows_the_last_entry(storage: Storage) -> None:
    keep_history(storage)
    assert storage.request_log.list_after("7", (NOON_MS + 6, "a"), 9) == ()


def test_the_history_of_a_request_that_differs_in_case_is_left_out(storage: Storage) -> None:
    storage.request_log.create(a_log(storage.queue, "main", "state/1"))
    storage.request_log.create(a_log(storage.queue, "Main", "state/2"))
    assert positions(storage.request_log.list("main")) == [(0, "state/1")]
    assert positions(storage.request_log.list_after("Main", None, 9)) == [(0, "state/2")]
    assert storage.request_log.list("MAIN") == ()


def test_many_entries_of_one_millisecond_are_paged_without_loss(storage: Storage) -> None:
    ids = [f"issue/{number:04}" for number in range(1500)]
    storage.bulk.insert(
        [RequestLogRow("7", log_id, NOON_MS, "", "issues_reconciled", 0, "", "{}") for log_id in reversed(ids)]
    )
    first = storage.request_log.list_after("7", None, 1000)
    second = storage.request_log.list_after("7", (NOON_MS, first[-1].id), 1000)
    assert [entry.id for entry in first + second] == ids
    assert [entry.id for entry in storage.request_log.list("7")] == ids


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused_before_any_query(bare: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        bare.request_log.list_after("7", None, limit)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"": ""},
        {"base_uri": "git://code/main/0a1b"},
        {"quote": 'o\'clock "hi" back\\slash', "50%": "a_b"},
        {"é": "🙂", "newline": "a\nb\tc\u2028d"},
        {"z": "1", "a": "2", "Z": "3", "A": "4"},
        {"long": "x" * 70_000},
    ],
    ids=["none", "empty", "plain", "quoting", "unicode", "order", "long"],
)
def test_metadata_is_read_back_as_it_was_written(storage: Storage, metadata: dict[str, str]) -> None:
    storage.request_log.create(a_log(storage.queue, metadata=metadata))
    assert dict(storage.request_log.get("7", "state/1").metadata) == metadata


def test_metadata_is_taken_when_the_entry_is_made(storage: Storage) -> None:
    metadata = {"build_id": "b7"}
    entry = a_log(storage.queue, metadata=metadata)
    storage.request_log.create(entry)
    metadata["build_id"] = "b8"
    assert dict(storage.request_log.get("7", "state/1").metadata) == {"build_id": "b7"}


@pytest.mark.parametrize("text", ["null", "{}", " { } "])
def test_null_and_an_empty_object_are_no_metadata(storage: Storage, text: str) -> None:
    storage.bulk.insert([RequestLogRow("7", "state/1", NOON_MS, "accepted", "", 1, "", text)])
    assert storage.request_log.get("7", "state/1") == a_log(storage.queue)


@pytest.mark.parametrize("text", ["[]", '["a"]', '"a"', "7", "true", '{"a": 1}', '{"a": null}', '{"a": {"b": "c"}}'])
def test_metadata_that_is_no_object_of_strings_is_shown_and_not_written(storage: Storage, text: str) -> None:
    storage.bulk.insert([RequestLogRow("7", "state/1", NOON_MS, "accepted", "", 1, "", text)])
    (entry,) = storage.request_log.list("7")
    assert entry.metadata == {}
    assert json.loads(entry.malformed_metadata) == json.loads(text)
    with pytest.raises(InvalidEntity):
        storage.request_log.create(RequestLog(storage.queue, "8", "state/1", NOON_MS, malformed_metadata=text))


@pytest.mark.parametrize(
    "fields",
    [
        {"timestamp_ms": 0},
        {"state": ""},
        {"event": "build_triggered"},
        {"state": "succeeded"},
        {"outcome_reason": "build_failed"},
        {"request_version": 0},
        {"state": "", "event": "promotion_failed", "request_version": 0},
    ],
    ids=str,
)
def test_an_invalid_entry_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.request_log.create(a_log(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.request_log.get("7", "state/1")


def test_an_entry_of_a_newer_service_can_be_read(storage: Storage) -> None:
    storage.bulk.insert([RequestLogRow("7", "x", -5, "", "brand_new_event", 9, "odd", '{"k": "v"}')])
    assert storage.request_log.list("7") == (
        RequestLog(storage.queue, "7", "x", -5, "", "brand_new_event", 9, "odd", {"k": "v"}),
    )


def test_a_list_stays_as_it_is_after_a_later_creation(storage: Storage) -> None:
    storage.request_log.create(a_log(storage.queue))
    before = storage.request_log.list("7")
    storage.request_log.create(a_log(storage.queue, "7", "state/2"))
    assert before == (a_log(storage.queue),)
