"""Whether facts and the entries about them fit each other: E206 to E210 and E212."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.history.context import parse_count
from stovepipe_cli.history.identity import event_log_id, fact_occurrence, is_digest, parse_degree, parse_log_id
from stovepipe_cli.history.metadata_keys import BROKEN_PROJECT_FACT_COUNT, FACT_DEGREE, PROJECT_FACT_COUNT
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import RequestLogRow, ValidationFactRow

LOG, FACT = "request_log", "validation_fact"
RECORDED = "validation_fact_recorded"

_WITHOUT_FACT = frozenset({"accepted", "processing", "superseded", "cancelled"})
_WITH_FACT = {"succeeded": "build_succeeded", "failed": "build_failed"}


def fact_entry_exists(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E206: any entry of a recorded fact will do, since its identity was formed differently once."""
    facts = _own(dossier)
    if not facts or dossier.has_event(RECORDED):
        return NOTHING
    found: list[Candidate] = []
    for fact in facts:
        log_id = event_log_id(RECORDED, fact_occurrence(fact.uri))
        found.append(
            about(
                dossier,
                "E206",
                (LOG, (dossier.request_id, log_id)),
                (f"an entry for the repository fact of degree {fact.degree:g}", "no entry"),
                f"request '{dossier.request_id}' has a repository fact at '{fact.uri}', and no entry says that it was "
                "recorded",
                entries=(log_id,),
                evidence=((FACT, (fact.uri, "")),),
                is_latest=not dossier.has_event("project_facts_recorded", "record_abandoned"),
                is_repairable=dossier.request is not None,
                newest_ms=fact.created_at,
            )
        )
    return found


def _own(dossier: Dossier) -> list[ValidationFactRow]:
    return [fact for fact in dossier.facts if fact.request_id == dossier.request_id and not fact.project]


def _at_own_uri(dossier: Dossier) -> ValidationFactRow | None:
    uri = dossier.request.uri if dossier.request else ""
    return next((fact for fact in dossier.facts if fact.uri == uri and not fact.project), None)


