"""Project facts of a commit by degree: worst first, then by project as bytes, with the degree they were made with."""

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, ForeignQueue, Storage
from tests.contract.paging import walk
from tests.contract.samples import URI, a_mapping

# In the order of the listing.
MAPPED = [
    (1.0, "A"),
    (1.0, "a"),
    (1.0, "a "),
    (1.0, "b"),
    (0.3333333333333333, "é"),
    (0.1 + 0.2, "'"),
    (0.3, "%"),
    (1e-05, "tiny"),
    (5e-324, "tiniest"),
    (0.0, "a"),
    (0.0, "🙂"),
]


def keep(storage: Storage) -> None:
    for degree, project in reversed(MAPPED):
        storage.facts_by_degree.create(a_mapping(storage.queue, degree, project))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 10, 11, 12, 100])
def test_a_commit_pages_worst_first(storage: Storage, size: int) -> None:
    keep(storage)
    storage.facts_by_degree.create(a_mapping(storage.queue, uri=URI + "0"))
    storage.facts_by_degree.create(a_mapping(storage.queue, uri=URI[:-1]))
    listed = walk(
        lambda after, limit: storage.facts_by_degree.list_after(URI, after, limit),
        lambda mapping: (mapping.degree, mapping.project),
        size,
    )
    assert [(mapping.degree, mapping.project) for mapping in listed] == MAPPED


def test_a_mapping_is_kept_once(storage: Storage) -> None:
    storage.facts_by_degree.create(a_mapping(storage.queue))
    with pytest.raises(AlreadyExists):
        storage.facts_by_degree.create(a_mapping(storage.queue))


def test_a_project_can_stand_under_two_degrees(storage: Storage) -> None:
    for degree in (0.25, 0.75):
        storage.facts_by_degree.create(a_mapping(storage.queue, degree))
    assert [mapping.degree for mapping in storage.facts_by_degree.list_after(URI, None, 5)] == [0.75, 0.25]


def test_a_page_goes_on_behind_a_key_that_is_not_there(storage: Storage) -> None:
    keep(storage)
    listed = storage.facts_by_degree.list_after(URI, (1.0, "a0"), 2)
    assert [(mapping.degree, mapping.project) for mapping in listed] == [(1.0, "b"), MAPPED[4]]


def test_a_commit_without_mappings_is_an_empty_page(storage: Storage) -> None:
    assert storage.facts_by_degree.list_after(URI, None, 5) == ()


def test_another_queue_is_invisible(storage: Storage, other: Storage) -> None:
    keep(other)
    assert storage.facts_by_degree.list_after(URI, None, 50) == ()


@pytest.mark.parametrize("degree", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_degree_outside_its_range_is_refused(storage: Storage, degree: float) -> None:
    with pytest.raises(InvalidEntity):
        storage.facts_by_degree.create(a_mapping(storage.queue, degree))
    with pytest.raises(InvalidEntity):
        storage.facts_by_degree.list_after(URI, (degree, "app"), 5)


def test_a_mapping_of_another_queue_is_refused(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.facts_by_degree.create(a_mapping("elsewhere"))


def test_a_project_beyond_its_bytes_is_refused(storage: Storage) -> None:
    with pytest.raises(IdentifierTooLong):
        storage.facts_by_degree.create(a_mapping(storage.queue, project="p" * 1021))


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_of_nothing_is_refused(storage: Storage, limit: int) -> None:
    with pytest.raises(InvalidEntity):
        storage.facts_by_degree.list_after(URI, None, limit)
