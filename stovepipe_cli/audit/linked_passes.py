"""Walks over the tables that hang on requests: what each row there should have elsewhere, fetched by key.

Only where something is missing is the whole dossier of the request read, in the same snapshot, and judged.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from stovepipe_cli.audit.balance import cell_of
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.reading import Evidence, load
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.rules.builds import outcome_follows_build
from stovepipe_cli.audit.walk import Visit, walk
from stovepipe_cli.entities.build import TERMINAL_BUILD_STATUSES
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.history.identity import event_log_id, fact_occurrence
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    Key,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
    key_of,
)

R = TypeVar("R", bound=Row)

_DOSSIERS_AT_ONCE = 100

Cells = Container[int] | None


def run_builds(case: Case, cells: Cells = None) -> bool:
    """E201, E202 and what is left of E211: False where the time budget ended it, as for every pass here.

    With `cells`, only rows of requests in these cells of a balance are looked at, and all were counted before.
    """
    is_judged = case.survey.checks("E201", "E202")

    def visit(snapshot: AuditSnapshot, after: Key | None, page: AuditPage[BuildRow]) -> int:
        _meet_foreign(case, snapshot, BuildRow, after, page.foreign, cells)
        builds = [build for build in page.rows if _is_asked_for(case, build.request_id, cells)]
        for build in builds:
            if case.sole_builds.get(build.request_id, build.id) != build.id:
                del case.sole_builds[build.request_id]
        wanted: dict[Key, BuildRow] = {}
        for build in builds:
            if is_judged and not case.is_settled_legacy(build.request_id):
                wanted[(build.request_id, event_log_id("build_triggered", build.id))] = build
                if build.status in TERMINAL_BUILD_STATUSES:
                    wanted[(build.request_id, event_log_id("build_finished", build.id))] = build
        retained = {row[:2] for row in snapshot.multi_get(RequestLogRow, list(wanted))} if wanted else set()
        lacking = [(build.request_id, build) for key, build in wanted.items() if key not in retained]
        _judge(case, "builds", snapshot, _evidence("build", lacking))
        return len(builds)

    is_whole = _walk(case, "builds", BuildRow, visit, cells)
    return is_whole and (cells is not None or judge_sole_builds(case))


def judge_sole_builds(case: Case) -> bool:
    """E211 of the requests whose one build contradicts them, once every build was met."""
    if case.sole_builds:
        case.snapshots.read(partial(_judge_sole_builds, case))
    return True


def _judge_sole_builds(case: Case, snapshot: AuditSnapshot) -> None:
    needs = case.needs("builds")
    for batch in _batches({each: frozenset({("build", (build,))}) for each, build in case.sole_builds.items()}):
        dossiers = load(snapshot, batch, needs, case.oversized)
        for request_id, dossier in dossiers.items():
            dossier.sole_build = case.sole_builds[request_id]
        case.judge([outcome_follows_build], dossiers.values())


def run_facts(case: Case, cells: Cells = None) -> bool:
    """E206 and E208."""
    is_judged = case.survey.checks("E206", "E208")

    def visit(snapshot: AuditSnapshot, after: Key | None, page: AuditPage[ValidationFactRow]) -> int:
        _meet_foreign(case, snapshot, ValidationFactRow, after, page.foreign, cells)
        case.has_project_facts = case.has_project_facts or any(fact.project for fact in page.rows)
        own = [fact for fact in page.rows if _is_asked_for(case, fact.request_id, cells)]
        facts = [fact for fact in own if is_judged and not fact.project]
        wanted: dict[Key, ValidationFactRow] = {
            (fact.request_id, event_log_id("validation_fact_recorded", fact_occurrence(fact.uri))): fact
            for fact in facts
        }
        if not wanted:
            return len(own)
        retained = {row[:2] for row in snapshot.multi_get(RequestLogRow, list(wanted))}
        states = {
            row.id: row.state
            for row in snapshot.multi_get(RequestRow, [(each,) for each in {fact.request_id for fact in facts}])
        }
        suspect = [
            (fact.request_id, fact)
            for key, fact in wanted.items()
            if (key not in retained and not case.is_settled_legacy(fact.request_id))
            or states.get(fact.request_id) not in BUILD_OUTCOME_STATES
            or states.get(fact.request_id) == "cancelled"
        ]
        _judge(case, "facts", snapshot, _evidence("validation_fact", suspect))
        return len(own)

    return _walk(case, "facts", ValidationFactRow, visit, cells)


def run_acceptances(case: Case, cells: Cells = None) -> bool:
    """A402 to A404, and of missing entries whether a mapping knows the time of acceptance."""
    is_judged = case.survey.checks("H101", "H102", "H103", "A401", "A402", "A403", "A404")

    def visit(snapshot: AuditSnapshot, after: Key | None, page: AuditPage[RequestAcceptanceRow]) -> int:
        _meet_foreign(case, snapshot, RequestAcceptanceRow, after, page.foreign, cells)
        mappings = [mapping for mapping in page.rows if _is_asked_for(case, mapping.request_id, cells)]
        if not is_judged:
            return len(mappings)
        ids = {mapping.request_id for mapping in mappings}
        known = {
            row.request_id: row.accepted_at_ms
            for row in snapshot.multi_get(RequestSummaryRow, [(each,) for each in ids])
        }
        wrong = [(each.request_id, each) for each in mappings if known.get(each.request_id) != each.accepted_at_ms]
        _judge(case, "acceptances", snapshot, _evidence("request_acceptance", wrong))
        return len(mappings)

    return _walk(case, "acceptances", RequestAcceptanceRow, visit, cells)


def run_uris(case: Case, cells: Cells = None) -> bool:
    """U502 and U503."""
    is_judged = case.survey.checks("U502", "U503")

    def visit(snapshot: AuditSnapshot, after: Key | None, page: AuditPage[RequestURIRow]) -> int:
        _meet_foreign(case, snapshot, RequestURIRow, after, page.foreign, cells)
        mapped = [row for row in page.rows if _is_asked_for(case, row.request_id, cells)]
        if not is_judged:
            return len(mapped)
        ids = {row.request_id for row in mapped}
        commits = {row.id: row.uri for row in snapshot.multi_get(RequestRow, [(each,) for each in ids])}
        wrong = [(row.request_id, row) for row in mapped if commits.get(row.request_id) != row.uri]
        _judge(case, "uris", snapshot, _evidence("request_uri", wrong))
        return len(mapped)

    return _walk(case, "uris", RequestURIRow, visit, cells)


def _walk(case: Case, name: PassName, row_type: type[R], visit: Visit[R], cells: Cells) -> bool:
    def done(rows: int) -> None:
        if cells is None:
            case.checked(name, rows)

    return walk(case.snapshots, row_type, visit, case.deadline, done)


def _is_asked_for(case: Case, request_id: str, cells: Cells) -> bool:
    return case.scope.contains(request_id) if cells is None else cell_of(request_id) in cells


def _meet_foreign(
    case: Case, snapshot: AuditSnapshot, row_type: type[Row], after: Key | None, keys: Sequence[Key], cells: Cells
) -> None:
    if cells is None:
        case.add_foreign(snapshot, row_type, after, keys)


def _evidence(table: str, rows: Sequence[tuple[str, Row]]) -> dict[str, Evidence]:
    found: dict[str, set[tuple[str, Key]]] = defaultdict(set)
    for request_id, row in rows:
        found[request_id].add((table, key_of(row)))
    return dict(found)


def _judge(case: Case, name: PassName, snapshot: AuditSnapshot, evidence: Mapping[str, Evidence]) -> None:
    judges, needs = case.survey.judges(name), case.needs(name)
    for batch in _batches(evidence):
        case.judge(judges, load(snapshot, batch, needs, case.oversized).values())


def _batches(evidence: Mapping[str, Evidence]) -> Iterator[dict[str, Evidence]]:
    ids = list(evidence)
    for start in range(0, len(ids), _DOSSIERS_AT_ONCE):
        yield {request_id: evidence[request_id] for request_id in ids[start : start + _DOSSIERS_AT_ONCE]}
