"""What the service may still be about to write is pending: counted, never clean away older damage."""

import pytest

from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from tests.support.audits import check, codes, names, queue_of
from tests.support.lifecycles import FIRST_MS, STEP_MS, Life, accepted, failed, processing, succeeded

MIN_AGE_MS = 900_000


def newest_ms(life: Life) -> int:
    return max(row.timestamp_ms for row in life.log.values())


def test_a_current_state_that_is_not_written_yet_is_pending() -> None:
    life = processing(2).lose("state/2")
    life.builds.clear()
    life.log = {key: row for key, row in life.log.items() if row.state}
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + MIN_AGE_MS - 1))
    assert (codes(report), report.pending, report.verdict, report.exit_code) == ([], 1, "clean", 0)


def test_it_is_damage_once_it_is_old_enough() -> None:
    life = processing(2).lose("state/2")
    life.builds.clear()
    life.log = {key: row for key, row in life.log.items() if row.state}
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + MIN_AGE_MS))
    assert (codes(report), report.pending) == (["H102"], 0)


def test_pending_findings_are_shown_on_request() -> None:
    life = processing(2)
    life.drop("state/2").builds.clear()
    life.log = {key: row for key, row in life.log.items() if row.state}
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1), show_pending=True)
    assert [(each.code, each.request_id) for each in report.pending_findings] == [("H102", life.id)]
    assert report.counts == {}


def test_zero_takes_nothing_for_pending() -> None:
    life = processing(2)
    life.drop("state/2").builds.clear()
    life.log = {key: row for key, row in life.log.items() if row.state}
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1), min_age_ms=0)
    assert (codes(report), report.pending) == (["H102"], 0)


def test_a_lost_state_that_later_steps_followed_is_never_pending() -> None:
    life = succeeded(2).lose("state/3")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == (["H102"], 0)


@pytest.mark.parametrize(("lost", "code"), [("state/1", "H103"), ("state/2", "H104")])
def test_an_earlier_state_never_heals_and_is_never_pending(lost: str, code: str) -> None:
    life = failed(2).lose(lost)
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == ([code], 0)


def test_a_build_that_was_just_created_is_pending() -> None:
    life = accepted(2).state("processing", strategy="full").build("build-2").drop("event/build_triggered/build-2")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == ([], 1)


def test_a_build_that_was_polled_already_is_not_pending() -> None:
    life = processing(2).drop("event/build_triggered/build-2")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == (["E201"], 0)


def test_an_ended_build_of_a_request_that_is_not_decided_yet_is_pending() -> None:
    life = accepted(2).state("processing", strategy="full").build("build-2", "failed")
    life.drop("event/build_finished/build-2")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == ([], 1)


def test_an_ended_build_of_a_decided_request_is_not_pending() -> None:
    life = failed(2).drop("event/build_finished/build-2")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == (["E202"], 0)


def test_a_fact_that_was_just_written_is_pending_by_its_own_time() -> None:
    life = failed(2)
    life.drop(life.fact_log_id)
    life.facts = [fact._replace(created_at=FIRST_MS + 10 * MIN_AGE_MS) for fact in life.facts]
    report = check(queue_of(accepted(1), life, now_ms=FIRST_MS + 10 * MIN_AGE_MS + 1))
    assert (codes(report), report.pending) == ([], 1)


def test_a_fact_whose_projects_are_recorded_is_not_pending() -> None:
    life = succeeded(2)
    life.drop(life.fact_log_id)
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) + 1))
    assert (codes(report), report.pending) == (["E206"], 0)


def test_the_projections_of_a_request_that_was_just_accepted_are_pending() -> None:
    no_summary, no_mapping = accepted(2).without("summary", "acceptance"), accepted(3).without("acceptance")
    report = check(queue_of(accepted(1), no_summary, no_mapping, now_ms=newest_ms(no_mapping) + STEP_MS))
    assert (codes(report), report.pending) == ([], 2)


def test_the_projections_of_a_request_that_went_on_are_not_pending() -> None:
    no_summary, no_mapping = failed(2).without("summary", "acceptance"), failed(3).without("acceptance")
    report = check(queue_of(accepted(1), no_summary, no_mapping, now_ms=newest_ms(no_mapping) + STEP_MS))
    assert names(report) == [("A401", no_mapping.id), ("P301", no_summary.id)]


def test_the_databases_clock_decides() -> None:
    life = accepted(2).without("acceptance")
    report = check(queue_of(accepted(1), life, now_ms=newest_ms(life) - 60_000))
    assert report.pending == 1


def mended(life: Life, log_id: str, at_ms: int) -> Life:
    """The entry as a repair at that time has written it, which the summary follows."""
    metadata = {**(parse_metadata(life.log[log_id].metadata) or {}), "repair_run_id": "a-run"}
    return life.change_entry(log_id, timestamp_ms=at_ms, metadata=metadata_text(metadata)).projected()


def test_an_entry_that_a_repair_wrote_makes_no_request_look_fresh() -> None:
    now_ms = FIRST_MS + 10 * MIN_AGE_MS
    life = mended(failed(2), "event/build_triggered/build-2", now_ms - 1)
    life.drop(life.fact_log_id)
    report = check(queue_of(accepted(1), life, now_ms=now_ms))
    assert (codes(report), report.pending) == (["E206"], 0)


def test_a_summary_that_moved_on_by_a_repair_makes_no_request_look_fresh() -> None:
    now_ms = FIRST_MS + 10 * MIN_AGE_MS
    life = mended(failed(2), "state/3", now_ms - 1)
    life.drop(life.fact_log_id)
    report = check(queue_of(accepted(1), life, now_ms=now_ms))
    assert (codes(report), report.pending) == (["E206"], 0)


def test_what_the_service_wrote_beside_a_repair_counts_all_the_same() -> None:
    life = mended(failed(2), "event/build_triggered/build-2", FIRST_MS + 10 * MIN_AGE_MS)
    life.drop(life.fact_log_id)
    report = check(queue_of(accepted(1), life, now_ms=life.log["state/3"].timestamp_ms + MIN_AGE_MS - 1))
    assert (codes(report), report.pending) == ([], 1)
