"""What follows from something else is not reported beside it, and comes out when that is not looked for."""

from tests.support.audits import found
from tests.support.lifecycles import Life, accepted, failed, processing, succeeded, superseded


def without_history(number: int) -> Life:
    life = succeeded(number)
    return life.drop(*life.log)


def test_a_missing_history_hides_everything_that_it_lacks() -> None:
    life = without_history(2)
    assert found(accepted(1), life) == [("H101", life.id)]


def test_what_is_hidden_shows_where_the_cause_is_not_selected() -> None:
    life = without_history(2)
    assert found(accepted(1), life, select=("E",)) == [("E201", life.id), ("E202", life.id), ("E206", life.id)]
    assert found(accepted(1), life, ignore=("H101",)) == [
        ("E201", life.id),
        ("E202", life.id),
        ("E206", life.id),
        ("P303", life.id),
    ]


def test_a_missing_history_does_not_hide_what_has_another_cause() -> None:
    life = without_history(2).without("uri", "acceptance")
    assert found(accepted(1), life) == [("A401", life.id), ("H101", life.id), ("U501", life.id)]


def test_a_missing_current_state_hides_the_summary_that_kept_it() -> None:
    life = superseded(2).drop("state/2")
    assert found(accepted(1), life) == [("H102", life.id)]
    assert found(accepted(1), life, select=("P",)) == [("P303", life.id)]


def test_a_missing_current_state_does_not_hide_a_summary_of_another_version() -> None:
    life = superseded(2).drop("state/2").change_summary(request_version=5)
    assert found(accepted(1), life) == [("H102", life.id), ("P303", life.id)]


def test_a_wrong_state_hides_the_summary_that_differs_from_it() -> None:
    life = failed(2).change_entry("state/3", state="cancelled", outcome_reason="build_cancelled")
    assert found(accepted(1), life) == [("H105", life.id)]


def test_a_newer_entry_hides_that_the_summary_is_behind_it() -> None:
    life = processing(2)
    life.change_request(state="accepted", version=1, build_strategy="")
    life.change_summary(request_version=1, state="accepted")
    assert found(accepted(1), life) == [("H106", life.id)]


def test_a_missing_summary_hides_the_missing_mapping() -> None:
    life = succeeded(2).without("summary", "acceptance")
    assert found(accepted(1), life) == [("P301", life.id)]


def test_an_orphan_is_only_an_orphan() -> None:
    life = succeeded(2)
    life.without("request")
    assert [code for code, request_id in found(accepted(1), life) if request_id == "request/monorepo/main/2"] == [
        "H109"
    ]


def test_an_invalid_entry_hides_what_rests_on_it() -> None:
    life = superseded(2).change_entry("state/2", outcome_reason="build_failed")
    assert found(accepted(1), life) == [("H111", life.id)]


def test_invalid_metadata_hides_the_counts_that_rest_on_it() -> None:
    life = succeeded(2)
    life.change_entry("event/project_facts_recorded/all", metadata='{"project_fact_count":"9","x":7}')
    assert found(accepted(1), life) == [("H115", life.id)]


def test_an_unknown_build_hides_nothing_of_another_entry() -> None:
    life = processing(2).event("build_finished", "build-2", build_id="build-2")
    life.event("build_triggered", "gone", build_id="gone")
    assert found(accepted(1), life) == [("E203", life.id), ("E204", life.id)]


def test_a_missing_fact_hides_that_there_is_no_verdict() -> None:
    life = failed(2)
    life.facts.clear()
    assert found(accepted(1), life) == [("E209", life.id)]
    assert found(accepted(1), life, select=("E210",)) == [("E210", life.id)]


def test_two_losses_of_one_request_are_both_reported() -> None:
    life = succeeded(2).lose("state/2", "state/3").drop("event/build_finished/build-2")
    assert found(accepted(1), life) == [("E202", life.id), ("H102", life.id), ("H104", life.id)]
