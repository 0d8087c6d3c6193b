"""The queue's log of enablement and the read model projected from it: three numbers that are never one another."""

import pytest

from stovepipe_cli.entities import QueueLog, QueueSummary
from stovepipe_cli.entities.queue_log import queue_log_id
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, NotFound, Storage, VersionMismatch
from tests.contract.paging import walk
from tests.contract.samples import NOON_MS


def an_occurrence(queue: str, sequence: int = 1, state: str = "enabled", **metadata: str) -> QueueLog:
    return QueueLog(queue, queue_log_id(sequence), sequence, state, NOON_MS + sequence, metadata)


def a_summary(queue: str, *, version: int = 1, projection_version: int = 5, sequence: int = 9) -> QueueSummary:
    return QueueSummary(queue, "enabled", sequence, NOON_MS, projection_version, version)


def test_an_occurrence_is_kept_once(storage: Storage) -> None:
    storage.queue_log.create(an_occurrence(storage.queue, by="operator"))
    with pytest.raises(AlreadyExists):
        storage.queue_log.create(an_occurrence(storage.queue, state="disabled"))
    assert storage.queue_log.get("enablement/1") == an_occurrence(storage.queue, by="operator")


def test_an_occurrence_that_is_not_there_is_not_found(storage: Storage) -> None:
    with pytest.raises(NotFound):
        storage.queue_log.get("enablement/1")


@pytest.mark.parametrize("size", [1, 2, 5, 11, 50])
def test_occurrences_page_by_number_and_not_by_text(storage: Storage, size: int) -> None:
    sequences = [1, 2, 3, 9, 10, 11, 99, 100, 2**40]
    for sequence in reversed(sequences):
        storage.queue_log.create(an_occurrence(storage.queue, sequence))
    listed = walk(
        lambda after, limit: storage.queue_log.list_after(after or 0, limit), lambda entry: entry.sequence, size
    )
    assert [entry.sequence for entry in listed] == sequences


def test_another_queue_is_invisible(storage: Storage, other: Storage) -> None:
    other.queue_log.create(an_occurrence(other.queue))
    other.queue_summaries.create(a_summary(other.queue))
    assert storage.queue_log.list_after(0, 5) == ()
    with pytest.raises(NotFound):
        storage.queue_summaries.get()


@pytest.mark.parametrize("log_id", ["enablement/2", "enablement/01", "1"])
def test_the_identity_carries_the_sequence(storage: Storage, log_id: str) -> None:
    with pytest.raises(InvalidEntity):
        storage.queue_log.create(QueueLog(storage.queue, log_id, 1, "enabled", NOON_MS))


def test_foreign_occurrences_and_summaries_are_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.queue_log.create(an_occurrence("elsewhere"))
    with pytest.raises(ForeignQueue):
        storage.queue_summaries.create(a_summary("elsewhere"))


def test_a_queue_has_one_summary(storage: Storage) -> None:
    storage.queue_summaries.create(a_summary(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.queue_summaries.create(a_summary(storage.queue, sequence=10))
    assert storage.queue_summaries.get() == a_summary(storage.queue)


def test_the_three_numbers_move_apart(storage: Storage) -> None:
    storage.queue_summaries.create(a_summary(storage.queue))
    changed = a_summary(storage.queue, projection_version=6, sequence=12)
    storage.queue_summaries.update(changed, old_version=1, new_version=4)
    stored = storage.queue_summaries.get()
    assert (stored.enablement_sequence, stored.projection_version, stored.version) == (12, 6, 4)


def test_an_update_of_another_version_changes_nothing(storage: Storage) -> None:
    storage.queue_summaries.create(a_summary(storage.queue))
    with pytest.raises(VersionMismatch):
        storage.queue_summaries.update(a_summary(storage.queue, sequence=12), old_version=2, new_version=3)
    assert storage.queue_summaries.get() == a_summary(storage.queue)


def test_an_update_of_nothing_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.queue_summaries.update(a_summary(storage.queue), old_version=1, new_version=2)


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    storage.queue_summaries.create(a_summary(storage.queue))
    storage.queue_summaries.update(a_summary(storage.queue), old_version=1, new_version=1)
    assert storage.queue_summaries.get() == a_summary(storage.queue)
