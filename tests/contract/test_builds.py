"""Builds: only the status and the version ever change."""

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, VersionMismatch
from tests.contract.samples import Fields, a_build


def test_an_update_writes_the_status_and_the_version(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue))
    storage.builds.update(a_build(storage.queue, status="running"), old_version=1, new_version=5)
    assert storage.builds.get("b7") == a_build(storage.queue, status="running", version=5)


def test_an_update_leaves_the_request_as_it_is(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue))
    storage.builds.update(a_build(storage.queue, request_id="99", status="failed"), old_version=1, new_version=2)
    assert storage.builds.get("b7").request_id == "7"


def test_another_version_refuses_an_update_and_changes_nothing(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue, version=2))
    with pytest.raises(VersionMismatch):
        storage.builds.update(a_build(storage.queue, status="failed"), old_version=1, new_version=3)
    assert storage.builds.get("b7") == a_build(storage.queue, version=2)


def test_a_missing_row_is_a_version_mismatch(storage: Storage) -> None:
    with pytest.raises(VersionMismatch):
        storage.builds.update(a_build(storage.queue), old_version=1, new_version=2)


def test_an_update_of_a_key_with_a_trailing_space_is_a_version_mismatch(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue))
    with pytest.raises(VersionMismatch):
        storage.builds.update(a_build(storage.queue, "b7 ", status="failed"), old_version=1, new_version=2)
    assert storage.builds.get("b7") == a_build(storage.queue)


def test_an_update_that_changes_no_value_succeeds(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue))
    storage.builds.update(a_build(storage.queue), old_version=1, new_version=1)
    assert storage.builds.get("b7") == a_build(storage.queue)


def test_which_status_may_follow_is_the_callers_rule(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue, status="succeeded"))
    storage.builds.update(a_build(storage.queue, status="running"), old_version=1, new_version=2)
    assert storage.builds.get("b7").status == "running"


def test_a_second_creation_leaves_the_first_row_as_it_is(storage: Storage) -> None:
    storage.builds.create(a_build(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.builds.create(a_build(storage.queue, request_id="8"))
    assert storage.builds.get("b7") == a_build(storage.queue)


@pytest.mark.parametrize("fields", [{"status": "done"}, {"request_id": ""}, {"version": 0}], ids=str)
def test_an_invalid_build_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.builds.create(a_build(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.builds.get("b7")
