"""Issues, observations and facts as they are looked at."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stovepipe_cli.cursor import encode_cursor
from stovepipe_cli.entities import Build, BuildIssue, IssueLog, OpenIssue, ProjectFactByDegree
from stovepipe_cli.errors import IdentifierTooLong, InvalidCursor, InvalidEntity, NothingFound, UsageError
from stovepipe_cli.look import issues as look_issues
from stovepipe_cli.look.facts import list_facts
from stovepipe_cli.look.issues import list_observations, show_issue
from stovepipe_cli.reports.look import FactItem
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import ValidationFactRow
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.storage.open import open_storage
from tests.support.audits import StandingClock
from tests.support.lifecycles import FIRST_MS, QUEUE
from tests.support.watched_storage import watched

TASK = "//app:test"
URI = "git://code.example/1"


@pytest.fixture
def memory() -> Storage:
    return MemoryFactory().for_queue(QUEUE)


@pytest.fixture(params=["memory", "sqlite", "mariadb"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    urls = {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'look.db'}"}
    url = urls.get(request.param) or request.getfixturevalue("mariadb_database")
    with contextlib.closing(open_storage(url)) as factory:
        if request.param != "memory":
            factory.admin.create_tables()
        yield factory.for_queue(QUEUE)


def test_an_issue_that_was_resolved_is_not_open_and_keeps_its_transitions(memory: Storage) -> None:
    memory.issue_log.create(IssueLog(QUEUE, TASK, "", "b9", "opened", FIRST_MS))
    memory.issue_log.create(IssueLog(QUEUE, TASK, "", "b1", "resolved", FIRST_MS + 1))
    report = show_issue(memory, TASK)
    assert (report.first_seen_build_id, report.is_whole) == (None, True)
    assert [item.event for item in report.transitions] == ["opened", "resolved"]


def test_an_opening_without_transitions_is_an_answer(memory: Storage) -> None:
    memory.open_issues.create(OpenIssue(QUEUE, TASK, "u", "b1"))
    report = show_issue(memory, TASK, "u")
    assert (report.first_seen_build_id, report.transitions) == ("b1", ())


def test_an_issue_that_never_was_names_the_units_that_are_open(memory: Storage) -> None:
    for unit in ("a", "b"):
        memory.open_issues.create(OpenIssue(QUEUE, TASK, unit, "b1"))
    memory.open_issues.create(OpenIssue(QUEUE, f"{TASK}2", "c", "b1"))
    with pytest.raises(NothingFound) as caught:
        show_issue(memory, TASK)
    assert caught.value.hint == "name a unit behind the task; open are 'a', 'b'"


def test_transitions_beyond_the_bound_are_said_to_be_cut(memory: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_issues, "MOST_TRANSITIONS", 3)
    for number in range(3):
        memory.issue_log.create(IssueLog(QUEUE, TASK, "", f"b{number}", "opened", FIRST_MS))
    assert show_issue(memory, TASK).is_whole
    memory.issue_log.create(IssueLog(QUEUE, TASK, "", "b3", "opened", FIRST_MS))
    report = show_issue(memory, TASK)
    assert (len(report.transitions), report.is_whole) == (3, False)


@pytest.mark.parametrize(
    ("task", "unit", "error"),
    [("", "", InvalidEntity), ("é" * 128, "", IdentifierTooLong), ("t", "u" * 1025, IdentifierTooLong)],
)
def test_a_task_that_cannot_be_is_refused(memory: Storage, task: str, unit: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        show_issue(memory, task, unit)


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_observations_page_in_byte_order_at_every_page_size(storage: Storage, limit: int) -> None:
    keys = [("//A", ""), ("//a", ""), ("//a", " "), ("//é", "x")]
    for task, unit in reversed(keys):
        storage.build_issues.create(BuildIssue(QUEUE, "b1", task, unit))
    storage.build_issues.create(BuildIssue(QUEUE, "b1 ", "//other", ""))
    listed: list[tuple[str, str]] = []
    cursor: str | None = None
    while True:
        report = list_observations(storage, "b1", limit=limit, cursor=cursor, every=False)
        listed += [(item.task_id, item.unit_id) for item in report.items]
        cursor = report.next_cursor
        if cursor is None:
            break
    assert listed == keys
    whole = list_observations(storage, "b1", limit=limit, cursor=None, every=True)
    assert [(item.task_id, item.unit_id) for item in whole.items] == keys


def test_a_cursor_of_another_build_is_refused(memory: Storage) -> None:
    for unit in ("a", "b"):
        memory.build_issues.create(BuildIssue(QUEUE, "b1", TASK, unit))
    cursor = list_observations(memory, "b1", limit=1, cursor=None, every=False).next_cursor
    with pytest.raises(InvalidCursor):
        list_observations(memory, "b2", limit=1, cursor=cursor, every=False)


@pytest.mark.parametrize(
    ("status", "words"), [("succeeded", "it is 'succeeded'"), (None, "the queue has no such build")]
)
def test_nothing_observed_is_no_success_and_says_so(memory: Storage, status: str | None, words: str) -> None:
    if status is not None:
        memory.builds.create(Build(QUEUE, "b1", "1", status, 1))
    report = list_observations(memory, "b1", limit=5, cursor=None, every=False)
    (note,) = report.notes
    assert (report.items, report.next_cursor) == ((), None)
    assert "neither that it succeeded" in note
    assert note.endswith(words)


def facts(storage: Storage, *degrees: tuple[str, float]) -> None:
    storage.bulk.insert([ValidationFactRow(URI, project, degree, "1", FIRST_MS) for project, degree in degrees])
    for project, degree in degrees:
        storage.facts_by_degree.create(ProjectFactByDegree(QUEUE, URI, degree, project))


def listed_facts(storage: Storage, limit: int) -> list[FactItem]:
    items: list[FactItem] = []
    cursor: str | None = None
    while True:
        report = list_facts(storage, URI, StandingClock(), limit=limit, cursor=cursor)
        items += report.items
        cursor = report.next_cursor
        if cursor is None:
            return items


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_facts_page_worst_first_at_every_page_size(storage: Storage, limit: int) -> None:
    """With degrees whose short decimal forms are not exact."""
    facts(storage, ("b", 0.1 + 0.2), ("a", 0.3), ("C", 0.3), ("é", 1.0), ("z", 5e-324), ("0", 0.0))
    items = listed_facts(storage, limit)
    assert [item.project for item in items] == ["é", "b", "C", "a", "z", "0"]
    assert {item.problem for item in items} == {""}


def test_a_page_of_facts_is_read_at_once(memory: Storage) -> None:
    facts(memory, *((f"p{number}", 0.5) for number in range(40)))
    storage, watch = watched(memory)
    assert len(listed_facts(storage, 100)) == 40
    assert watch.gets == [("validation_fact", 40)]


def test_a_fact_whose_project_differs_in_bytes_is_not_the_mappings(storage: Storage) -> None:
    storage.bulk.insert([ValidationFactRow(URI, "App", 0.5, "1", FIRST_MS)])
    storage.facts_by_degree.create(ProjectFactByDegree(QUEUE, URI, 0.5, "app"))
    (item,) = listed_facts(storage, 10)
    assert (item.request_id, item.problem[:4]) == (None, "D802")


def test_a_cursor_with_another_number_in_it_is_refused(memory: Storage) -> None:
    facts(memory, ("a", 0.5), ("b", 0.25))
    cursor = encode_cursor(queue=QUEUE, listing="facts", order=f"degree desc,project;uri={URI}", key=("half", "a"))
    with pytest.raises(InvalidCursor):
        list_facts(memory, URI, StandingClock(), limit=1, cursor=cursor)


def test_a_page_of_facts_has_1_to_1000(memory: Storage) -> None:
    with pytest.raises(UsageError):
        list_facts(memory, URI, StandingClock(), limit=0, cursor=None)
