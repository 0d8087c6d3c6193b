"""Observations of issues in builds: immutable, one page a build in byte order of task and unit."""

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, NotFound, Storage
from tests.contract.paging import walk
from tests.contract.samples import an_observation

# In the order of the listing; no two are one.
OBSERVED = [
    ("%", ""),
    ("'--", "\\"),
    ("A", ""),
    ("A ", "x"),
    ("Task", ""),
    ("Task", "\udcff"),
    ("a", ""),
    ("task", ""),
    ("task", "unit"),
    ("task", "unit "),
    ("task", "u" * 1024),
    ("t\udcff", ""),
    ("é", ""),
    ("🙂", "🙂" * 256),
]


def observe(storage: Storage, build_id: str = "b7") -> None:
    for task_id, unit_id in sorted(OBSERVED, key=lambda each: an_observation("q", "b", *each).order, reverse=True):
        storage.build_issues.create(an_observation(storage.queue, build_id, task_id, unit_id))


def test_an_observation_is_kept_once(storage: Storage) -> None:
    storage.build_issues.create(an_observation(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.build_issues.create(an_observation(storage.queue))
    assert storage.build_issues.get("b7", "//app:test", "") == an_observation(storage.queue)


@pytest.mark.parametrize("key", [("B7", "//app:test", ""), ("b7", "//app:test ", ""), ("b7", "//app:test", "u")])
def test_another_key_is_not_found(storage: Storage, key: tuple[str, str, str]) -> None:
    storage.build_issues.create(an_observation(storage.queue))
    with pytest.raises(NotFound):
        storage.build_issues.get(*key)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 13, 14, 15, 100])
def test_a_build_pages_in_byte_order_of_task_and_unit(storage: Storage, size: int) -> None:
    observe(storage)
    storage.build_issues.create(an_observation(storage.queue, "b6"))
    storage.build_issues.create(an_observation(storage.queue, "b7 "))
    listed = walk(
        lambda after, limit: storage.build_issues.list_after("b7", after, limit),
        lambda issue: (issue.task_id, issue.unit_id),
        size,
    )
    assert listed == sorted(listed, key=lambda issue: issue.order)
    assert {(issue.task_id, issue.unit_id) for issue in listed} == set(OBSERVED)
    assert len(listed) == len(OBSERVED)


def test_a_page_goes_on_behind_a_key_that_is_not_there(storage: Storage) -> None:
    observe(storage)
    listed = storage.build_issues.list_after("b7", ("task", "unis"), 2)
    assert [issue.unit_id for issue in listed] == ["unit", "unit "]


def test_a_build_without_observations_is_an_empty_page(storage: Storage) -> None:
    assert storage.build_issues.list_after("b7", None, 5) == ()


def test_another_queue_is_invisible(storage: Storage, other: Storage) -> None:
    observe(other)
    assert storage.build_issues.list_after("b7", None, 50) == ()


def test_a_cursor_of_a_unit_without_a_task_is_refused(storage: Storage) -> None:
    with pytest.raises(InvalidEntity):
        storage.build_issues.list_after("b7", ("", "unit"), 5)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_of_nothing_is_refused(storage: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.build_issues.list_after("b7", None, limit)


def test_an_observation_of_another_queue_is_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.build_issues.create(an_observation("elsewhere"))


@pytest.mark.parametrize(
    ("build_id", "task_id", "unit_id"),
    [("b" * 1021, "t", ""), ("b", "é" * 128, ""), ("b", "t", "u" * 1025), ("🙂" * 256, "t", "")],
)
def test_identifiers_beyond_their_bytes_are_refused(
    storage: Storage, build_id: str, task_id: str, unit_id: str
) -> None:
    with pytest.raises(IdentifierTooLong):
        storage.build_issues.create(an_observation(storage.queue, build_id, task_id, unit_id))


@pytest.mark.parametrize(("build_id", "task_id"), [("", "t"), ("b", "")])
def test_a_build_and_a_task_have_names(storage: Storage, build_id: str, task_id: str) -> None:
    with pytest.raises(InvalidEntity):
        storage.build_issues.create(an_observation(storage.queue, build_id, task_id))


def test_the_longest_identifiers_are_kept_whole(storage: Storage) -> None:
    longest = an_observation(storage.queue, "b" * 1020, "t" * 255, "u" * 1024)
    storage.build_issues.create(longest)
    assert storage.build_issues.list_after("b" * 1020, None, 5) == (longest,)
