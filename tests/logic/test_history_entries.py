import pytest

from stovepipe_cli.entities import RequestLog, ValidationFact
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_finished_entry,
    build_triggered_entry,
    fact_entry,
    outcome_entry,
    processing_entry,
    project_facts_entry,
    record_abandoned_entry,
    superseded_entry,
)
from stovepipe_cli.history.identity import fact_occurrence
from tests.support.history_samples import (
    BASE_URI,
    QUEUE,
    REQUEST_ID,
    STARTED_MS,
    URI,
    finished_build,
    green_fact,
    succeeded_request,
)


def test_the_accepted_entry_never_names_a_baseline() -> None:
    assert accepted_entry(succeeded_request(), timestamp_ms=5) == RequestLog(
        queue=QUEUE, request_id=REQUEST_ID, id="state/1", timestamp_ms=5, state="accepted", request_version=1
    )


def test_processing_is_the_version_before_what_followed() -> None:
    assert processing_entry(succeeded_request()) == RequestLog(
        queue=QUEUE,
        request_id=REQUEST_ID,
        id="state/2",
        timestamp_ms=0,
        state="processing",
        request_version=2,
        metadata={"base_uri": BASE_URI},
    )


def test_processing_is_the_requests_version_while_it_lasts() -> None:
    assert processing_entry(succeeded_request(state="processing", version=2)).request_version == 2


@pytest.mark.parametrize(
    ("strategy", "metadata"),
    [("", {}), ("full", {"base_uri": ""}), ("incremental_since_green", {"base_uri": BASE_URI}), ("of_tomorrow", {})],
)
def test_the_baseline_follows_the_strategy(strategy: str, metadata: dict[str, str]) -> None:
    entry = outcome_entry(succeeded_request(build_strategy=strategy), "build_succeeded")
    assert entry.metadata == metadata


def test_an_outcome_names_its_build_where_it_is_certain() -> None:
    entry = outcome_entry(succeeded_request(), "build_succeeded", "bk-41")
    assert (entry.id, entry.outcome_reason, entry.metadata["build_id"]) == ("state/3", "build_succeeded", "bk-41")


def test_a_request_without_an_outcome_has_no_outcome_entry() -> None:
    with pytest.raises(InvalidEntity):
        outcome_entry(succeeded_request(state="processing"), "build_succeeded")


def test_the_superseding_request_is_named_only_where_it_is_certain() -> None:
    request = succeeded_request(state="superseded", version=2, build_strategy="")
    assert superseded_entry(request).metadata == {}
    assert superseded_entry(request, "42").metadata == {"superseded_by_request_id": "42"}


def test_a_request_that_was_not_superseded_has_no_such_entry() -> None:
    with pytest.raises(InvalidEntity):
        superseded_entry(succeeded_request())


def test_the_entries_of_a_build_name_it() -> None:
    build = finished_build("a/b")
    assert [entry.id for entry in (build_triggered_entry(build), build_finished_entry(build))] == [
        "event/build_triggered/a/b",
        "event/build_finished/a/b",
    ]
    assert build_triggered_entry(build).metadata == {"build_id": "a/b"}


def test_a_running_build_has_not_finished() -> None:
    with pytest.raises(InvalidEntity):
        build_finished_entry(finished_build(status="running"))


def test_the_entry_of_a_fact_has_the_facts_own_time() -> None:
    assert fact_entry(green_fact()) == RequestLog(
        queue=QUEUE,
        request_id=REQUEST_ID,
        id=f"event/validation_fact_recorded/{fact_occurrence(URI)}",
        timestamp_ms=STARTED_MS + 5000,
        event="validation_fact_recorded",
        metadata={"fact_degree": "0"},
    )


def test_the_fact_of_a_project_has_no_entry() -> None:
    with pytest.raises(InvalidEntity):
        fact_entry(ValidationFact(QUEUE, URI, "//web", 0.5, REQUEST_ID, STARTED_MS))


def test_project_facts_are_counted_together() -> None:
    entry = project_facts_entry(QUEUE, REQUEST_ID, (7, 2))
    assert entry.id == "event/project_facts_recorded/all"
    assert entry.metadata == {"project_fact_count": "7", "broken_project_fact_count": "2"}


def test_abandonment_is_of_the_repository() -> None:
    assert record_abandoned_entry(QUEUE, REQUEST_ID).id == "event/record_abandoned/repository"


def test_extra_metadata_is_added_and_replaces_nothing() -> None:
    entry = build_triggered_entry(finished_build(), extra={"repair_run_id": "r", "build_id": "other"})
    assert entry.metadata == {"repair_run_id": "r", "build_id": "bk-41"}
