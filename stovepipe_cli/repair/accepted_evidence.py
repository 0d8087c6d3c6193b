"""What stored rows prove of a missing accepted entry."""

from dataclasses import dataclass

from stovepipe_cli.history.entries import accepted_entry
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.repair.decision import (
    ACCEPTED_AT,
    MAPPING_TIME,
    STATE_TIME,
    Decision,
    acceptance_evidence,
    not_derivable,
    request_evidence,
    summary_evidence,
)
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.state_place import FIRST_VERSION, obstacle
from stovepipe_cli.reports import Evidence


@dataclass(frozen=True, slots=True)
class _Time:
    ms: int
    source: str
    evidence: tuple[Evidence, ...]


def decide_accepted(rows: RequestRows) -> Decision:
    """Version 1. Its time is never invented: it would enter the service's listing."""
    log_id = state_log_id(FIRST_VERSION)
    problem = obstacle(rows, FIRST_VERSION, "accepted")
    if problem:
        return not_derivable(log_id, problem)
    times = _accepted_times(rows)
    if not times:
        return not_derivable(
            log_id, "no stored row tells when it was accepted, and an invented time would enter the service's listing"
        )
    if len({time.ms for time in times}) > 1:
        found = ", ".join(f"{time.ms} by {time.source}" for time in times)
        return not_derivable(log_id, f"stored rows disagree on when it was accepted: {found}")
    time = times[0]
    return Decision(
        log_id,
        "ready",
        f"the request exists; time from {time.source}",
        entry=accepted_entry(rows.request, timestamp_ms=time.ms),
        proved_by=("request",),
        fields_from=("request.id",),
        time_from=time.source,
        evidence=(request_evidence(rows.request, "uri"), *time.evidence),
    )


def _accepted_times(rows: RequestRows) -> list[_Time]:
    summary, request_id = rows.summary, rows.request.id
    times: list[_Time] = []
    if summary is not None and summary.accepted_at_ms:
        evidence = summary_evidence(request_id, summary, "accepted_at_ms")
        times.append(_Time(summary.accepted_at_ms, ACCEPTED_AT, (evidence,)))
    unknown = summary_evidence(request_id, summary, "accepted_at_ms", "request_version")
    times += [
        _Time(mapping.accepted_at_ms, MAPPING_TIME, (acceptance_evidence(mapping), unknown))
        for mapping in rows.acceptances
    ]
    if summary is not None and (summary.request_version, summary.state) == (FIRST_VERSION, "accepted"):
        evidence = summary_evidence(request_id, summary, "state", "request_version", "state_timestamp_ms")
        times.append(_Time(summary.state_timestamp_ms, STATE_TIME, (evidence,)))
    return times
