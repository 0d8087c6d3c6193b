from dataclasses import replace
from itertools import permutations

import pytest

from stovepipe_cli.entities import RequestLog, RequestSummary
from stovepipe_cli.history.entries import record_abandoned_entry
from stovepipe_cli.history.summary_projection import project, project_all
from tests.support.history_samples import (
    BASE_URI,
    QUEUE,
    REQUEST_ID,
    STARTED_MS,
    URI,
    succeeded_request,
    whole_history,
)

WHOLE = whole_history()
ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = WHOLE
REQUEST = succeeded_request()
AT_PROCESSING = RequestSummary(
    queue=QUEUE,
    request_id=REQUEST_ID,
    uri=URI,
    base_uri=BASE_URI,
    state="processing",
    request_version=2,
    state_timestamp_ms=STARTED_MS + 1000,
    version=4,
)


def test_the_first_summary_tells_what_the_entry_tells_not_what_the_request_has_become() -> None:
    decision = project(None, PROCESSING, REQUEST)
    assert (decision.change, decision.summary) == ("create", replace(AT_PROCESSING, version=1))


def test_the_first_summary_of_an_accepted_entry_knows_the_acceptance() -> None:
    summary = project(None, ACCEPTED, REQUEST).summary
    assert summary
    assert (summary.state, summary.accepted_at_ms, summary.base_uri) == ("accepted", STARTED_MS, "")


def test_a_later_version_replaces_the_state_and_keeps_the_rest() -> None:
    decision = project(replace(AT_PROCESSING, accepted_at_ms=STARTED_MS, project_fact_count=1), SUCCEEDED, None)
    assert decision.change == "advance"
    assert decision.summary == replace(
        AT_PROCESSING,
        state="succeeded",
        request_version=3,
        state_timestamp_ms=STARTED_MS + 4000,
        outcome_reason="build_succeeded",
        version=5,
        accepted_at_ms=STARTED_MS,
        project_fact_count=1,
    )


def test_the_baseline_is_replaced_only_by_an_entry_that_names_one() -> None:
    nameless = project(AT_PROCESSING, replace(SUCCEEDED, metadata={}), None).summary
    full = project(AT_PROCESSING, replace(SUCCEEDED, metadata={"base_uri": ""}), None).summary
    assert nameless
    assert full
    assert (nameless.base_uri, full.base_uri) == (BASE_URI, "")


def test_an_earlier_version_changes_nothing() -> None:
    later = replace(AT_PROCESSING, request_version=3, state="failed", outcome_reason="build_failed")
    decision = project(later, PROCESSING, None)
    assert (decision.change, decision.summary) == ("none", later)


def test_an_accepted_entry_makes_the_acceptance_known_at_any_later_state() -> None:
    decision = project(AT_PROCESSING, ACCEPTED, None)
    assert decision.summary == replace(AT_PROCESSING, accepted_at_ms=STARTED_MS, version=5)


def test_a_known_acceptance_is_never_moved() -> None:
    decision = project(replace(AT_PROCESSING, accepted_at_ms=STARTED_MS - 1), ACCEPTED, None)
    assert decision.change == "conflict"


def test_the_same_version_confirms() -> None:
    assert project(AT_PROCESSING, PROCESSING, None).change == "none"


def test_the_same_version_fills_a_reason_that_was_unknown() -> None:
    ended = project(AT_PROCESSING, SUCCEEDED, None).summary
    assert ended
    filled = project(replace(ended, outcome_reason=""), SUCCEEDED, None)
    assert filled.summary == replace(ended, version=ended.version + 1)


@pytest.mark.parametrize(
    "summary",
    [
        replace(AT_PROCESSING, state="failed"),
        replace(AT_PROCESSING, state_timestamp_ms=1),
        replace(AT_PROCESSING, outcome_reason="build_failed"),
        replace(AT_PROCESSING, base_uri=""),
        replace(AT_PROCESSING, queue="other"),
        replace(AT_PROCESSING, request_id="other"),
    ],
    ids=["state", "time", "reason", "base_uri", "queue", "request"],
)
def test_the_same_version_must_agree(summary: RequestSummary) -> None:
    decision = project(summary, PROCESSING, None)
    assert (decision.change, decision.summary, decision.log_id) == ("conflict", summary, "state/2")


def test_an_entry_without_a_baseline_agrees_with_any() -> None:
    assert project(AT_PROCESSING, replace(PROCESSING, metadata={}), None).change == "none"


