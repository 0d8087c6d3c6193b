"""Which entries of a damaged request are missing, and what the rows say of each, in the order they happened."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES, TERMINAL_STATES
from stovepipe_cli.history.identity import parse_log_id, state_log_id
from stovepipe_cli.repair.decision import Decision, OperatorDecisions, not_derivable
from stovepipe_cli.repair.evidence import (
    decide_accepted,
    decide_build_finished,
    decide_build_triggered,
    decide_completion,
    decide_current,
    decide_fact_recorded,
    decide_outcome,
    decide_processing,
)
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.reports import Finding

ALL_LOST = "H101"
_FIRST_OUTCOME_VERSION = 3


class Decided(NamedTuple):
    """A decision and the code of the finding that asked for it."""

    code: str
    decision: Decision


def decide(rows: RequestRows, findings: Sequence[Finding], operator: OperatorDecisions) -> list[Decided]:
    """One decision an entry that findings miss, oldest first."""
    found: dict[str, Decided] = {}
    for finding in sorted(findings, key=lambda each: (each.code, each.id)):
        for decision in _decisions(rows, finding, operator):
            found.setdefault(decision.log_id, Decided(finding.code, decision))
    return sorted(found.values(), key=lambda each: _order(rows, each.decision.log_id))


def _decisions(rows: RequestRows, finding: Finding, operator: OperatorDecisions) -> Iterator[Decision]:
    if finding.code == ALL_LOST:
        yield from _everything(rows, operator)
    elif finding.code == "H102":
        yield decide_current(rows, operator)
    elif finding.code == "H103":
        yield decide_accepted(rows)
    elif finding.code == "H104":
        yield decide_processing(rows, operator)
    elif finding.code == "P303" and rows.summary is not None:
        yield _at_summary(rows, rows.summary.request_version, operator)
    elif finding.code in ("E201", "E202"):
        yield from _of_build(rows, finding, operator)
    elif finding.code == "E206":
        yield decide_fact_recorded(rows)
    elif finding.code == "P307":
        completion = decide_completion(rows)
        if completion is not None:
            yield completion


def _everything(rows: RequestRows, operator: OperatorDecisions) -> Iterator[Decision]:
    request = rows.request
    yield decide_accepted(rows)
    was_built = request.state in BUILD_OUTCOME_STATES and request.version >= _FIRST_OUTCOME_VERSION
    if request.state == "processing" or was_built:
        yield decide_processing(rows, operator)
    if request.state in TERMINAL_STATES:
        yield decide_outcome(rows, operator)
    for build in rows.builds:
        yield decide_build_triggered(build, operator)
        if build.is_terminal:
            yield decide_build_finished(build, operator)
    if rows.uri_fact is not None and rows.uri_fact.request_id == request.id:
        yield decide_fact_recorded(rows)
    completion = decide_completion(rows)
    if completion is not None:
        yield completion


def _at_summary(rows: RequestRows, version: int, operator: OperatorDecisions) -> Decision:
    if version == rows.request.version:
        return decide_current(rows, operator)
    return not_derivable(
        state_log_id(version), f"the summary is at version {version}, the request at {rows.request.version}"
    )


def _of_build(rows: RequestRows, finding: Finding, operator: OperatorDecisions) -> Iterator[Decision]:
    log_id = str(finding.subject.key.get("log_id", ""))
    build = rows.build(parse_log_id(log_id).occurrence)
    if build is None:
        yield not_derivable(log_id, "its build is no longer stored")
    elif finding.code == "E201":
        yield decide_build_triggered(build, operator)
    else:
        yield decide_build_finished(build, operator)


def _order(rows: RequestRows, log_id: str) -> tuple[int, str]:
    """Accepted, processing, builds, outcome, fact, project results: as the service would have written them."""
    parsed = parse_log_id(log_id)
    if parsed.kind == "state":
        is_outcome = rows.request.state in TERMINAL_STATES and parsed.version >= rows.request.version
        return (4 if is_outcome else min(parsed.version, 2) - 1, log_id)
    ranks = {"build_triggered": 2, "build_finished": 3, "validation_fact_recorded": 5}
    return (ranks.get(parsed.event, 6), log_id)
