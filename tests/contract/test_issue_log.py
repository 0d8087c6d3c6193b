"""Transitions of issues: create-only, the first timestamp stays, one issue's are listed together."""

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, NotFound, Storage
from tests.contract.paging import walk
from tests.contract.samples import NOON_MS, a_transition


def test_the_first_timestamp_stays(storage: Storage) -> None:
    storage.issue_log.create(a_transition(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.issue_log.create(a_transition(storage.queue, timestamp_ms=NOON_MS + 1))
    assert storage.issue_log.get("//app:test", "", "b7", "opened").timestamp_ms == NOON_MS


def test_opened_and_resolved_by_one_build_are_two_transitions(storage: Storage) -> None:
    for event in ("opened", "resolved"):
        storage.issue_log.create(a_transition(storage.queue, event=event))
    listed = storage.issue_log.list_after("//app:test", "", None, 5)
    assert [entry.event for entry in listed] == ["opened", "resolved"]


@pytest.mark.parametrize("key", [("//APP:test", "", "b7", "opened"), ("//app:test", "", "b7", "resolved")])
def test_another_key_is_not_found(storage: Storage, key: tuple[str, str, str, str]) -> None:
    storage.issue_log.create(a_transition(storage.queue))
    with pytest.raises(NotFound):
        storage.issue_log.get(*key)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
def test_the_transitions_of_one_issue_page_by_build_and_event(storage: Storage, size: int) -> None:
    builds = ["B", "b", "b ", "b1", "b10", "b2", "é", "b\udcff"]
    for build_id in builds:
        for event in ("resolved", "opened"):
            storage.issue_log.create(a_transition(storage.queue, build_id, event))
    storage.issue_log.create(a_transition(storage.queue, unit_id="unit"))
    listed = walk(
        lambda after, limit: storage.issue_log.list_after("//app:test", "", after, limit),
        lambda entry: (entry.build_id, entry.event),
        size,
    )
    keys = [(entry.build_id, entry.event) for entry in listed]
    ordered = sorted(builds, key=lambda name: name.encode("utf-8", "surrogateescape"))
    assert keys == [(build_id, event) for build_id in ordered for event in ("opened", "resolved")]


def test_an_issue_without_transitions_is_an_empty_page(storage: Storage) -> None:
    assert storage.issue_log.list_after("//app:test", "", None, 5) == ()


def test_another_queue_is_invisible(storage: Storage, other: Storage) -> None:
    other.issue_log.create(a_transition(other.queue))
    assert storage.issue_log.list_after("//app:test", "", None, 5) == ()


@pytest.mark.parametrize(("event", "timestamp_ms"), [("closed", NOON_MS), ("", NOON_MS), ("opened", 0), ("opened", -1)])
def test_an_unknown_event_and_a_time_that_is_none_are_refused(storage: Storage, event: str, timestamp_ms: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.issue_log.create(a_transition(storage.queue, event=event, timestamp_ms=timestamp_ms))


def test_a_build_id_beyond_its_bytes_is_refused(storage: Storage) -> None:
    with pytest.raises(IdentifierTooLong):
        storage.issue_log.create(a_transition(storage.queue, "b" * 1021))


def test_a_transition_of_another_queue_is_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.issue_log.create(a_transition("elsewhere"))
