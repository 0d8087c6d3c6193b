"""Facts: the first writer wins, and the facts of a URI are listed by project, byte for byte."""

import pytest

from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, CollationConflict, NotFound, Storage
from tests.contract.paging import walk
from tests.contract.samples import URI, Fields, a_fact

PROJECTS = ["", " lead", "9", "B/app", "a", "a/app", "ab", "z", "é", "🙂"]


def keep_projects(storage: Storage) -> None:
    for project in reversed(PROJECTS):
        storage.facts.create(a_fact(storage.queue, URI, project))


def test_every_field_is_read_back(storage: Storage) -> None:
    fact = a_fact(storage.queue, URI, "web", degree=0.1, request_id="9", created_at_ms=MAX_INT64)
    storage.facts.create(fact)
    assert storage.facts.get(URI, "web") == fact


def test_the_first_fact_stays_whoever_comes_later(storage: Storage) -> None:
    storage.facts.create(a_fact(storage.queue, degree=0))
    with pytest.raises(AlreadyExists):
        storage.facts.create(a_fact(storage.queue, degree=1, request_id="8"))
    assert storage.facts.get(URI) == a_fact(storage.queue, degree=0)


def test_without_a_project_the_repositorys_fact_is_read(storage: Storage) -> None:
    storage.facts.create(a_fact(storage.queue, URI, "web", degree=0.5))
    with pytest.raises(NotFound):
        storage.facts.get(URI)
    storage.facts.create(a_fact(storage.queue))
    assert storage.facts.get(URI) == a_fact(storage.queue)


@pytest.mark.parametrize("degree", [0.0, 1.0, 0.1, 1 / 3, 5e-324, 1 - 2**-53])
def test_a_degree_keeps_every_bit(storage: Storage, degree: float) -> None:
    storage.facts.create(a_fact(storage.queue, URI, "web", degree=degree))
    assert storage.facts.get(URI, "web").degree == degree


def test_facts_are_listed_in_byte_order_of_project(storage: Storage) -> None:
    keep_projects(storage)
    assert [fact.project for fact in storage.facts.list_after(URI, None, 99)] == PROJECTS


@pytest.mark.parametrize("size", range(1, len(PROJECTS) + 2))
def test_pages_of_any_size_give_every_fact_once(storage: Storage, size: int) -> None:
    keep_projects(storage)
    listed = walk(lambda after, limit: storage.facts.list_after(URI, after, limit), lambda fact: fact.project, size)
    assert [fact.project for fact in listed] == PROJECTS


def test_a_list_after_the_repositorys_fact_starts_with_the_first_project(storage: Storage) -> None:
    keep_projects(storage)
    assert [fact.project for fact in storage.facts.list_after(URI, "", 2)] == PROJECTS[1:3]


@pytest.mark.parametrize(("after", "following"), [("A", "B/app"), ("a ", "a/app"), ("b", "z"), ("Z", "a"), ("z", "é")])
def test_the_cursor_needs_no_row_and_is_compared_as_bytes(storage: Storage, after: str, following: str) -> None:
    keep_projects(storage)
    assert storage.facts.list_after(URI, after, 1)[0].project == following


def test_nothing_follows_the_last_project(storage: Storage) -> None:
    keep_projects(storage)
    assert storage.facts.list_after(URI, PROJECTS[-1], 9) == ()


def test_facts_of_other_uris_are_left_out(storage: Storage) -> None:
    storage.facts.create(a_fact(storage.queue, "git://a"))
    storage.facts.create(a_fact(storage.queue, "git://ab"))
    assert storage.facts.list_after("git://a", None, 9) == (a_fact(storage.queue, "git://a"),)


def test_facts_of_a_uri_that_differs_in_case_are_left_out(storage: Storage) -> None:
    storage.facts.create(a_fact(storage.queue, "git://a"))
    storage.facts.create(a_fact(storage.queue, "GIT://A", "web"))
    assert storage.facts.list_after("git://a", None, 9) == (a_fact(storage.queue, "git://a"),)
    assert storage.facts.list_after("Git://A", None, 9) == ()


def test_projects_that_differ_in_case_are_listed_in_byte_order_or_refused(storage: Storage) -> None:
    storage.facts.create(a_fact(storage.queue, URI, "app"))
    expected = ["App", "app"]
    try:
        storage.facts.create(a_fact(storage.queue, URI, "App"))
    except CollationConflict:
        expected = ["app"]
    assert [fact.project for fact in storage.facts.list_after(URI, None, 9)] == expected


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused_before_any_query(bare: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        bare.facts.list_after(URI, None, limit)


@pytest.mark.parametrize(
    "fields", [{"degree": 1.5}, {"degree": -0.1}, {"degree": 0.5}, {"created_at_ms": 0}, {"request_id": ""}], ids=str
)
def test_an_invalid_fact_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.facts.create(a_fact(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.facts.get(URI)
