"""Requests: create, get, and updates that compare one version and write another."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities.limits import MAX_INT32
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, VersionMismatch
from stovepipe_cli.storage.contract.rows import RequestRow
from tests.contract.samples import URI, Fields, a_request

FULL: Fields = {
    "uri": "git://code/main/other",
    "state": "processing",
    "build_strategy": "incremental_since_green",
    "base_uri": "git://code/main/base",
    "terminal_build_id": "b7",
}


def test_every_field_is_read_back(storage: Storage) -> None:
    request = a_request(storage.queue, version=4, **FULL)
    storage.requests.create(request)
    assert storage.requests.get("7") == request


def test_an_update_writes_every_field_but_the_key(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue))
    storage.requests.update(a_request(storage.queue, **FULL), old_version=1, new_version=2)
    assert storage.requests.get("7") == a_request(storage.queue, version=2, **FULL)


def test_an_update_can_clear_fields(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue, **FULL))
    storage.requests.update(a_request(storage.queue), old_version=1, new_version=2)
    assert storage.requests.get("7") == a_request(storage.queue, version=2)


def test_the_new_version_is_written_as_given(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue, version=3))
    storage.requests.update(a_request(storage.queue), old_version=3, new_version=9)
    assert storage.requests.get("7").version == 9


def test_the_entitys_own_version_is_not_read(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue))
    storage.requests.update(a_request(storage.queue, version=50), old_version=1, new_version=2)
    assert storage.requests.get("7").version == 2


def test_another_version_refuses_an_update_and_changes_nothing(storage: Storage) -> None:
    request = a_request(storage.queue, version=3)
    storage.requests.create(request)
    for old_version in (2, 4):
        with pytest.raises(VersionMismatch):
            storage.requests.update(replace(request, state="failed"), old_version=old_version, new_version=5)
    assert storage.requests.get("7") == request


def test_a_version_mismatch_may_be_tried_again() -> None:
    assert VersionMismatch.retryable


def test_a_missing_row_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.requests.update(a_request(storage.queue), old_version=1, new_version=2)
    with pytest.raises(NotFound):
        storage.requests.get("7")


def test_an_update_of_a_key_that_differs_in_case_is_a_version_mismatch(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue, "main"))
    with pytest.raises(VersionMismatch):
        storage.requests.update(a_request(storage.queue, "Main", state="failed"), old_version=1, new_version=2)
    assert storage.requests.get("main") == a_request(storage.queue, "main")


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    request = a_request(storage.queue)
    storage.requests.create(request)
    storage.requests.update(request, old_version=1, new_version=1)
    assert storage.requests.get("7") == request


def test_an_update_leaves_other_rows_alone(storage: Storage, other: Storage) -> None:
    for each in (storage, other):
        each.requests.create(a_request(each.queue))
    storage.requests.create(a_request(storage.queue, "8"))
    storage.requests.update(a_request(storage.queue, state="failed"), old_version=1, new_version=2)
    assert storage.requests.get("8") == a_request(storage.queue, "8")
    assert other.requests.get("7") == a_request(other.queue)


def test_a_second_creation_leaves_the_first_row_as_it_is(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.requests.create(a_request(storage.queue, state="failed", version=9))
    assert storage.requests.get("7") == a_request(storage.queue)


def test_what_was_returned_stays_as_it_is_after_an_update(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue))
    before = storage.requests.get("7")
    storage.requests.update(a_request(storage.queue, state="failed"), old_version=1, new_version=2)
    assert before == a_request(storage.queue)


@pytest.mark.parametrize("fields", [{"state": "recorded_green"}, {"build_strategy": "half"}, {"version": 0}], ids=str)
def test_an_invalid_request_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.requests.create(a_request(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.requests.get("7")


def test_an_invalid_update_writes_nothing(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue))
    with pytest.raises(InvalidEntity):
        storage.requests.update(a_request(storage.queue, state="done"), old_version=1, new_version=2)
    with pytest.raises(InvalidEntity):
        storage.requests.update(a_request(storage.queue), old_version=1, new_version=MAX_INT32 + 1)
    assert storage.requests.get("7") == a_request(storage.queue)


def test_the_highest_version_is_stored(storage: Storage) -> None:
    storage.requests.create(a_request(storage.queue, version=MAX_INT32 - 1))
    storage.requests.update(a_request(storage.queue), old_version=MAX_INT32 - 1, new_version=MAX_INT32)
    assert storage.requests.get("7").version == MAX_INT32


@pytest.mark.parametrize("text", ["o'clock", 'say "hi"', "50% a_b", "back\\slash", "🙂é", "end ", "x" * 255], ids=str)
def test_any_text_is_stored_in_a_field_as_it_is(storage: Storage, text: str) -> None:
    request = a_request(storage.queue, uri=text, base_uri=text, terminal_build_id=text)
    storage.requests.create(request)
    assert storage.requests.get("7") == request


def test_a_field_over_its_limit_is_refused(storage: Storage) -> None:
    with pytest.raises(InvalidEntity):
        storage.requests.create(a_request(storage.queue, base_uri="x" * 256))


def test_a_row_that_is_not_valid_can_be_read(storage: Storage) -> None:
    storage.bulk.insert([RequestRow("7", URI, "recorded_green", "newer", "", 0, "")])
    request = storage.requests.get("7")
    assert (request.state, request.build_strategy, request.version) == ("recorded_green", "newer", 0)