@pytest.mark.parametrize("event", [TRIGGERED, FINISHED, FACT])
def test_other_events_never_touch_the_summary(event: RequestLog) -> None:
    assert project(None, event, None).change == "none"
    assert project(AT_PROCESSING, event, None).change == "none"


def test_recorded_project_facts_set_the_completion_and_both_counts() -> None:
    decision = project(AT_PROCESSING, PROJECTS, None)
    assert decision.summary == replace(
        AT_PROCESSING,
        project_results_completed_at_ms=STARTED_MS + 6000,
        project_fact_count=7,
        broken_project_fact_count=2,
        version=5,
    )


def test_a_completion_time_never_moves() -> None:
    completed = replace(AT_PROCESSING, project_results_completed_at_ms=5)
    summary = project(completed, PROJECTS, None).summary
    assert summary
    assert (summary.project_results_completed_at_ms, summary.project_fact_count) == (5, 7)


@pytest.mark.parametrize("count", ["project_fact_count", "broken_project_fact_count"])
def test_one_count_alone_is_not_projected(count: str) -> None:
    summary = project(AT_PROCESSING, replace(PROJECTS, metadata={count: "7"}), None).summary
    assert summary == replace(AT_PROCESSING, project_results_completed_at_ms=STARTED_MS + 6000, version=5)


def test_known_counts_are_never_changed() -> None:
    assert project(replace(AT_PROCESSING, project_fact_count=8), PROJECTS, None).change == "conflict"


def test_abandonment_completes_without_counts() -> None:
    counted = replace(AT_PROCESSING, project_fact_count=8, broken_project_fact_count=3)
    abandoned = record_abandoned_entry(QUEUE, REQUEST_ID, timestamp_ms=9, extra={**PROJECTS.metadata, "note": "x"})
    assert project(counted, abandoned, None).summary == replace(counted, project_results_completed_at_ms=9, version=5)


def test_a_completion_never_makes_a_summary() -> None:
    decision = project(None, PROJECTS, REQUEST)
    assert (decision.change, decision.summary, decision.log_id) == ("summary-required", None, PROJECTS.id)


@pytest.mark.parametrize("column", ["accepted_at_ms", "outcome_reason", "project_results_completed_at_ms"])
def test_a_field_without_a_column_stays_unknown(column: str) -> None:
    decision = project_all(None, WHOLE, REQUEST, lambda field: field != column)
    assert decision.summary
    assert not getattr(decision.summary, column)


@pytest.mark.parametrize("column", ["project_fact_count", "broken_project_fact_count"])
def test_counts_are_set_together_or_not_at_all(column: str) -> None:
    summary = project(AT_PROCESSING, PROJECTS, None, lambda field: field != column).summary
    assert summary
    assert (summary.project_fact_count, summary.broken_project_fact_count) == (0, 0)


def test_what_has_no_column_is_no_change_that_is_left_to_write() -> None:
    ended = project_all(None, WHOLE, REQUEST, lambda _: False).summary
    assert project_all(ended, WHOLE, REQUEST, lambda _: False).change == "none"


@pytest.mark.parametrize(
    "entry",
    [
        replace(PROCESSING, state="merged"),
        replace(PROCESSING, metadata={}, malformed_metadata="[]"),
        replace(SUCCEEDED, outcome_reason=""),
        replace(PROCESSING, timestamp_ms=0),
    ],
    ids=["unknown state", "unreadable metadata", "lacks its reason", "timeless"],
)
def test_an_entry_that_could_not_have_been_written_is_not_projected(entry: RequestLog) -> None:
    assert project(None, entry, REQUEST).change == "conflict"


def test_a_summary_needs_the_request_and_its_uri() -> None:
    assert project(None, ACCEPTED, None).change == "conflict"
    assert project(None, ACCEPTED, succeeded_request(uri="")).change == "conflict"
    assert project(None, ACCEPTED, succeeded_request(id="other")).change == "conflict"


def test_a_whole_history_is_one_change_in_any_order() -> None:
    expected = project_all(None, WHOLE, REQUEST)
    parts = (ACCEPTED, PROCESSING, SUCCEEDED, PROJECTS)
    assert {project_all(None, order, REQUEST).summary for order in permutations(parts)} == {expected.summary}
    assert expected.summary
    assert (expected.summary.version, expected.summary.state) == (1, "succeeded")


def test_one_entry_that_contradicts_another_stops_all() -> None:
    rival = replace(PROCESSING, id="log/" + "0" * 64, timestamp_ms=5)
    decision = project_all(None, (ACCEPTED, PROCESSING, rival), REQUEST)
    assert (decision.change, decision.summary) == ("conflict", None)
