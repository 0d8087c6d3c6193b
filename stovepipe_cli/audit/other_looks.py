"""The second read of what is not about a request's own rows: queue, issues, mappings by degree, foreign rows."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.degrees_pass import fact_candidates, mapping_candidates
from stovepipe_cli.audit.issues_pass import issue_candidates
from stovepipe_cli.audit.queue_pass import queue_candidates
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.audit.rules.foreign import foreign_again
from stovepipe_cli.audit.rules.rule import judged_elsewhere
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, OpenIssueRow, ProjectFactByDegreeRow, ValidationFactRow

_MORE_LOOKS = 9
_BETWEEN_LOOKS = 0.05


def is_other(candidate: Candidate) -> bool:
    """Whether no dossier of a request tells of it."""
    return RULES[candidate.code].judge is judged_elsewhere


def looked_at_again(case: Case, snapshot: AuditSnapshot, candidates: Sequence[Candidate]) -> list[Candidate]:
    """What is found now where these candidates were found before; some of it may be new."""
    found: list[Candidate] = []
    for candidate in candidates:
        if candidate.code == "H114":
            found += foreign_again(snapshot, candidate)
    if any(each.code.startswith("Q") for each in candidates):
        found += queue_candidates(case, snapshot)
    if issues := _keys(candidates, "I"):
        found += issue_candidates(case, snapshot, snapshot.multi_get(OpenIssueRow, issues))
    if unmapped := _keys(candidates, "D801"):
        facts: list[Key] = [(uri, project) for uri, _, project in unmapped]
        found += fact_candidates(snapshot, snapshot.multi_get(ValidationFactRow, facts))
    if mapped := _keys(candidates, "D802") + _keys(candidates, "D803"):
        found += mapping_candidates(snapshot, snapshot.multi_get(ProjectFactByDegreeRow, mapped))
    return found


def is_drift_lasting(case: Case) -> bool:
    """Whether the count of requests in flight is wrong most of the time, and not only between two writes.

    The service changes the count and the request one after the other, so that under heavy traffic two looks can both
    fall in between.
    """
    wrong = 0
    for _ in range(_MORE_LOOKS):
        case.clock.sleep(_BETWEEN_LOOKS)
        seen = case.snapshots.read(lambda snapshot: queue_candidates(case, snapshot))
        wrong += any(each.code == "Q604" for each in seen)
    return wrong > _MORE_LOOKS // 2


def _keys(candidates: Sequence[Candidate], prefix: str) -> list[Key]:
    return list({each.key: None for each in candidates if each.code.startswith(prefix)})
