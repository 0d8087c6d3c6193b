"""The queue's own row: made once, updated by version, its fields independent of each other."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from stovepipe_cli.entities import Queue
from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import NotFound, Storage, VersionMismatch
from tests.contract.samples import Fields, a_queue


def test_a_missing_row_is_not_found(storage: Storage) -> None:
    with pytest.raises(NotFound):
        storage.queues.get()


def test_a_missing_row_is_made_with_version_1_and_nothing_known(storage: Storage) -> None:
    assert storage.queues.get_or_create() == Queue(name=storage.queue, version=1)
    assert storage.queues.get() == Queue(name=storage.queue, version=1)


def test_a_row_that_is_there_is_returned_as_it_is(storage: Storage) -> None:
    storage.queues.get_or_create()
    storage.queues.update(a_queue(storage.queue), old_version=1, new_version=2)
    assert storage.queues.get_or_create() == a_queue(storage.queue, version=2)


def test_an_update_writes_every_field(storage: Storage) -> None:
    storage.queues.get_or_create()
    storage.queues.update(a_queue(storage.queue), old_version=1, new_version=7)
    assert storage.queues.get() == a_queue(storage.queue, version=7)


def test_the_enablement_sequence_is_apart_from_the_version(storage: Storage) -> None:
    storage.queues.get_or_create()
    storage.queues.update(a_queue(storage.queue, enablement_sequence=40), old_version=1, new_version=2)
    assert (storage.queues.get().enablement_sequence, storage.queues.get().version) == (40, 2)


def test_another_version_refuses_an_update_and_changes_nothing(storage: Storage) -> None:
    row = storage.queues.get_or_create()
    with pytest.raises(VersionMismatch):
        storage.queues.update(a_queue(storage.queue), old_version=2, new_version=3)
    assert storage.queues.get() == row


def test_a_missing_row_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.queues.update(a_queue(storage.queue), old_version=1, new_version=2)
    with pytest.raises(NotFound):
        storage.queues.get()


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    row = storage.queues.get_or_create()
    storage.queues.update(row, old_version=1, new_version=1)
    assert storage.queues.get() == row


def test_what_was_returned_stays_as_it_is_after_an_update(storage: Storage) -> None:
    before = storage.queues.get_or_create()
    storage.queues.update(a_queue(storage.queue), old_version=1, new_version=2)
    assert before == Queue(name=storage.queue, version=1)


def test_an_update_leaves_another_queue_alone(storage: Storage, other: Storage) -> None:
    storage.queues.get_or_create()
    row = other.queues.get_or_create()
    storage.queues.update(a_queue(storage.queue), old_version=1, new_version=2)
    assert other.queues.get() == row


def test_the_highest_times_and_sequences_are_stored(storage: Storage) -> None:
    storage.queues.get_or_create()
    highest: Fields = {"build_admission_not_before_ms": MAX_INT64, "enablement_sequence": MAX_INT64}
    storage.queues.update(a_queue(storage.queue, **highest), old_version=1, new_version=2)
    assert storage.queues.get() == a_queue(storage.queue, version=2, **highest)


@pytest.mark.parametrize(
    "fields", [{"in_flight_count": -1}, {"enablement_sequence": -1}, {"last_green_uri": "x" * 256}]
)
def test_an_invalid_update_writes_nothing(storage: Storage, fields: Fields) -> None:
    row = storage.queues.get_or_create()
    with pytest.raises(InvalidEntity):
        storage.queues.update(a_queue(storage.queue, **fields), old_version=1, new_version=2)
    assert storage.queues.get() == row


def test_two_who_make_the_row_at_once_get_the_same(storage: Storage) -> None:
    with ThreadPoolExecutor(2) as pool:
        made = [pool.submit(storage.queues.get_or_create) for _ in range(2)]
    assert [each.result() for each in made] == [Queue(name=storage.queue, version=1)] * 2
