"""Whether open issues fit their transitions and observations: I701 to I703."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import NOBODY, Candidate
from stovepipe_cli.audit.rules.rule import Rule
from stovepipe_cli.instants import format_instant
from stovepipe_cli.storage.contract.rows import IssueLogRow, Key, OpenIssueRow

OPENED, RESOLVED = "opened", "resolved"


def transition_is_logged(issue: OpenIssueRow, at_ms: int) -> Candidate:
    """I701: for an issue whose `opened` transition is not there."""
    message = f"{_named(issue)} is open since build '{issue.first_seen_build_id}', and no transition says so"
    return _about(issue, "I701", ("a transition 'opened'", "none"), message, at_ms)


def opening_is_observed(issue: OpenIssueRow, at_ms: int) -> Candidate:
    """I702: for an issue of which its first build, which has observations, has none."""
    message = f"{_named(issue)} is open since build '{issue.first_seen_build_id}', which observed other issues only"
    return _about(issue, "I702", ("an observation by its first build", "others only"), message, at_ms)


def opening_is_unresolved(issue: OpenIssueRow, transitions: Sequence[IssueLogRow], at_ms: int) -> list[Candidate]:
    """I703: a resolution after this opening's own time."""
    opened = next(
        (each for each in transitions if each.event == OPENED and each.build_id == issue.first_seen_build_id), None
    )
    if opened is None:
        return []
    later = [each for each in transitions if each.event == RESOLVED and each.timestamp_ms > opened.timestamp_ms]
    if not later:
        return []
    last = max(later, key=lambda each: each.timestamp_ms)
    message = f"{_named(issue)} is open, and build '{last.build_id}' resolved it after it was opened"
    return [
        _about(
            issue, "I703", ("no later resolution", f"resolved at {format_instant(last.timestamp_ms)}"), message, at_ms
        )
    ]


def _about(issue: OpenIssueRow, code: str, difference: tuple[str, str], message: str, at_ms: int) -> Candidate:
    key: Key = (issue.task_id, issue.unit_id)
    return Candidate(code, NOBODY, "open_issue", key, *difference, message, at_ms=at_ms)


def _named(issue: OpenIssueRow) -> str:
    return f"issue '{issue.task_id}' of unit '{issue.unit_id}'" if issue.unit_id else f"issue '{issue.task_id}'"


ISSUE_RULES = (
    Rule(
        "I701",
        "open-issue-unlogged",
        "info",
        "An issue is open and its opening was not recorded, although this queue records transitions. It was opened by "
        "an older service, or the record failed after the issue was opened.",
        None,
        ("issues",),
        ("open_issue", "issue_log"),
    ),
    Rule(
        "I702",
        "open-issue-unobserved",
        "warning",
        "The build that an open issue was first seen in has observations, and this issue is none of them. The issue or "
        "the observation was edited; it will not be resolved by comparing builds.",
        None,
        ("issues",),
        ("open_issue", "build_issue"),
    ),
    Rule(
        "I703",
        "open-issue-resolved",
        "warning",
        "An issue is open although it was resolved after this opening. The deletion of the open row failed, or a late "
        "build opened it again under the same first build.",
        None,
        ("issues",),
        ("open_issue", "issue_log"),
    ),
)
