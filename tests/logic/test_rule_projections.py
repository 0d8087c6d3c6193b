"""P301 to P307: the summary against what it was projected from."""

import pytest

from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import StandingClock, check, codes, found, queue_of
from tests.support.lifecycles import LONG_AFTER_MS, QUEUE, accepted, failed, processing, put, succeeded, superseded


def test_p301_history_without_a_summary() -> None:
    life = succeeded(2).without("summary", "acceptance")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.subject.table, finding.subject.key) == (
        "P301",
        "request_summary",
        {"request_id": life.id},
    )
    assert finding.repair is not None


def test_p302_a_summary_that_did_not_follow() -> None:
    life = superseded(2).change_summary(request_version=1, state="accepted", outcome_reason="")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.expected, finding.found) == ("P302", 2, 1)


def test_p303_a_summary_of_a_version_that_is_not_retained() -> None:
    life = superseded(2)
    life.change_summary(request_version=3)
    assert found(accepted(1), life) == [("P303", life.id)]


def test_p303_of_a_version_that_the_request_never_had_names_no_repair() -> None:
    life = succeeded(2).change_summary(request_version=4)
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.repair) == ("P303", None)


def test_p301_of_a_request_without_a_commit_names_no_repair() -> None:
    life = superseded(2).without("summary", "acceptance", "uri").change_request(uri="")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.repair) == ("P301", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("state", "failed"),
        ("state_timestamp_ms", 5),
        ("outcome_reason", "processing_failed"),
        ("uri", "git://elsewhere"),
    ],
)
def test_p304_a_summary_that_says_something_else(field: str, value: str | int) -> None:
    life = superseded(2).change_summary(**{field: value})
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert finding.code == "P304"
    assert finding.found == {field: value}


def test_p304_another_baseline_than_the_entry() -> None:
    life = processing(2).change_summary(base_uri="git://elsewhere")
    assert found(accepted(1), life) == [("P304", life.id)]


def test_p304_is_silent_where_the_entry_has_no_baseline() -> None:
    life = failed(2).change_entry("state/3", metadata="{}").change_summary(base_uri="git://elsewhere")
    assert found(accepted(1), life) == []


def test_p304_is_silent_where_the_reason_is_unknown() -> None:
    assert found(accepted(1), superseded(2).change_summary(outcome_reason="")) == []


def test_p305_another_accepted_time_than_the_accepted_entry() -> None:
    life = superseded(2)
    life.change_entry("state/1", timestamp_ms=life.log["state/1"].timestamp_ms + 1)
    assert found(accepted(1), life) == [("P305", life.id)]


def test_p306_an_accepted_time_that_was_never_taken_over() -> None:
    life = superseded(2).change_summary(accepted_at_ms=0).without("acceptance")
    report = check(queue_of(accepted(1), life))
    (finding,) = report.findings
    assert (finding.code, finding.severity, report.verdict) == ("P306", "warning", "clean")


def test_p306_is_silent_where_the_database_has_no_such_column() -> None:
    factory = MemoryFactory(
        clock=lambda: LONG_AFTER_MS, absent_columns={"request_summary": frozenset({"accepted_at_ms"})}
    )
    storage = factory.for_queue(QUEUE)
    put(storage, superseded(1).change_summary(accepted_at_ms=0).without("acceptance"))
    assert codes(check(storage, clock=StandingClock())) == []


def test_p307_a_completion_time_of_no_entry() -> None:
    life = succeeded(2).change_summary(project_results_completed_at_ms=5)
    assert found(accepted(1), life) == [("P307", life.id)]


def test_p307_leads_to_a_repair_where_the_event_itself_was_lost() -> None:
    life = succeeded(2)
    at_ms = life.log["event/project_facts_recorded/all"].timestamp_ms
    life.change_summary(project_results_completed_at_ms=at_ms, project_fact_count=2, broken_project_fact_count=1)
    life.drop("event/project_facts_recorded/all")
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.repair is not None) == ("P307", True)


def test_p307_of_rows_that_disagree_has_no_repair() -> None:
    life = succeeded(2).change_summary(project_results_completed_at_ms=5)
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.repair) == ("P307", None)


def test_p307_other_counts_than_the_event() -> None:
    life = succeeded(2)
    at_ms = life.log["event/project_facts_recorded/all"].timestamp_ms
    life.change_summary(project_results_completed_at_ms=at_ms, project_fact_count=2, broken_project_fact_count=0)
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.expected, finding.found) == (
        "P307",
        {"broken_project_fact_count": 1},
        {"broken_project_fact_count": 0},
    )


def test_p307_is_silent_where_everything_fits() -> None:
    life = succeeded(2)
    at_ms = life.log["event/project_facts_recorded/all"].timestamp_ms
    life.change_summary(project_results_completed_at_ms=at_ms, project_fact_count=2, broken_project_fact_count=1)
    assert found(accepted(1), life) == []
