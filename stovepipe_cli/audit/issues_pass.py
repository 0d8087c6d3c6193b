"""The walk over open issues."""

from collections import defaultdict
from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.rules.issues import OPENED, opening_is_observed, opening_is_unresolved, transition_is_logged
from stovepipe_cli.audit.walk import walk
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import BuildIssueRow, IssueLogRow, Key, OpenIssueRow


def run_issues(case: Case) -> bool:
    """I701 to I703; False where the time budget ended it."""

    def visit(snapshot: AuditSnapshot, _after: Key | None, page: AuditPage[OpenIssueRow]) -> int:
        case.add(issue_candidates(case, snapshot, page.rows))
        return len(page.rows)

    return walk(case.snapshots, OpenIssueRow, visit, case.deadline, lambda rows: case.checked("issues", rows))


def issue_candidates(case: Case, snapshot: AuditSnapshot, issues: Sequence[OpenIssueRow]) -> list[Candidate]:
    """What is wrong with these open issues now."""
    at_ms = snapshot.now_ms()
    found: list[Candidate] = []
    if case.survey.checks("I702"):
        found += [opening_is_observed(issue, at_ms) for issue in _unobserved(snapshot, issues)]
    if not case.survey.checks("I701", "I703") or not snapshot.page(IssueLogRow, limit=1).rows:
        return found
    transitions: dict[Key, list[IssueLogRow]] = defaultdict(list)
    for row in snapshot.multi_get(IssueLogRow, [(issue.task_id, issue.unit_id) for issue in issues]):
        transitions[row.task_id, row.unit_id].append(row)
    for issue in issues:
        own = transitions[issue.task_id, issue.unit_id]
        if not any(each.event == OPENED and each.build_id == issue.first_seen_build_id for each in own):
            found.append(transition_is_logged(issue, at_ms))
        found += opening_is_unresolved(issue, own, at_ms)
    return found


def _unobserved(snapshot: AuditSnapshot, issues: Sequence[OpenIssueRow]) -> list[OpenIssueRow]:
    """Issues that their first build, which observed something, did not observe."""
    keys: list[Key] = [(issue.first_seen_build_id, issue.task_id, issue.unit_id) for issue in issues]
    observed = {tuple(row) for row in snapshot.multi_get(BuildIssueRow, keys)}
    suspect = [issue for issue, key in zip(issues, keys, strict=True) if key not in observed]
    builds = {issue.first_seen_build_id for issue in suspect}
    # An empty task sorts before every observation of the build, since none has one.
    observing = {
        build for build in builds if snapshot.page(BuildIssueRow, after=(build, "", ""), upto=(build,), limit=1).rows
    }
    return [issue for issue in suspect if issue.first_seen_build_id in observing]
