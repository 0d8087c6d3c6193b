"""A storage is bound to one queue: others are refused and invisible."""

from collections.abc import Callable
from typing import Any

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import (
    CollationConflict,
    ForeignQueue,
    NotFound,
    Storage,
    StorageFactory,
    VersionMismatch,
)
from stovepipe_cli.storage.contract.rows import RequestRow
from tests.contract.samples import (
    NOON_MS,
    URI,
    a_build,
    a_fact,
    a_log,
    a_mapping,
    a_queue,
    a_queue_summary,
    a_request,
    a_summary,
    a_transition,
    an_acceptance,
    an_issue,
    an_observation,
    an_occurrence,
)
from tests.contract.specimens import SPECIMENS, Specimen

each_specimen = pytest.mark.parametrize("specimen", SPECIMENS, ids=str)


@each_specimen
def test_one_key_in_two_queues_is_two_rows(storage: Storage, other: Storage, specimen: Specimen[Any]) -> None:
    specimen.create(storage, specimen.make(storage.queue, "7"))
    with pytest.raises(NotFound):
        specimen.get(other, "7")
    specimen.create(other, specimen.make(other.queue, "7"))
    assert specimen.get(storage, "7") == specimen.make(storage.queue, "7")
    assert specimen.get(other, "7") == specimen.make(other.queue, "7")


@each_specimen
@pytest.mark.parametrize("respell", [str.upper, lambda name: name + " "], ids=["case", "trailing-space"])
def test_a_queue_whose_name_is_equal_by_collation_only_is_invisible(
    factory: StorageFactory, storage: Storage, specimen: Specimen[Any], respell: Callable[[str], str]
) -> None:
    respelled = factory.for_queue(respell(storage.queue))
    mine, theirs = specimen.make(storage.queue, "7"), specimen.make(respelled.queue, "7")
    specimen.create(storage, mine)
    with pytest.raises(NotFound):
        specimen.get(respelled, "7")
    try:
        specimen.create(respelled, theirs)
    except CollationConflict:
        with pytest.raises(NotFound):
            specimen.get(respelled, "7")
    else:
        assert specimen.get(respelled, "7") == theirs
    assert specimen.get(storage, "7") == mine


def test_lists_leave_out_a_queue_whose_name_is_equal_by_collation_only(
    factory: StorageFactory, storage: Storage
) -> None:
    storage.facts.create(a_fact(storage.queue))
    storage.request_log.create(a_log(storage.queue))
    storage.acceptances.create(an_acceptance(storage.queue))
    storage.open_issues.create(an_issue(storage.queue))
    storage.build_issues.create(an_observation(storage.queue))
    storage.issue_log.create(a_transition(storage.queue))
    storage.queue_log.create(an_occurrence(storage.queue))
    storage.facts_by_degree.create(a_mapping(storage.queue))
    respelled = factory.for_queue(storage.queue.upper())
    assert respelled.facts.list_after(URI, None, 9) == ()
    assert respelled.request_log.list("7") == ()
    assert respelled.request_log.list_after("7", None, 9) == ()
    assert respelled.acceptances.list_before(0, NOON_MS * 2, None, 9) == ()
    assert respelled.open_issues.list_after(None, 9) == ()
    assert respelled.build_issues.list_after("b7", None, 9) == ()
    assert respelled.issue_log.list_after("//app:test", "", None, 9) == ()
    assert respelled.queue_log.list_after(0, 9) == ()
    assert respelled.facts_by_degree.list_after(URI, None, 9) == ()


def test_a_page_is_full_although_a_queue_equal_by_collation_has_rows_in_between(
    factory: StorageFactory, storage: Storage
) -> None:
    respelled = factory.for_queue(storage.queue.upper())
    for number in range(1, 9):
        mine = storage if number % 4 == 0 else respelled
        mine.acceptances.create(an_acceptance(mine.queue, str(number), NOON_MS + number))
        mine.facts.create(a_fact(mine.queue, URI, f"p{number}"))
        mine.request_log.create(a_log(mine.queue, "7", f"state/{number}", timestamp_ms=NOON_MS + number))
    assert [a.request_id for a in storage.acceptances.list_before(0, NOON_MS * 2, None, 2)] == ["8", "4"]
    assert [fact.project for fact in storage.facts.list_after(URI, None, 2)] == ["p4", "p8"]
    assert [entry.id for entry in storage.request_log.list_after("7", None, 2)] == ["state/4", "state/8"]


