"""Open issues: there only while open, removed only by their own opening, listed by task and unit as bytes."""

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage
from tests.contract.paging import walk
from tests.contract.samples import an_issue

# In the order of the listing.
ISSUES = [
    ("//B:test", ""),
    ("//a:test", ""),
    ("//a:test", "B"),
    ("//a:test", "a"),
    ("//a:test", "a "),
    ("//a:test", "b"),
    ("//a:test ", ""),
    ("//a:test2", "x"),
    ("//é:test", "🙂"),
    ("//🙂:test", ""),
]


def keep_issues(storage: Storage) -> None:
    for task_id, unit_id in reversed(ISSUES):
        storage.open_issues.create(an_issue(storage.queue, task_id, unit_id))


def test_an_issue_is_opened_once_whichever_build_saw_it(storage: Storage) -> None:
    storage.open_issues.create(an_issue(storage.queue, build_id="b7"))
    with pytest.raises(AlreadyExists):
        storage.open_issues.create(an_issue(storage.queue, build_id="b8"))
    assert storage.open_issues.get("//app:test", "") == an_issue(storage.queue, build_id="b7")


def test_a_task_and_its_units_are_issues_of_their_own(storage: Storage) -> None:
    storage.open_issues.create(an_issue(storage.queue, unit_id=""))
    storage.open_issues.create(an_issue(storage.queue, unit_id="case"))
    assert storage.open_issues.delete(an_issue(storage.queue, unit_id=""))
    assert storage.open_issues.get("//app:test", "case") == an_issue(storage.queue, unit_id="case")


def test_its_own_opening_is_removed(storage: Storage) -> None:
    storage.open_issues.create(an_issue(storage.queue))
    assert storage.open_issues.delete(an_issue(storage.queue)) is True
    with pytest.raises(NotFound):
        storage.open_issues.get("//app:test", "")


def test_removing_it_again_does_nothing(storage: Storage) -> None:
    storage.open_issues.create(an_issue(storage.queue))
    storage.open_issues.delete(an_issue(storage.queue))
    assert storage.open_issues.delete(an_issue(storage.queue)) is False


@pytest.mark.parametrize("build_id", ["b8", "B7", "b7 ", "b"])
def test_an_opening_by_another_build_is_left_alone(storage: Storage, build_id: str) -> None:
    storage.open_issues.create(an_issue(storage.queue, build_id="b7"))
    assert storage.open_issues.delete(an_issue(storage.queue, build_id=build_id)) is False
    assert storage.open_issues.get("//app:test", "") == an_issue(storage.queue, build_id="b7")


@pytest.mark.parametrize("key", [("//APP:test", ""), ("//app:test ", ""), ("//app:test", "unit")], ids=str)
def test_removing_another_key_leaves_the_issue_alone(storage: Storage, key: tuple[str, str]) -> None:
    storage.open_issues.create(an_issue(storage.queue))
    assert storage.open_issues.delete(an_issue(storage.queue, *key)) is False
    assert storage.open_issues.get("//app:test", "") == an_issue(storage.queue)


def test_a_removed_issue_can_open_again_by_another_build(storage: Storage) -> None:
    storage.open_issues.create(an_issue(storage.queue, build_id="b7"))
    storage.open_issues.delete(an_issue(storage.queue, build_id="b7"))
    storage.open_issues.create(an_issue(storage.queue, build_id="b9"))
    assert storage.open_issues.get("//app:test", "").first_seen_build_id == "b9"


def test_removal_leaves_another_queue_alone(storage: Storage, other: Storage) -> None:
    for each in (storage, other):
        each.open_issues.create(an_issue(each.queue))
    storage.open_issues.delete(an_issue(storage.queue))
    assert other.open_issues.get("//app:test", "") == an_issue(other.queue)


def test_issues_are_listed_by_task_and_unit_byte_for_byte(storage: Storage) -> None:
    keep_issues(storage)
    assert [(each.task_id, each.unit_id) for each in storage.open_issues.list_after(None, 99)] == ISSUES


@pytest.mark.parametrize("size", range(1, len(ISSUES) + 2))
def test_pages_of_any_size_give_every_issue_once(storage: Storage, size: int) -> None:
    keep_issues(storage)
    listed = walk(storage.open_issues.list_after, lambda each: (each.task_id, each.unit_id), size)
    assert [(each.task_id, each.unit_id) for each in listed] == ISSUES


@pytest.mark.parametrize(
    ("after", "following"),
    [
        (("", ""), ISSUES[0]),
        (("//A:test", "z"), ISSUES[0]),
        (("//B:test", "z"), ISSUES[1]),
        (("//a:test", ""), ISSUES[2]),
        (("//a:test", "A"), ISSUES[2]),
        (("//a:test", "a"), ISSUES[4]),
        (("//a:test", "zz"), ISSUES[6]),
        (("//b", ""), ISSUES[8]),
    ],
    ids=str,
)
def test_the_cursor_needs_no_row_and_is_compared_as_bytes(
    storage: Storage, after: tuple[str, str], following: tuple[str, str]
) -> None:
    keep_issues(storage)
    (page,) = storage.open_issues.list_after(after, 1)
    assert (page.task_id, page.unit_id) == following


def test_nothing_follows_the_last_issue(storage: Storage) -> None:
    keep_issues(storage)
    assert storage.open_issues.list_after(ISSUES[-1], 9) == ()


def test_paging_goes_on_after_the_cursors_issue_was_removed(storage: Storage) -> None:
    keep_issues(storage)
    storage.open_issues.delete(an_issue(storage.queue, *ISSUES[3]))
    (page,) = storage.open_issues.list_after(ISSUES[3], 1)
    assert (page.task_id, page.unit_id) == ISSUES[4]


def test_a_cursor_with_a_unit_and_no_task_is_refused_before_any_query(bare: Storage) -> None:
    with pytest.raises(InvalidEntity):
        bare.open_issues.list_after(("", "unit"), 9)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused_before_any_query(bare: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        bare.open_issues.list_after(None, limit)


def test_the_longest_identifiers_are_stored_whole(storage: Storage) -> None:
    issue = an_issue(storage.queue, "t" * 255, "u" * 1024, "b" * 1020)
    storage.open_issues.create(issue)
    assert storage.open_issues.get("t" * 255, "u" * 1024) == issue
    assert storage.open_issues.list_after(None, 9) == (issue,)
    assert storage.open_issues.delete(issue)


@pytest.mark.parametrize("build_id", ["", "b" * 1021])
def test_an_invalid_build_is_refused(storage: Storage, build_id: str) -> None:
    with pytest.raises((InvalidEntity, IdentifierTooLong)):
        storage.open_issues.create(an_issue(storage.queue, build_id=build_id))
    with pytest.raises(NotFound):
        storage.open_issues.get("//app:test", "")
