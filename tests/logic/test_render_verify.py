"""A verify for people: the worst first, what was read, and the verdict as the last line."""

from dataclasses import replace
from textwrap import dedent

import pytest

from stovepipe_cli.render.context import OutputFormat
from stovepipe_cli.render.output import hints
from stovepipe_cli.render.verify_text import verify_hints
from stovepipe_cli.reports import Coverage, Finding, VerifyReport
from tests.support.report_samples import HOSTILE, PIPE, TERMINAL, finding, shown

COVERAGE = {"requests": Coverage(1300, 0, absent=False), "issues": Coverage(0, 0, absent=True)}
CLEAN = VerifyReport(
    run_id=None,
    scope=None,
    coverage=COVERAGE,
    counts={},
    findings=(),
    findings_total=0,
    legacy_requests=20,
    pending=2,
    history_since="21",
    notes=("there is no issue table",),
    blocking=(),
)


def with_findings(*findings: Finding) -> VerifyReport:
    codes = [each.code for each in findings]
    severities = [each.severity for each in findings]
    return replace(
        CLEAN,
        findings=findings,
        findings_total=len(findings),
        counts={code: codes.count(code) for code in codes},
        severities={severity: severities.count(severity) for severity in severities},
    )


def test_findings_stand_by_code_before_the_account_and_the_verdict() -> None:
    report = with_findings(
        finding("E202"),
        finding("H108", message="states 2 and 3 form no edge", repair=None),
        finding("H110", severity="warning"),
    )

    assert shown(report, TERMINAL) == dedent(
        """\
        E202 some-rule  error  1
          request 'request/monorepo/main/1' lacks something

        H108 some-rule  error  1
          request/monorepo/main/1  states 2 and 3 form no edge

        H110 some-rule  warning  1
          request 'request/monorepo/main/1' lacks something

        Without a repair: H108 (1). A repair would have to change or delete rows, or
        nothing stored proves what to write. 'stovepipe rules explain CODE' says what to
        do.

        checked   requests 1,300
        no table  issues
        legacy    20 requests from before history was kept; it starts with '21'
        pending   2 findings about steps too young to judge
        note      there is no issue table

        findings: 2 errors, 1 warning
        """
    )


@pytest.mark.parametrize(
    ("report", "verdict"),
    [
        (CLEAN, "clean"),
        (replace(CLEAN, scope="last 500 requests"), "clean (scope: last 500 requests)"),
        (with_findings(finding("H110", severity="warning")), "clean with 1 warning"),
        (with_findings(finding("H101")), "findings: 1 error"),
        (replace(with_findings(finding("H101")), scope="--last 5"), "findings: 1 error (scope: --last 5)"),
        (
            replace(with_findings(finding("H101")), blocking=("out of time",)),
            "findings: 1 error; incomplete as well: not everything could be judged",
        ),
        (replace(CLEAN, blocking=("out of time",)), "incomplete: not everything could be judged"),
        (
            replace(with_findings(finding("H110", severity="warning")), blocking=("out of time",)),
            "incomplete: not everything could be judged, with 1 warning",
        ),
    ],
)
def test_the_last_line_is_the_verdict(report: VerifyReport, verdict: str) -> None:
    assert shown(report, PIPE).splitlines()[-1] == verdict


@pytest.mark.parametrize(("output", "told"), [("tsv", True), ("csv", True), ("table", False), ("json", False)])
def test_rows_leave_it_to_stderr_to_say_why_it_is_incomplete(output: OutputFormat, *, told: bool) -> None:
    report = replace(CLEAN, blocking=("no request has history",), notes=("no request has history", "no time left"))
    reasons = ("incomplete: no request has history", "note: no time left")
    assert hints(report, replace(PIPE, output=output)) == (reasons if told else ())


def test_notes_of_a_whole_verify_are_left_out_of_stderr() -> None:
    assert hints(CLEAN, replace(PIPE, output="tsv")) == ()


def test_what_was_skipped_and_why_it_is_incomplete_is_told_once() -> None:
    coverage = {"builds": Coverage(1, 12, absent=False)}
    text = shown(replace(CLEAN, coverage=coverage, blocking=("no time left",), notes=("no time left",)), TERMINAL)

    assert "skipped     builds 12\n" in text
    assert text.count("no time left") == 1


def test_a_terminal_gets_the_first_ten_of_a_code_and_the_number_of_the_others() -> None:
    report = with_findings(*(finding("E202", number) for number in range(25)))
    text = shown(report, TERMINAL)

    assert "error  25" in text
    assert "… and 15 more" in text
    assert "main/9'" in text
    assert "main/10'" not in text


def test_a_pipe_gets_every_finding_that_the_report_holds() -> None:
    report = with_findings(*(finding("E202", number) for number in range(25)))
    text = shown(report, PIPE)

    assert "main/24'" in text
    assert "more" not in text
    assert "…" not in text


def test_findings_that_the_report_left_out_are_counted_everywhere() -> None:
    report = replace(with_findings(finding("E202")), counts={"E202": 9}, findings_total=9)

    assert "and 8 more" in shown(report, PIPE)
    assert "9 findings, of which 1 are listed" in verify_hints(report)[-1]


def test_pending_findings_are_marked_as_such() -> None:
    assert "H102 some-rule  pending error  1" in shown(replace(CLEAN, pending_findings=(finding("H102"),)), TERMINAL)


def test_detail_shows_what_was_expected_and_found() -> None:
    text = shown(with_findings(finding("H102")), replace(PIPE, detail=True))

    assert "expected an entry  found none  H102:0123456789abcdef" in text


def test_a_finding_about_no_request_names_its_row() -> None:
    report = with_findings(replace(finding("Q601"), request_id=None, message="the row is missing"))

    assert "  request_log request/monorepo/main/1 state/2  the row is missing\n" in shown(report, PIPE)


def test_hints_are_the_commands_that_repair_each_once() -> None:
    report = with_findings(finding("H102"), finding("E202"), finding("A401", repair="stovepipe backfill acceptances"))

    assert hints(report, TERMINAL) == (
        "next: stovepipe repair plan -q monorepo/main",
        "next: stovepipe backfill acceptances",
    )


def test_a_command_for_one_request_is_kept_and_those_for_several_become_one() -> None:
    one = finding("H102", 1, repair="stovepipe repair plan -q q --request 1")
    two = finding("E202", 2, repair="stovepipe repair plan -q q --request 2")

    assert verify_hints(with_findings(one, one)) == ("next: stovepipe repair plan -q q --request 1",)
    assert verify_hints(with_findings(one, two)) == ("next: stovepipe repair plan -q q",)


def test_many_different_commands_are_counted_after_the_fifth() -> None:
    report = with_findings(*(finding("H102", number, repair=f"stovepipe x {number}") for number in range(8)))

    assert verify_hints(report)[-1].startswith("and 3 more commands")


@pytest.mark.parametrize("text", HOSTILE)
def test_data_is_shown_literally(text: str) -> None:
    report = replace(with_findings(finding("H102", text, message=text)), notes=(text,), scope=text)

    answer = shown(report, PIPE)
    assert answer.count(text) >= 4
    assert "\x1b" not in answer
