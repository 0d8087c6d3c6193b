"""What the service writes in all its courses is no damage."""

from collections.abc import Callable

import pytest

from stovepipe_cli.storage.contract.rows import RequestRow
from tests.support.audits import check, codes, found, queue_of
from tests.support.lifecycles import (
    FIRST_MS,
    Life,
    accepted,
    cancelled,
    failed,
    failed_early,
    healthy,
    polling_exhausted,
    processing,
    succeeded,
    superseded,
)

KINDS: list[Callable[[int], Life]] = [
    accepted,
    superseded,
    failed_early,
    processing,
    polling_exhausted,
    cancelled,
    failed,
    succeeded,
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_in_any_state_is_clean(kind: Callable[[int], Life]) -> None:
    report = check(queue_of(kind(1)))
    assert (codes(report), report.verdict, report.exit_code) == ([], "clean", 0)


def test_a_queue_of_every_kind_is_clean_and_counted_whole() -> None:
    report = check(queue_of(*healthy(40)))
    assert (codes(report), report.verdict) == ([], "clean")
    assert report.coverage["requests"].checked == 40
    assert all(part.skipped == 0 and not part.absent for part in report.coverage.values())


def test_decimal_ids_are_clean() -> None:
    assert found(*(succeeded(number, form="decimal") for number in range(1, 15))) == []


def test_a_second_build_that_is_still_running_is_clean() -> None:
    life = succeeded(1)
    life.build("build-1-again", "running")
    assert found(life) == []


def test_a_second_build_that_ended_otherwise_is_clean() -> None:
    life = succeeded(1)
    life.build("build-1-again", "failed")
    assert found(life) == []


def test_a_named_deciding_build_beside_another_is_clean() -> None:
    life = failed(1).change_request(terminal_build_id="build-1")
    life.build("build-1-again", "succeeded")
    assert found(life) == []


def test_a_failure_after_processing_without_any_build_is_clean() -> None:
    life = accepted(1).state("processing", strategy="full").state("failed", "processing_failed")
    assert found(life) == []


def test_a_summary_without_the_later_columns_is_no_error() -> None:
    life = failed(1).change_summary(outcome_reason="", accepted_at_ms=0).without("acceptance")
    assert found(life) == [("P306", life.id)]


def test_a_build_in_the_terminal_state_entry_is_clean() -> None:
    life = succeeded(1).change_entry(
        "state/3", metadata='{"base_uri": "git://code.example/base", "build_id": "build-1"}'
    )
    assert found(life) == []


def test_an_abandoned_recording_is_clean() -> None:
    life = accepted(1).state("processing", strategy="full").build("build-1", "succeeded")
    life.state("succeeded", "build_succeeded").event("record_abandoned", "repository")
    assert found(life) == []


def test_project_counts_without_the_broken_ones_are_clean() -> None:
    life = succeeded(1).change_entry("event/project_facts_recorded/all", metadata='{"project_fact_count":"2"}')
    assert found(life) == []


def test_more_project_facts_than_were_counted_are_clean() -> None:
    life = succeeded(1).change_entry("event/project_facts_recorded/all", metadata='{"project_fact_count":"1"}')
    assert found(life) == []


def test_the_obsolete_identity_of_a_recorded_fact_is_accepted() -> None:
    life = succeeded(1)
    life.change_entry(life.fact_log_id, log_id="event/validation_fact_recorded/repository")
    assert found(life) == []


def test_the_obsolete_identity_of_a_state_is_accepted() -> None:
    life = superseded(1).change_entry("state/2", log_id="log/" + "ab" * 32)
    assert found(life) == []


def test_events_of_a_newer_service_are_clean() -> None:
    life = succeeded(1)
    life.event("build_analysis_completed", "build-1", issue_count="3").event("issues_reconciled", "build-1")
    life.event("fix_submitted", "0" * 64).event("issue_tracking_abandoned", "f" * 64)
    assert found(life) == []


def test_requests_that_were_in_flight_when_history_began_are_clean() -> None:
    waiting = superseded(1).lose("state/1")
    building = succeeded(2).lose("state/1", "state/2").drop("event/build_triggered/build-2")
    ended = failed(3).legacy()
    report = check(queue_of(ended, waiting, building, succeeded(4)))
    assert (codes(report), report.history_since, report.legacy_requests) == ([], "request/monorepo/main/4", 1)


def test_a_state_that_only_an_old_service_wrote_is_left_alone() -> None:
    life = failed(1).legacy()
    life.change_request(state="recorded_not_green")
    assert found(life, succeeded(2)) == []


def test_a_request_without_a_uri_is_left_alone() -> None:
    life = superseded(1)
    assert isinstance(life.request, RequestRow)
    life.change_request(uri="").change_summary(uri="").without("uri")
    assert found(life) == []


def test_a_project_fact_alone_needs_no_entry() -> None:
    life = succeeded(1)
    life.facts = [fact for fact in life.facts if fact.project] + [life.facts[0]]
    assert found(life) == []


def test_a_queue_name_with_slashes_and_odd_letters_is_clean() -> None:
    queue = "mono/repo?x=1&y/main"
    storage = queue_of(*(succeeded(number, queue=queue) for number in range(1, 4)), queue=queue)
    assert check(storage).verdict == "clean"


def test_young_requests_are_clean_too() -> None:
    assert found(*healthy(20), now_ms=FIRST_MS + 21 * 60_000) == []
