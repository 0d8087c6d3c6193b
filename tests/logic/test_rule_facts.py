"""E206 to E210 and E212: facts and the entries about them."""

from stovepipe_cli.storage.contract.rows import ValidationFactRow
from tests.support.audits import check, found, queue_of
from tests.support.lifecycles import (
    FIRST_MS,
    accepted,
    cancelled,
    failed,
    polling_exhausted,
    processing,
    succeeded,
    superseded,
)


def test_e206_a_fact_without_its_entry() -> None:
    life = succeeded(2)
    log_id = life.fact_log_id
    life.drop(log_id)
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.request_id, finding.subject.key["log_id"]) == ("E206", life.id, log_id)
    assert finding.repair is not None


def test_e206_a_fact_of_no_known_request_is_found_as_well() -> None:
    storage = queue_of(accepted(1))
    storage.bulk.insert([ValidationFactRow("git://lost", "", 0.0, "request/monorepo/main/9", FIRST_MS)])
    (finding,) = check(storage).findings
    assert (finding.code, finding.repair) == ("E206", None)


def test_e207_another_degree() -> None:
    life = succeeded(2)
    life.change_entry(life.fact_log_id, metadata='{"fact_degree":"1"}')
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert (finding.code, finding.expected, finding.found) == ("E207", {"fact_degree": 0.0}, {"fact_degree": 1.0})


def test_e207_compares_degrees_as_numbers() -> None:
    life = succeeded(2)
    life.change_entry(life.fact_log_id, metadata='{"fact_degree":"0.0"}')
    assert found(accepted(1), life) == []


def test_e207_a_digest_of_another_commit() -> None:
    life = succeeded(2)
    life.change_entry(life.fact_log_id, log_id="event/validation_fact_recorded/" + "a" * 64)
    assert found(accepted(1), life) == [("E207", life.id)]


def test_e208_a_fact_of_a_request_that_gets_none() -> None:
    lives = [superseded(2), cancelled(3), processing(4), accepted(5)]
    for life in lives:
        life.fact(0.0)
    assert found(accepted(1), *lives) == [("E208", life.id) for life in lives]


def test_e209_an_entry_without_its_fact() -> None:
    life = failed(2)
    life.facts.clear()
    assert found(accepted(1), life) == [("E209", life.id)]


def test_e209_the_fact_belongs_to_another_request() -> None:
    life = failed(2)
    life.facts = [life.facts[0]._replace(request_id="request/monorepo/main/3")]
    other = failed(3)
    other.facts.clear()
    assert ("E209", life.id) in found(accepted(1), life, other)


def test_e210_no_verdict_long_after_the_end() -> None:
    life = failed(2)
    life.drop(life.fact_log_id).facts.clear()
    report = check(queue_of(accepted(1), life))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.repair) == ("E210", "warning", None)
    assert report.verdict == "clean"


def test_e210_waits_for_the_minimum_age() -> None:
    life = failed(2)
    ended_ms = life.log["state/3"].timestamp_ms
    life.drop(life.fact_log_id).facts.clear()
    assert found(accepted(1), life, now_ms=ended_ms + 899_999) == []
    assert found(accepted(1), life, now_ms=ended_ms + 900_000) == [("E210", life.id)]


def test_e210_is_silent_for_every_other_end() -> None:
    assert found(accepted(1), polling_exhausted(2), cancelled(3), superseded(4)) == []


def test_e210_is_silent_where_the_reason_is_unknown() -> None:
    life = failed(2).drop("state/3").change_summary(outcome_reason="")
    life.drop(life.fact_log_id).facts.clear()
    assert found(accepted(1), life) == [("H102", life.id)]


def test_e212_fewer_project_facts_than_were_counted() -> None:
    life = succeeded(2, projects=(0.0, 0.5, 1.0))
    life.facts = [fact for fact in life.facts if fact.degree < 1]
    (finding,) = check(queue_of(accepted(1), life)).findings
    assert finding.code == "E212"
    assert finding.expected == {"project_fact_count": 3, "broken_project_fact_count": 2}
    assert finding.found == {"project_fact_count": 2, "broken_project_fact_count": 1}


def test_e212_does_not_count_what_other_requests_own() -> None:
    life = succeeded(2)
    life.facts = [fact._replace(request_id="x") if fact.project == "project/1" else fact for fact in life.facts]
    assert found(accepted(1), life) == [("E212", life.id)]


def test_e212_fewer_broken_ones_alone() -> None:
    life = succeeded(2, projects=(0.0, 0.5))
    life.facts = [fact._replace(degree=0.0) for fact in life.facts]
    assert found(accepted(1), life) == [("E212", life.id)]
