"""Where entries contradict the rows beside them: builds, the repository's fact, the summary and the uri mapping.

What state entries say of each other is judged in `consistency`. Everything here is empty where there is no request.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stovepipe_cli.entities import Build, Request, RequestLog, RequestSummary, RequestURI, ValidationFact
from stovepipe_cli.history.gaps import Surroundings
from stovepipe_cli.history.identity import (
    BUILD_KEYED_EVENTS,
    event_log_id,
    fact_occurrence,
    is_digest,
    parse_degree,
    parse_log_id,
)
from stovepipe_cli.history.metadata_keys import BASE_URI, BUILD_ID, FACT_DEGREE
from stovepipe_cli.instants import format_instant

RECORDED = "validation_fact_recorded"

_WITHOUT_FACT = frozenset({"accepted", "processing", "superseded", "cancelled"})
_DECIDED_BY_BUILD = frozenset({"build_succeeded", "build_failed", "build_cancelled"})

# A code, and those that are not shown beside it on the same entry.
HIDES_OF_ENTRY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "H111": frozenset({"P304", "E207"}),
        "H115": frozenset({"P304", "E207"}),
        "E204": frozenset({"E203"}),
        "E205": frozenset({"E203"}),
        "E207": frozenset({"H110"}),
    }
)


class Contradiction(NamedTuple):
    """A broken rule; `log_id` is the entry that it is about, empty where it is about no entry."""

    code: str
    log_id: str
    versions: tuple[int, ...]
    message: str


def build_named_by(entry: RequestLog) -> str:
    """The build that an entry is about: by its identity, on a state by its metadata; empty where it names none."""
    if entry.event in BUILD_KEYED_EVENTS:
        prefix = event_log_id(entry.event, "")
        return entry.id[len(prefix) :] if entry.id.startswith(prefix) else ""
    return entry.metadata.get(BUILD_ID, "") if entry.state else ""


def build_problem(
    request: Request, entry: RequestLog, builds: Mapping[str, Build], asked: Collection[str]
) -> tuple[str, str] | None:
    """E203, E204 or E205 with its sentence: the entry names a build that was asked for and that is not as it says."""
    build_id = build_named_by(entry)
    if not build_id or build_id not in asked:
        return None
    build = builds.get(build_id)
    if build is None:
        return "E204", f"build '{build_id}' does not exist"
    if build.request_id != request.id:
        return "E205", f"build '{build_id}' belongs to request '{build.request_id}'"
    if entry.event == "build_finished" and build.status and not build.is_terminal:
        return "E203", f"build '{build_id}' is '{build.status}', not finished"
    return None


def contradictions(
    request: Request, entries: Sequence[RequestLog], surroundings: Surroundings
) -> Iterator[Contradiction]:
    """E207, E208, E209, E211, P303, P304, P305 and U503, as far as rows were given; before hiding."""
    if surroundings.facts is not None:
        fact = next((each for each in surroundings.facts if each.uri == request.uri and not each.project), None)
        yield from _of_fact(request, [entry for entry in entries if entry.event == RECORDED], fact)
    summary = next((each for each in surroundings.summaries or () if each.request_id == request.id), None)
    yield from _of_outcome(request, entries, summary, surroundings.builds or ())
    if summary is not None:
        yield from _of_summary(request, entries, summary)
    yield from _of_uri(request, surroundings.uri_mappings or ())


def _of_fact(request: Request, recorded: Sequence[RequestLog], fact: ValidationFact | None) -> Iterator[Contradiction]:
    at = (request.version,)
    if fact is not None and fact.request_id == request.id and request.state in _WITHOUT_FACT:
        yield Contradiction("E208", "", at, f"a request that is '{request.state}' has a repository fact")
    if not request.uri or not recorded:
        return
    if fact is None or fact.request_id != request.id:
        found = "none" if fact is None else f"one of request '{fact.request_id}'"
        yield Contradiction("E209", recorded[0].id, at, f"expected a repository fact of this request, found {found}")
    for entry in recorded:
        occurrence = parse_log_id(entry.id).occurrence
        degree = parse_degree(entry.metadata.get(FACT_DEGREE, ""))
        if is_digest(occurrence) and occurrence != fact_occurrence(request.uri):
            yield Contradiction("E207", entry.id, at, "its id is that of another commit's fact")
        elif fact is not None and degree is not None and degree != fact.degree:
            yield Contradiction("E207", entry.id, at, f"it says degree {degree:g}, the fact itself has {fact.degree:g}")


def _of_outcome(
    request: Request, entries: Sequence[RequestLog], summary: RequestSummary | None, builds: Sequence[Build]
) -> Iterator[Contradiction]:
    if request.state not in ("succeeded", "failed", "cancelled"):
        return
    entry = state_at(entries, request.version)
    if _reason(request, entry, summary) not in _DECIDED_BY_BUILD:
        return
    named = request.terminal_build_id or (build_named_by(entry) if entry else "")
    build = next((each for each in builds if each.id == named), None)
    if build is None or not build.is_terminal or build.request_id != request.id:
        return
    if build.status != request.state:
        log_id = entry.id if entry else ""
        message = f"the request is '{request.state}', and build '{build.id}', which decided it, is '{build.status}'"
        yield Contradiction("E211", log_id, (request.version,), message)


def _reason(request: Request, entry: RequestLog | None, summary: RequestSummary | None) -> str:
    if entry is not None and entry.state == request.state and entry.outcome_reason:
        return entry.outcome_reason
    if summary is not None and (summary.request_version, summary.state) == (request.version, request.state):
        return summary.outcome_reason
    return ""


def _of_summary(request: Request, entries: Sequence[RequestLog], summary: RequestSummary) -> Iterator[Contradiction]:
    version = summary.request_version
    newest = max((entry.request_version for entry in entries if entry.is_state), default=0)
    if version > newest:
        yield Contradiction(
            "P303", "", (version,), f"the summary is at version {version}, the newest state entry at {newest}"
        )
    entry = state_at(entries, version) if version == newest else None
    differing = [] if entry is None else [*_differences(entry, summary)]
    names = [*differing, *(["uri"] if request.uri and summary.uri != request.uri else [])]
    if names:
        at = (version,) if differing else ()
        log_id = entry.id if entry is not None and differing else ""
        yield Contradiction("P304", log_id, at, f"the summary of this version differs in {', '.join(names)}")
    accepted = next((each for each in entries if each.state == "accepted" and each.request_version == 1), None)
    if accepted is not None and summary.accepted_at_ms and accepted.timestamp_ms not in (summary.accepted_at_ms, 0):
        yield Contradiction(
            "P305",
            accepted.id,
            (),
            f"the summary says that it was accepted at {format_instant(summary.accepted_at_ms)}",
        )


def _differences(entry: RequestLog, summary: RequestSummary) -> Iterator[str]:
    if entry.state != summary.state:
        yield "state"
    if summary.state_timestamp_ms and entry.timestamp_ms != summary.state_timestamp_ms:
        yield "time"
    if summary.outcome_reason and entry.outcome_reason != summary.outcome_reason:
        yield "reason"
    if BASE_URI in entry.metadata and entry.metadata[BASE_URI] != summary.base_uri:
        yield BASE_URI


def _of_uri(request: Request, mappings: Sequence[RequestURI]) -> Iterator[Contradiction]:
    for mapping in mappings:
        if mapping.uri == request.uri and mapping.request_id != request.id:
            yield Contradiction("U503", "", (), f"its uri leads to request '{mapping.request_id}'")


def state_at(entries: Sequence[RequestLog], version: int) -> RequestLog | None:
    """The state entry of a version, the one with the regular identity where there are several."""
    found = [entry for entry in entries if entry.is_state and entry.request_version == version]
    return min(found, key=lambda entry: entry.id != f"state/{version}", default=None)
