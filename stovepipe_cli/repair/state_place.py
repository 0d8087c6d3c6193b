"""Where a missing state entry may stand among those retained, and which time it may carry.

An entry at the summary's own version carries the summary's time: the service compares the two, and any other value
would be a conflict for ever.
"""

from collections.abc import Iterator
from dataclasses import replace

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.entities.request import LEGAL_EDGES, REQUEST_STATES, TERMINAL_STATES
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.repair.decision import STATE_TIME, Decision, OperatorDecisions, at_retention, summary_evidence
from stovepipe_cli.repair.request_rows import RequestRows

FIRST_VERSION = 1


def obstacle(rows: RequestRows, version: int, state: str) -> str:
    """Why retained entries leave no place for this state at this version; empty where they do."""
    return next(_obstacles(rows, version, state), "")


def _obstacles(rows: RequestRows, version: int, state: str) -> Iterator[str]:
    request, summary = rows.request, rows.summary
    if version < FIRST_VERSION or (state != "accepted") == (version == FIRST_VERSION):
        yield f"'{state}' cannot stand at version {version}"
    if version > request.version:
        yield f"the request is only at version {request.version}"
    if summary is not None and summary.request_version > request.version:
        yield f"the summary is at version {summary.request_version}, the request only at {request.version}"
    if rows.retains(state_log_id(version)):
        yield f"an entry '{state_log_id(version)}' is retained and says something else"
    for entry in rows.states:
        if entry.request_version == version:
            yield f"version {version} has the entry '{entry.id}'"
        elif entry.request_version > request.version:
            yield f"the entry '{entry.id}' is newer than the request"
        elif not _fits(entry, version, state):
            yield f"'{state}' at version {version} does not go with '{entry.state}' of the entry '{entry.id}'"


def _fits(entry: RequestLog, version: int, state: str) -> bool:
    earlier, later = (entry.state, state) if entry.request_version < version else (state, entry.state)
    if earlier in TERMINAL_STATES:
        return False
    if abs(entry.request_version - version) > 1 or entry.state not in REQUEST_STATES:
        return True
    return (earlier, later) in LEGAL_EDGES


def timed(rows: RequestRows, proved: Decision, entry: RequestLog, operator: OperatorDecisions) -> Decision:
    """The decision on an entry that is proved but for its time: the summary's at its version, or the operator's."""
    summary = rows.summary
    if summary is None or not has_time(rows, entry.request_version):
        evidence = summary_evidence(rows.request.id, summary, "request_version")
        return at_retention(replace(proved, entry=entry, evidence=(*proved.evidence, evidence)), operator)
    columns = ("state", "request_version", "state_timestamp_ms", "outcome_reason", "base_uri")
    return replace(
        proved,
        reason=f"{proved.reason}; time from {STATE_TIME}",
        entry=replace(entry, timestamp_ms=summary.state_timestamp_ms),
        time_from=STATE_TIME,
        evidence=(*proved.evidence, summary_evidence(rows.request.id, summary, *columns)),
    )


def has_time(rows: RequestRows, version: int) -> bool:
    """Whether the summary is at this version, and so knows when its entry was retained."""
    return rows.summary is not None and rows.summary.request_version == version
