"""What a request's summary becomes when retained entries are projected into it, as values: nothing is written here.

A summary moves forward alone: to a higher request version, or from an unknown field to a known one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from stovepipe_cli.entities import Request, RequestLog, RequestSummary
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.context import parse_count
from stovepipe_cli.history.metadata_keys import BASE_URI, BROKEN_PROJECT_FACT_COUNT, PROJECT_FACT_COUNT
from stovepipe_cli.instants import format_instant
from stovepipe_cli.keys import key_bytes

COMPLETION_EVENTS = frozenset({"project_facts_recorded", "record_abandoned"})

Projected = Literal["none", "create", "advance", "conflict", "summary-required"]
Retains = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ProjectionDecision:
    """What projecting would do, and the summary afterwards (None: there is none).

    Its projection version is one above the one given when it advances, and 1 when it is created. On `conflict` and
    `summary-required` the summary is the one given, `problem` says why, and `log_id` names the entry.
    """

    change: Projected
    summary: RequestSummary | None
    log_id: str = ""
    problem: str = ""

    @property
    def writes(self) -> bool:
        """Whether the summary would be written."""
        return self.change in ("create", "advance")


class _Disagreement(Exception):
    """An entry that contradicts the summary."""


def retains_everything(_: str) -> bool:
    """For a database that has every column of the summary."""
    return True


def project(
    summary: RequestSummary | None,
    entry: RequestLog,
    request: Request | None,
    retains: Retains = retains_everything,
) -> ProjectionDecision:
    """Project one retained entry.

    `request` is needed only where there is no summary yet. A field whose column the database lacks (`retains`) stays
    unknown, so that it never looks like a change that is left to write.
    """
    return project_all(summary, (entry,), request, retains)


def project_all(
    summary: RequestSummary | None,
    entries: Iterable[RequestLog],
    request: Request | None,
    retains: Retains = retains_everything,
) -> ProjectionDecision:
    """Project retained entries as one change: states by version first, then completions by time.

    The first entry that cannot be projected decides: nothing of the others is kept.
    """
    current = summary
    for entry in sorted(entries, key=_projection_order):
        try:
            if entry.is_state:
                current = _with_state(current, entry, request, retains)
            elif entry.event in COMPLETION_EVENTS:
                if current is None:
                    return ProjectionDecision("summary-required", summary, entry.id, "the summary does not exist")
                current = _with_completion(current, entry, retains)
        except _Disagreement as problem:
            return ProjectionDecision("conflict", summary, entry.id, str(problem))
    if current is None or current == summary:
        return ProjectionDecision("none", summary)
    if summary is None:
        return ProjectionDecision("create", current)
    return ProjectionDecision("advance", replace(current, version=summary.version + 1))


def _projection_order(entry: RequestLog) -> tuple[bool, int, int, bytes]:
    return (not entry.is_state, entry.request_version, entry.timestamp_ms, key_bytes(entry.id))


def _with_state(
    summary: RequestSummary | None, entry: RequestLog, request: Request | None, retains: Retains
) -> RequestSummary:
    _require_valid(entry)
    if summary is None:
        return _first_summary(entry, request, retains)
    _require_same_request(summary.queue, summary.request_id, entry)
    current = _with_acceptance(summary, entry, retains)
    if entry.request_version < summary.request_version:
        return current
    if entry.request_version == summary.request_version:
        return _confirmed(current, entry, retains)
    return replace(
        current,
        state=entry.state,
        request_version=entry.request_version,
        state_timestamp_ms=entry.timestamp_ms,
        outcome_reason=entry.outcome_reason if retains("outcome_reason") else "",
        base_uri=entry.metadata.get(BASE_URI, current.base_uri),
    )


def _first_summary(entry: RequestLog, request: Request | None, retains: Retains) -> RequestSummary:
    if request is None:
        raise _Disagreement("neither its request nor a summary exists")
    _require_same_request(request.queue, request.id, entry)
    if not request.uri:
        raise _Disagreement("its request has no uri, which a summary needs")
    first = RequestSummary(
        queue=entry.queue,
        request_id=entry.request_id,
        uri=request.uri,
        base_uri=entry.metadata.get(BASE_URI, ""),
        state=entry.state,
        request_version=entry.request_version,
        state_timestamp_ms=entry.timestamp_ms,
        version=1,
        outcome_reason=entry.outcome_reason if retains("outcome_reason") else "",
    )
    return _with_acceptance(first, entry, retains)


def _with_acceptance(summary: RequestSummary, entry: RequestLog, retains: Retains) -> RequestSummary:
    if entry.state != "accepted" or not retains("accepted_at_ms"):
        return summary
    if summary.accepted_at_ms and summary.accepted_at_ms != entry.timestamp_ms:
        raise _Disagreement(
            f"it was accepted at {format_instant(entry.timestamp_ms)}, "
            f"the summary says {format_instant(summary.accepted_at_ms)}"
        )
    return replace(summary, accepted_at_ms=entry.timestamp_ms)


def _confirmed(summary: RequestSummary, entry: RequestLog, retains: Retains) -> RequestSummary:
    """The summary at the entry's own version, where both must tell the same."""
    if summary.state != entry.state:
        raise _Disagreement(f"it is '{entry.state}', the summary of that version says '{summary.state}'")
    if summary.state_timestamp_ms != entry.timestamp_ms:
        raise _Disagreement(
            f"it was retained at {format_instant(entry.timestamp_ms)}, the summary of that version says "
            f"{format_instant(summary.state_timestamp_ms)}"
        )
    if summary.outcome_reason and summary.outcome_reason != entry.outcome_reason:
        raise _Disagreement(
            f"its reason is '{entry.outcome_reason}', the summary of that version says '{summary.outcome_reason}'"
        )
    base_uri = entry.metadata.get(BASE_URI)
    if base_uri is not None and base_uri != summary.base_uri:
        raise _Disagreement(f"its base uri is '{base_uri}', the summary of that version says '{summary.base_uri}'")
    return replace(summary, outcome_reason=entry.outcome_reason) if retains("outcome_reason") else summary


def _with_completion(summary: RequestSummary, entry: RequestLog, retains: Retains) -> RequestSummary:
    _require_valid(entry)
    _require_same_request(summary.queue, summary.request_id, entry)
    current = summary
    if not current.project_results_completed_at_ms and retains("project_results_completed_at_ms"):
        current = replace(current, project_results_completed_at_ms=entry.timestamp_ms)
    counts = (
        parse_count(entry.metadata.get(PROJECT_FACT_COUNT)),
        parse_count(entry.metadata.get(BROKEN_PROJECT_FACT_COUNT)),
    )
    total, broken = counts
    if entry.event != "project_facts_recorded" or total is None or broken is None:
        return current
    if not (retains("project_fact_count") and retains("broken_project_fact_count")):
        return current
    known = (current.project_fact_count, current.broken_project_fact_count)
    if known not in ((0, 0), counts):
        raise _Disagreement(
            f"it counts {total} project facts, {broken} broken, the summary {known[0]}, {known[1]} broken"
        )
    return replace(current, project_fact_count=total, broken_project_fact_count=broken)


def _require_valid(entry: RequestLog) -> None:
    try:
        entry.validate()
    except InvalidEntity as invalid:
        raise _Disagreement(f"it is not valid ({invalid.message})") from invalid


def _require_same_request(queue: str, request_id: str, entry: RequestLog) -> None:
    if (queue, request_id) != (entry.queue, entry.request_id):
        raise _Disagreement(f"it belongs to another request than '{request_id}' of queue '{queue}'")
