"""The demonstration ends as its scenario says, and says so when it does not."""

from dataclasses import replace

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.demo import run_demo
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.reports import json_form
from stovepipe_cli.storage.open import open_storage


def test_it_ends_with_exactly_what_the_scenario_leaves() -> None:
    with open_storage("memory://") as factory:
        report = run_demo(factory, clock=SystemClock())
    expectation = bundled("demo").expectation
    assert report.is_as_expected
    assert report.exit_code == 0
    assert {each.why for each in report.left} == {left.why for left in expectation.after_repair}
    assert report.mended == len(expectation.findings) - len(expectation.after_repair)


def test_the_history_it_shows_has_gaps() -> None:
    with open_storage("memory://") as factory:
        report = run_demo(factory, clock=SystemClock())
    assert {gap.code for gap in report.history.gaps} == {"H102", "H103", "E206"}


def test_every_step_stands_in_its_json_form() -> None:
    with open_storage("memory://") as factory:
        form = json_form(run_demo(factory, clock=SystemClock()))
    assert isinstance(form, dict)
    assert list(form) == [
        "scenario",
        "queue",
        "description",
        "loaded",
        "history",
        "before",
        "plan",
        "applied",
        "after",
        "mended",
        "left",
        "not_left",
        "is_as_expected",
    ]


def test_damage_that_nobody_expected_to_stay_is_no_success() -> None:
    told = bundled("demo")
    fewer = replace(told, expectation=replace(told.expectation, after_repair=told.expectation.after_repair[1:]))
    with open_storage("memory://") as factory:
        report = run_demo(factory, clock=SystemClock(), scenario=fewer)
    assert report.exit_code == 3
    assert [each.finding.code for each in report.left if not each.why] == ["H103"]


def test_damage_that_was_expected_to_stay_and_did_not_is_no_success() -> None:
    told = bundled("demo")
    remainder = replace(told.expectation.after_repair[0], code="U501", request_id="208")
    more = replace(
        told, expectation=replace(told.expectation, after_repair=(*told.expectation.after_repair, remainder))
    )
    with open_storage("memory://") as factory:
        report = run_demo(factory, clock=SystemClock(), scenario=more)
    assert report.exit_code == 3
    assert report.not_left == ("U501 208",)
