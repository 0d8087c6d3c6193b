"""The acceptance mapping of a request, made from its summary and from nothing else."""

from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.entities import RequestAcceptance, RequestLog, RequestSummary
from stovepipe_cli.history.errors import ProjectionConflict
from stovepipe_cli.history.summary_projection import Retains, project, retains_everything
from stovepipe_cli.history.summary_writer import find_summary, project_retained
from stovepipe_cli.storage.contract import AlreadyExists, Storage

AcceptanceChange = Literal["none", "created", "already_mapped"]
AcceptanceKnowledge = Literal["known", "derivable", "unknown", "no-summary", "no-column", "conflict"]


@dataclass(frozen=True, slots=True)
class AcceptanceTime:
    """What is known of a request's acceptance.

    `known`: the summary has it, and no retained accepted entry denies it. `derivable`: the accepted entry has it and
    the summary could take it. `unknown`: neither has it. `no-summary`, `no-column`: nothing could keep it.
    `conflict`: summary and entry disagree, as `problem` says. The time is 0 unless known or derivable.
    """

    knowledge: AcceptanceKnowledge
    accepted_at_ms: int = 0
    problem: str = ""


def acceptance_time(
    summary: RequestSummary | None, accepted: RequestLog | None, retains: Retains = retains_everything
) -> AcceptanceTime:
    """Judge a summary beside the retained accepted entry of its request (None: none is retained)."""
    if summary is None:
        return AcceptanceTime("no-summary")
    if not retains("accepted_at_ms"):
        return AcceptanceTime("no-column")
    if accepted is None:
        known = summary.accepted_at_ms
        return AcceptanceTime("known", known) if known else AcceptanceTime("unknown")
    decision = project(summary, accepted, None, retains)
    if decision.change == "conflict":
        return AcceptanceTime("conflict", problem=decision.problem)
    if summary.accepted_at_ms:
        return AcceptanceTime("known", summary.accepted_at_ms)
    return AcceptanceTime("derivable", accepted.timestamp_ms)


def acceptance_from_log(storage: Storage, request_id: str) -> AcceptanceTime:
    """Make the summary's acceptance time known where the retained accepted entry has it; the state afterwards.

    A summary is never created for it, and a disagreement is an answer, not an error. Repeatable.
    """
    accepted = find_accepted(storage, request_id)
    found = acceptance_time(find_summary(storage, request_id), accepted, storage.summaries.retains)
    if found.knowledge != "derivable" or accepted is None:
        return found
    try:
        written = project_retained(storage, request_id, (accepted,))
    except ProjectionConflict as conflict:
        # Race: the summary took another value between the judgement above and the write.
        return AcceptanceTime("conflict", problem=conflict.problem)
    return acceptance_time(written.summary, accepted, storage.summaries.retains)


def ensure_acceptance(storage: Storage, request_id: str) -> AcceptanceChange:
    """Map the request at the time its stored summary has; `none` where that is unknown or there is no summary."""
    summary = find_summary(storage, request_id)
    return "none" if summary is None else map_summary(storage, summary)


def map_summary(storage: Storage, summary: RequestSummary) -> AcceptanceChange:
    """Map the request of a summary that was read from the store."""
    if not summary.accepted_at_ms:
        return "none"
    try:
        storage.acceptances.create(RequestAcceptance(summary.queue, summary.accepted_at_ms, summary.request_id))
    except AlreadyExists:
        return "already_mapped"
    return "created"


def find_accepted(storage: Storage, request_id: str) -> RequestLog | None:
    """The retained accepted entry of a request, also under an obsolete id; None where there is none."""
    entries = storage.request_log.list(request_id)
    return next((entry for entry in entries if entry.state == "accepted" and entry.request_version == 1), None)