def fact_entry_agrees(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E207."""
    request = dossier.request
    entries = dossier.events_of(RECORDED)
    if request is None or not request.uri or not entries:
        return NOTHING
    fact = _at_own_uri(dossier)
    found: list[Candidate] = []
    for row in entries:
        expected, seen = _disagreement(row, request.uri, fact)
        if expected:
            found.append(
                about(
                    dossier,
                    "E207",
                    (LOG, (dossier.request_id, row.log_id)),
                    (expected, seen),
                    f"entry '{row.log_id}' of request '{dossier.request_id}' does not agree with its fact in "
                    f"{', '.join(expected)}",
                    versions=(request.version,),
                    entries=(row.log_id,),
                )
            )
    return found


def _disagreement(
    row: RequestLogRow, uri: str, fact: ValidationFactRow | None
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    expected: dict[str, JsonValue] = {}
    seen: dict[str, JsonValue] = {}
    occurrence = parse_log_id(row.log_id).occurrence
    if is_digest(occurrence) and occurrence != fact_occurrence(uri):
        expected["occurrence"], seen["occurrence"] = fact_occurrence(uri), occurrence
    if fact is not None:
        degree = parse_degree((parse_metadata(row.metadata) or {}).get(FACT_DEGREE, ""))
        if degree is not None and degree != fact.degree:
            expected[FACT_DEGREE], seen[FACT_DEGREE] = fact.degree, degree
    return expected, seen


def fact_is_expected(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E208."""
    request = dossier.request
    if request is None or request.state not in _WITHOUT_FACT:
        return NOTHING
    return [
        about(
            dossier,
            "E208",
            (FACT, (fact.uri, "")),
            (f"no repository fact of a request that is '{request.state}'", f"degree {fact.degree:g}"),
            f"request '{dossier.request_id}' is '{request.state}' and has a repository fact at '{fact.uri}'",
            versions=(request.version,),
            evidence=((FACT, (fact.uri, "")),),
        )
        for fact in _own(dossier)
    ]


def recorded_fact_exists(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E209."""
    request = dossier.request
    if request is None or not request.uri or not dossier.has_event(RECORDED) or _own(dossier):
        return NOTHING
    stored = _at_own_uri(dossier)
    seen = "none" if stored is None else f"one of request '{stored.request_id}'"
    return [
        about(
            dossier,
            "E209",
            (FACT, (request.uri, "")),
            (f"a repository fact of request '{dossier.request_id}'", seen),
            f"an entry of request '{dossier.request_id}' says that a fact was recorded at '{request.uri}', and it "
            "does not exist",
            versions=(request.version,),
            entries=tuple(row.log_id for row in dossier.events_of(RECORDED)),
        )
    ]


def verdict_exists(dossier: Dossier, terms: Terms) -> Sequence[Candidate]:
    """E210."""
    request = dossier.request
    if request is None or not request.uri or request.state not in _WITH_FACT or _at_own_uri(dossier) is not None:
        return NOTHING
    if dossier.reason != _WITH_FACT[request.state] or dossier.has_event("record_abandoned"):
        return NOTHING
    ended_at = _ended_at(dossier)
    if not ended_at or dossier.at_ms - ended_at < terms.min_age_ms:
        return NOTHING
    return [
        about(
            dossier,
            "E210",
            (FACT, (request.uri, "")),
            ("a repository fact", "none"),
            f"request '{dossier.request_id}' was decided by a build and has no repository fact at '{request.uri}'",
            versions=(request.version,),
            is_repairable=False,
        )
    ]


def _ended_at(dossier: Dossier) -> int:
    request, summary = dossier.request, dossier.summary
    if request is None:
        return 0
    entry = dossier.state_at(request.version)
    if entry is not None:
        return entry.timestamp_ms
    if summary is not None and summary.request_version == request.version:
        return summary.state_timestamp_ms
    return 0


def project_facts_are_complete(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E212."""
    request, stored = dossier.request, dossier.project_facts
    if request is None or stored is None:
        return NOTHING
    found: list[Candidate] = []
    for row in dossier.events_of("project_facts_recorded"):
        metadata = parse_metadata(row.metadata) or {}
        expected: dict[str, JsonValue] = {}
        seen: dict[str, JsonValue] = {}
        for key, count in ((PROJECT_FACT_COUNT, stored.total), (BROKEN_PROJECT_FACT_COUNT, stored.broken)):
            recorded = parse_count(metadata.get(key))
            if recorded is not None and count < recorded:
                expected[key], seen[key] = recorded, count
        if expected:
            found.append(
                about(
                    dossier,
                    "E212",
                    (LOG, (dossier.request_id, row.log_id)),
                    (expected, seen),
                    f"request '{dossier.request_id}' has fewer project facts at '{request.uri}' than entry "
                    f"'{row.log_id}' counted",
                    entries=(row.log_id,),
                )
            )
    return found


_TABLES = ("request", LOG, FACT)

FACT_RULES = (
    Rule(
        "E206",
        "fact-event-missing",
        "error",
        "A repository fact is stored and no entry says that it was recorded. The log write after the fact failed and "
        "was not retried. Repair writes exactly the entry that was lost, because the fact holds its time and degree.",
        "repair",
        ("facts",),
        _TABLES,
        fact_entry_exists,
    ),
    Rule(
        "E207",
        "fact-event-mismatch",
        "error",
        "The entry of a recorded fact carries another degree than the fact, or the digest of another commit. Facts "
        "never change, so the entry or the fact was edited by hand.",
        None,
        ("requests",),
        _TABLES,
        fact_entry_agrees,
    ),
    Rule(
        "E208",
        "fact-unexpected",
        "error",
        "A cancelled, superseded or unfinished request owns a repository fact. Facts are only recorded for requests "
        "that succeeded or failed: the request row was set back, or the fact was written by hand.",
        None,
        ("facts",),
        _TABLES,
        fact_is_expected,
    ),
    Rule(
        "E209",
        "fact-missing",
        "error",
        "An entry says that the repository fact was recorded, and the request has no such fact. The fact is written "
        "before the entry, so it was deleted. Readers take the commit for not green.",
        None,
        ("requests",),
        _TABLES,
        recorded_fact_exists,
    ),
    Rule(
        "E210",
        "verdict-missing",
        "warning",
        "A build decided the request a while ago, and there is neither a repository fact nor an entry that recording "
        "was abandoned. The record stage is stuck or its message was lost: look at its dead-letter queue. Requests "
        "that end in any other way never get a fact.",
        None,
        ("requests",),
        _TABLES,
        verdict_exists,
    ),
    Rule(
        "E212",
        "project-counts-mismatch",
        "error",
        "Fewer project facts of the request are stored than its entry counted. Project facts were deleted, or belong "
        "to another request that owns the same commit.",
        None,
        ("requests",),
        _TABLES,
        project_facts_are_complete,
    ),
)
