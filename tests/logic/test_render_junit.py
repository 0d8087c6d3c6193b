"""JUnit reports: whole documents, and what XML cannot hold made visible."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.render.context import ErrorView
from stovepipe_cli.render.junit import junit_text
from stovepipe_cli.reports import Coverage, VerifyReport
from tests.support.hostile import HOSTILE, hostile_run
from tests.support.report_samples import finding

AT_MS = 1_767_268_800_000


def parsed(*runs: AuditRun) -> ET.Element:
    return ET.fromstring(junit_text(runs))  # noqa: S314 - written a moment ago


def report(**changes: object) -> VerifyReport:
    base = VerifyReport(
        run_id=None,
        scope=None,
        coverage={"requests": Coverage(5, 0, absent=False), "issues": Coverage(0, 0, absent=True)},
        counts={},
        findings=(),
        findings_total=0,
        legacy_requests=0,
        pending=0,
        history_since=None,
        notes=(),
        blocking=(),
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # fields by name


def run_of(**changes: object) -> AuditRun:
    made = report(**changes)
    return AuditRun("q", "", AT_MS, made.exit_code, report=made)


def outcomes(*runs: AuditRun) -> list[tuple[str | None, str | None]]:
    """The class and the outcome of each case."""
    return [
        (case.get("classname"), next((child.tag for child in case), None)) for case in parsed(*runs).iter("testcase")
    ]


def test_a_clean_run_is_a_passing_case_for_each_table_that_is_there() -> None:
    assert outcomes(run_of()) == [("q.coverage", None), ("q.coverage", "skipped")]


def test_a_finding_that_decides_the_verdict_is_a_failure() -> None:
    failing = run_of(findings=(finding("H102"),), counts={"H102": 1}, severities={"error": 1})
    assert ("q.H102", "failure") in outcomes(failing)


def test_a_finding_below_the_severity_that_counts_is_skipped() -> None:
    mild = run_of(findings=(finding("H110", severity="warning"),), counts={"H110": 1}, severities={"warning": 1})
    assert ("q.H110", "skipped") in outcomes(mild)
    strict = run_of(
        findings=(finding("H110", severity="warning"),),
        counts={"H110": 1},
        severities={"warning": 1},
        fail_on="warning",
    )
    assert ("q.H110", "failure") in outcomes(strict)


def test_a_known_finding_is_skipped_with_its_reason() -> None:
    known = run_of(
        findings=(finding("H102"),),
        counts={"H102": 1},
        severities={"error": 1},
        known={"H102": 1},
        known_findings={finding("H102").id: "old import"},
        known_severities={"error": 1},
    )
    (case,) = [case for case in parsed(known).iter("testcase") if case.get("classname") == "q.H102"]
    assert (case[0].tag, (case[0].get("message") or "")[:18]) == ("skipped", "known (old import)")


def test_what_could_not_be_judged_is_an_error() -> None:
    partly = run_of(coverage={"requests": Coverage(5, 1, absent=False)}, blocking=("no request has history",))
    assert outcomes(partly) == [("q.coverage", "error"), ("q.coverage", "error")]


def test_a_run_that_failed_is_one_error() -> None:
    failed = AuditRun("q", "", AT_MS, 6, error=ErrorView("storage-unavailable", "gone", "wait", retryable=True))
    assert outcomes(failed) == [("q.verify", "error")]


@pytest.mark.parametrize(
    ("code", "severity", "outcome"), [("H102", "error", "failure"), ("H110", "warning", "skipped")]
)
def test_findings_beyond_the_listed_ones_are_one_more_case(code: str, severity: str, outcome: str) -> None:
    cut = run_of(findings=(finding("H101"),), counts={"H101": 1, code: 40}, severities={"error": 1, severity: 40})
    assert outcomes(cut)[-1] == (f"q.{code}", outcome)
    assert "40 more of" in junit_text([cut])


def test_counts_of_several_queues_add_up() -> None:
    failing = run_of(findings=(finding("H102"),), counts={"H102": 1}, severities={"error": 1})
    root = parsed(failing, run_of(), run_of(blocking=("x",)))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "1", "1")
    assert [suite.get("tests") for suite in root] == ["3", "2", "3"]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_makes_a_document_that_a_strict_parser_reads(text: str) -> None:
    root = parsed(hostile_run(text))
    cases = list(root.iter("testcase"))
    assert len(cases) == 6
    assert all(case.get("classname") for case in cases)


def test_characters_that_xml_cannot_hold_are_spelled_out() -> None:
    text = junit_text([hostile_run("a\x00b\ufffec\x1bd\u202ee")])
    assert "a\\x00b\\ufffec\\x1bd\\u202ee" in text


def test_a_line_break_in_a_value_does_not_break_the_lines_of_a_failure() -> None:
    root = parsed(hostile_run("one\ntwo"))
    (failure,) = root.iter("failure")
    assert "found: one\\ntwo" in (failure.text or "").splitlines()