def test_the_row_of_a_queue_equal_by_collation_is_no_row_of_this_queue(
    factory: StorageFactory, storage: Storage
) -> None:
    row = storage.queues.get_or_create()
    respelled = factory.for_queue(storage.queue.upper())
    with pytest.raises(NotFound):
        respelled.queues.get()
    with pytest.raises(VersionMismatch):
        respelled.queues.update(a_queue(respelled.queue), old_version=1, new_version=2)
    try:
        assert respelled.queues.get_or_create().name == respelled.queue
    except CollationConflict:
        with pytest.raises(NotFound):
            respelled.queues.get()
    assert storage.queues.get() == row


@each_specimen
def test_an_entity_of_another_queue_is_refused_before_any_query(bare: Storage, specimen: Specimen[Any]) -> None:
    # Without tables, a query would end in SchemaMismatch.
    with pytest.raises(ForeignQueue):
        specimen.create(bare, specimen.make("elsewhere", "7"))


@each_specimen
def test_an_entity_whose_queue_differs_only_in_case_is_refused(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(ForeignQueue):
        specimen.create(storage, specimen.make(storage.queue.upper(), "7"))


@each_specimen
def test_an_identifier_over_its_limit_is_refused_before_any_query(bare: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(IdentifierTooLong):
        specimen.create(bare, specimen.make(bare.queue, specimen.longest + "x"))


def test_updates_of_another_queue_are_refused_before_any_query(bare: Storage) -> None:
    with pytest.raises(ForeignQueue):
        bare.requests.update(a_request("elsewhere"), old_version=1, new_version=2)
    with pytest.raises(ForeignQueue):
        bare.queues.update(a_queue("elsewhere"), old_version=1, new_version=2)
    with pytest.raises(ForeignQueue):
        bare.builds.update(a_build("elsewhere"), old_version=1, new_version=2)
    with pytest.raises(ForeignQueue):
        bare.summaries.update(a_summary("elsewhere"), old_version=1, new_version=2)
    with pytest.raises(ForeignQueue):
        bare.queue_summaries.update(a_queue_summary("elsewhere"), old_version=1, new_version=2)


def test_deletion_of_another_queues_issue_is_refused_before_any_query(bare: Storage) -> None:
    with pytest.raises(ForeignQueue):
        bare.open_issues.delete(an_issue("elsewhere"))


def test_one_foreign_acceptance_refuses_the_whole_batch(storage: Storage) -> None:
    with pytest.raises(ForeignQueue):
        storage.acceptances.create_missing([an_acceptance(storage.queue), an_acceptance("elsewhere")])
    with pytest.raises(NotFound):
        storage.acceptances.get(NOON_MS, "7")


def test_an_empty_queue_name_is_refused(factory: StorageFactory) -> None:
    with pytest.raises(InvalidEntity):
        factory.for_queue("")


def test_a_queue_name_may_have_255_bytes_and_no_more(factory: StorageFactory) -> None:
    assert factory.for_queue("é" * 127 + "q").queue == "é" * 127 + "q"
    with pytest.raises(IdentifierTooLong):
        factory.for_queue("é" * 128)


def test_a_queue_without_rows_reads_as_empty(storage: Storage) -> None:
    assert storage.request_log.list("7") == ()
    assert storage.facts.list_after(URI, None, 9) == ()
    assert storage.acceptances.list_before(0, NOON_MS * 2, None, 9) == ()
    assert storage.open_issues.list_after(None, 9) == ()
    assert storage.build_issues.list_after("b7", None, 9) == ()
    assert storage.issue_log.list_after("//app:test", "", None, 9) == ()
    assert storage.queue_log.list_after(0, 9) == ()
    assert storage.facts_by_degree.list_after(URI, None, 9) == ()
    with storage.audit.snapshot() as snapshot:
        assert snapshot.page(RequestRow, limit=9).rows == ()


@pytest.mark.parametrize("name", ["o'clock", 'say "hi"', "50%", "a_b", "back\\slash", "🙂", "tab\there"])
def test_any_character_may_stand_in_a_queue_name(factory: StorageFactory, queue_name: str, name: str) -> None:
    storage = factory.for_queue(f"{queue_name}/{name}")
    storage.requests.create(a_request(storage.queue))
    assert storage.requests.get("7") == a_request(storage.queue)
