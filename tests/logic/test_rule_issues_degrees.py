"""I701 to I703 and D801 to D803."""

import pytest

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    IssueLogRow,
    OpenIssueRow,
    ProjectFactByDegreeRow,
    ValidationFactRow,
)
from tests.support.audits import check, codes, queue_of
from tests.support.lifecycles import FIRST_MS, succeeded

OPEN = OpenIssueRow("lint", "src/a", "build-1")
OPENED = IssueLogRow("lint", "src/a", "build-1", "opened", FIRST_MS)
OTHER = IssueLogRow("test", "", "build-1", "opened", FIRST_MS)
SEEN = BuildIssueRow("build-1", "lint", "src/a")

settled = pytest.mark.parametrize("settle_ms", [0, 10])


def queue_with(*rows: OpenIssueRow | IssueLogRow | BuildIssueRow | ProjectFactByDegreeRow) -> Storage:
    storage = queue_of(succeeded(1))
    storage.bulk.insert(rows)
    return storage


@settled
def test_i701_an_open_issue_without_its_transition(settle_ms: int) -> None:
    (finding,) = check(queue_with(OPEN, OTHER), settle_ms=settle_ms).findings
    assert (finding.code, finding.severity, finding.request_id) == ("I701", "info", None)
    assert finding.subject.key == {"task_id": "lint", "unit_id": "src/a"}


def test_i701_a_transition_of_another_opening_does_not_count() -> None:
    assert codes(check(queue_with(OPEN, OPENED._replace(build_id="build-0")))) == ["I701"]


def test_i701_is_silent_where_the_queue_records_no_transitions() -> None:
    assert codes(check(queue_with(OPEN))) == []


@settled
def test_i702_the_first_build_observed_other_issues_only(settle_ms: int) -> None:
    storage = queue_with(OPEN, OPENED, BuildIssueRow("build-1", "lint", "src/b"))
    assert codes(check(storage, settle_ms=settle_ms)) == ["I702"]


def test_i702_is_silent_where_the_build_observed_it_or_nothing() -> None:
    assert codes(check(queue_with(OPEN, OPENED, SEEN))) == []
    assert codes(check(queue_with(OPEN, OPENED, BuildIssueRow("build-2", "lint", "src/b")))) == []


@settled
def test_i703_resolved_after_it_was_opened(settle_ms: int) -> None:
    resolved = IssueLogRow("lint", "src/a", "build-2", "resolved", FIRST_MS + 1)
    assert codes(check(queue_with(OPEN, OPENED, resolved), settle_ms=settle_ms)) == ["I703"]


def test_i703_is_silent_for_what_was_resolved_before() -> None:
    resolved = IssueLogRow("lint", "src/a", "build-0", "resolved", FIRST_MS)
    assert codes(check(queue_with(OPEN, OPENED, resolved))) == []


def mappings() -> list[ProjectFactByDegreeRow]:
    return [ProjectFactByDegreeRow(fact.uri, fact.degree, fact.project) for fact in project_facts()]


def project_facts() -> list[ValidationFactRow]:
    return [fact for fact in succeeded(1).facts if fact.project]


def test_mappings_that_fit_are_clean() -> None:
    report = check(queue_with(*mappings()))
    assert (codes(report), report.coverage["degrees"].checked, report.notes) == ([], 2, ())


@settled
def test_d801_a_project_fact_without_a_mapping(settle_ms: int) -> None:
    (finding,) = check(queue_with(mappings()[0]), settle_ms=settle_ms).findings
    assert (finding.code, finding.severity, finding.request_id) == ("D801", "info", succeeded(1).id)


def test_an_empty_mapping_table_is_one_note() -> None:
    report = check(queue_with())
    assert (codes(report), report.notes) == (
        [],
        ("no project fact is mapped by degree yet: rule D801 was not checked",),
    )


@settled
def test_d802_a_mapping_without_a_fact(settle_ms: int) -> None:
    storage = queue_with(*mappings(), ProjectFactByDegreeRow("git://gone", 0.5, "p"))
    (finding,) = check(storage, settle_ms=settle_ms).findings
    assert (finding.code, finding.severity) == ("D802", "error")


@settled
def test_d803_a_mapping_of_another_degree_is_no_missing_one(settle_ms: int) -> None:
    right, wrong = mappings()
    storage = queue_with(right, wrong._replace(degree=0.75))
    (finding,) = check(storage, settle_ms=settle_ms).findings
    assert (finding.code, finding.expected, finding.found) == ("D803", 0.5, 0.75)
