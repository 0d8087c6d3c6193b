"""The queue's log of enablement and the read model projected from it: three numbers that are never one another."""

import pytest

from stovepipe_cli.entities import QueueLog
from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, NotFound, Storage, VersionMismatch
from tests.contract.paging import walk
from tests.contract.samples import NOON_MS, a_queue_summary, an_occurrence


def test_an_occurrence_is_kept_once(storage: Storage) -> None:
    storage.queue_log.create(an_occurrence(storage.queue, metadata={"by": "operator"}))
    with pytest.raises(AlreadyExists):
        storage.queue_log.create(an_occurrence(storage.queue, state="disabled"))
    assert storage.queue_log.get("enablement/1") == an_occurrence(storage.queue, metadata={"by": "operator"})


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
    other.queue_summaries.create(a_queue_summary(other.queue))
    assert storage.queue_log.list_after(0, 5) == ()
    with pytest.raises(NotFound):
        storage.queue_summaries.get()


@pytest.mark.parametrize("log_id", ["enablement/2", "enablement/01", "1"])
def test_the_identity_carries_the_sequence(storage: Storage, log_id: str) -> None:
    with pytest.raises(InvalidEntity):
        storage.queue_log.create(QueueLog(storage.queue, log_id, 1, "enabled", NOON_MS))


@pytest.mark.parametrize("sequence", [0, -1, 2**63])
def test_a_sequence_that_is_none_is_refused(storage: Storage, sequence: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.queue_log.create(an_occurrence(storage.queue, sequence))
    with pytest.raises(InvalidEntity):
        storage.queue_summaries.create(a_queue_summary(storage.queue, sequence=sequence))


@pytest.mark.parametrize("number", [0, -1, 2**31])
def test_versions_that_are_none_are_refused(storage: Storage, number: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.queue_summaries.create(a_queue_summary(storage.queue, projection_version=number))
    with pytest.raises(InvalidEntity):
        storage.queue_summaries.create(a_queue_summary(storage.queue, version=number))


def test_any_state_of_up_to_64_characters_is_kept(storage: Storage) -> None:
    for sequence, state in enumerate(("enabled", "é" * 64, "a state of tomorrow"), start=1):
        storage.queue_log.create(an_occurrence(storage.queue, sequence, state))
        assert storage.queue_log.get(f"enablement/{sequence}").state == state


def test_no_state_is_refused(storage: Storage) -> None:
    with pytest.raises(InvalidEntity):
        storage.queue_log.create(an_occurrence(storage.queue, state=""))
    with pytest.raises(InvalidEntity):
        storage.queue_summaries.create(a_queue_summary(storage.queue, state=""))


def test_a_state_beyond_64_characters_is_refused_and_not_truncated(storage: Storage) -> None:
    with pytest.raises(IdentifierTooLong):
        storage.queue_log.create(an_occurrence(storage.queue, state="s" * 65))
    with pytest.raises(IdentifierTooLong):
        storage.queue_summaries.create(a_queue_summary(storage.queue, state="s" * 65))
    assert storage.queue_log.list_after(0, 5) == ()


def test_metadata_comes_back_as_it_was(storage: Storage) -> None:
    said = {"by": "o'clock", "why": 'it "is" 50%', "é": "🙂", "empty": ""}
    storage.queue_log.create(an_occurrence(storage.queue, metadata=said))
    assert storage.queue_log.get("enablement/1").metadata == said


def test_foreign_occurrences_and_summaries_are_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.queue_log.create(an_occurrence("elsewhere"))
    with pytest.raises(ForeignQueue):
        storage.queue_summaries.create(a_queue_summary("elsewhere"))


def test_a_queue_has_one_summary(storage: Storage) -> None:
    storage.queue_summaries.create(a_queue_summary(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.queue_summaries.create(a_queue_summary(storage.queue, sequence=10))
    assert storage.queue_summaries.get() == a_queue_summary(storage.queue)


def test_the_three_numbers_move_apart(storage: Storage) -> None:
    storage.queue_summaries.create(a_queue_summary(storage.queue))
    changed = a_queue_summary(storage.queue, projection_version=6, sequence=12)
    storage.queue_summaries.update(changed, old_version=1, new_version=4)
    stored = storage.queue_summaries.get()
    assert (stored.enablement_sequence, stored.projection_version, stored.version) == (12, 6, 4)


def test_an_update_of_another_version_changes_nothing(storage: Storage) -> None:
    storage.queue_summaries.create(a_queue_summary(storage.queue))
    with pytest.raises(VersionMismatch):
        storage.queue_summaries.update(a_queue_summary(storage.queue, sequence=12), old_version=2, new_version=3)
    assert storage.queue_summaries.get() == a_queue_summary(storage.queue)


def test_an_update_of_nothing_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.queue_summaries.update(a_queue_summary(storage.queue), old_version=1, new_version=2)


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    storage.queue_summaries.create(a_queue_summary(storage.queue))
    storage.queue_summaries.update(a_queue_summary(storage.queue), old_version=1, new_version=1)
    assert storage.queue_summaries.get() == a_queue_summary(storage.queue)
