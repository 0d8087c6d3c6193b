"""The walk over mappings by degree, and the one over project facts that should have them."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.rules.degrees import fact_is_mapped, mapped_fact_agrees
from stovepipe_cli.audit.walk import walk
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, ProjectFactByDegreeRow, ValidationFactRow

_COMMITS_AT_ONCE = 20


def run_degrees(case: Case) -> bool:
    """D801 to D803; False where the time budget ended it."""

    def visit(snapshot: AuditSnapshot, _after: Key | None, page: AuditPage[ProjectFactByDegreeRow]) -> int:
        case.add(mapping_candidates(snapshot, page.rows))
        return len(page.rows)

    def visit_facts(snapshot: AuditSnapshot, _after: Key | None, page: AuditPage[ValidationFactRow]) -> int:
        case.add(fact_candidates(snapshot, page.rows))
        return len(page.rows)

    def checked(rows: int) -> None:
        case.checked("degrees", rows)

    if not walk(case.snapshots, ProjectFactByDegreeRow, visit, case.deadline, checked):
        return False
    if not case.survey.checks("D801"):
        return True
    if not case.coverage["degrees"].checked:
        # The mappings begin empty and are never filled in later: one sentence, not a finding for every fact.
        if case.has_project_facts:
            case.notes.append("no project fact is mapped by degree yet: rule D801 was not checked")
        return True
    return walk(case.snapshots, ValidationFactRow, visit_facts, case.deadline)


def mapping_candidates(snapshot: AuditSnapshot, mappings: Sequence[ProjectFactByDegreeRow]) -> list[Candidate]:
    """D802 and D803 of these mappings, as their facts are now."""
    at_ms = snapshot.now_ms()
    keys: dict[Key, None] = {(each.uri, each.project): None for each in mappings}
    facts = {(fact.uri, fact.project): fact for fact in snapshot.multi_get(ValidationFactRow, list(keys))}
    judged = (mapped_fact_agrees(each, facts.get((each.uri, each.project)), at_ms) for each in mappings)
    return [candidate for candidate in judged if candidate is not None]


def fact_candidates(snapshot: AuditSnapshot, facts: Sequence[ValidationFactRow]) -> list[Candidate]:
    """D801 of these facts: those without a mapping at any degree."""
    at_ms = snapshot.now_ms()
    projects = [fact for fact in facts if fact.project]
    keys: list[Key] = [(fact.uri, fact.degree, fact.project) for fact in projects]
    mapped = {(row.uri, row.project) for row in snapshot.multi_get(ProjectFactByDegreeRow, keys)}
    suspect = [fact for fact in projects if (fact.uri, fact.project) not in mapped]
    if not suspect:
        return []
    commits: list[Key] = list({(fact.uri,): None for fact in suspect})
    for start in range(0, len(commits), _COMMITS_AT_ONCE):
        rows = snapshot.multi_get(ProjectFactByDegreeRow, commits[start : start + _COMMITS_AT_ONCE])
        mapped |= {(row.uri, row.project) for row in rows}
    return [fact_is_mapped(fact, at_ms) for fact in suspect if (fact.uri, fact.project) not in mapped]
