"""Summaries: a projection with a version of its own."""

import pytest

from stovepipe_cli.entities.limits import MAX_INT32, MAX_INT64
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, VersionMismatch
from stovepipe_cli.storage.contract.tables import REQUEST_SUMMARY
from tests.contract.samples import URI, Fields, a_summary

EARLY: Fields = {
    "base_uri": "",
    "state": "accepted",
    "request_version": 1,
    "accepted_at_ms": 0,
    "outcome_reason": "",
    "project_results_completed_at_ms": 0,
    "project_fact_count": 0,
    "broken_project_fact_count": 0,
}


def test_every_field_is_read_back(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue))
    assert storage.summaries.get("7") == a_summary(storage.queue)


def test_an_update_writes_every_field_but_key_and_uri(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue, **EARLY))
    storage.summaries.update(a_summary(storage.queue, uri="git://other"), old_version=1, new_version=2)
    assert storage.summaries.get("7") == a_summary(storage.queue, uri=URI, version=2)


def test_an_update_can_clear_fields(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue))
    storage.summaries.update(a_summary(storage.queue, **EARLY), old_version=1, new_version=2)
    assert storage.summaries.get("7") == a_summary(storage.queue, version=2, **EARLY)


def test_its_version_is_apart_from_the_requests(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue, version=1, request_version=3))
    storage.summaries.update(a_summary(storage.queue, request_version=4), old_version=1, new_version=8)
    summary = storage.summaries.get("7")
    assert (summary.version, summary.request_version) == (8, 4)


def test_another_version_refuses_an_update_and_changes_nothing(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue, version=3))
    for old_version in (2, 4):
        with pytest.raises(VersionMismatch):
            storage.summaries.update(a_summary(storage.queue, **EARLY), old_version=old_version, new_version=5)
    assert storage.summaries.get("7") == a_summary(storage.queue, version=3)


def test_a_missing_row_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.summaries.update(a_summary(storage.queue), old_version=1, new_version=2)
    with pytest.raises(NotFound):
        storage.summaries.get("7")


def test_an_update_of_a_key_that_differs_in_case_is_a_version_mismatch(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue, "main"))
    with pytest.raises(VersionMismatch):
        storage.summaries.update(a_summary(storage.queue, "Main", **EARLY), old_version=1, new_version=2)
    assert storage.summaries.get("main") == a_summary(storage.queue, "main")


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue))
    storage.summaries.update(a_summary(storage.queue), old_version=1, new_version=1)
    assert storage.summaries.get("7") == a_summary(storage.queue)


def test_a_second_creation_leaves_the_first_row_as_it_is(storage: Storage) -> None:
    storage.summaries.create(a_summary(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.summaries.create(a_summary(storage.queue, **EARLY))
    assert storage.summaries.get("7") == a_summary(storage.queue)


def test_the_highest_numbers_are_stored(storage: Storage) -> None:
    highest: Fields = {
        "state_timestamp_ms": MAX_INT64,
        "accepted_at_ms": MAX_INT64,
        "project_results_completed_at_ms": MAX_INT64,
        "request_version": MAX_INT32,
        "version": MAX_INT32,
        "project_fact_count": MAX_INT32,
        "broken_project_fact_count": MAX_INT32,
    }
    storage.summaries.create(a_summary(storage.queue, **highest))
    assert storage.summaries.get("7") == a_summary(storage.queue, **highest)


def test_every_field_of_the_newest_table_is_retained(storage: Storage) -> None:
    assert all(storage.summaries.retains(column.name) for column in REQUEST_SUMMARY.columns)


def test_a_field_that_no_summary_has_is_not_retained(storage: Storage) -> None:
    assert not storage.summaries.retains("colour")


@pytest.mark.parametrize("fields", [{"state": "done"}, {"uri": ""}, {"version": 0}, {"accepted_at_ms": -1}], ids=str)
def test_an_invalid_summary_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.summaries.create(a_summary(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.summaries.get("7")
