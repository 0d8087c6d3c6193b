"""Writes projections of retained entries into summaries, by conditional updates decided again after a lost race."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.entities import Request, RequestLog, RequestSummary
from stovepipe_cli.history.errors import ProjectionConflict, SummaryRequired
from stovepipe_cli.history.summary_projection import ProjectionDecision, project_all
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage, VersionMismatch

SummaryChange = Literal["none", "created", "advanced"]

MAX_RELOADS = 16


@dataclass(frozen=True, slots=True)
class SummaryWrite:
    """What happened to a summary, and how it reads afterwards (None: there is none)."""

    change: SummaryChange
    summary: RequestSummary | None


def ensure_summary(storage: Storage, entry: RequestLog) -> SummaryWrite:
    """Project the retained entry with this key; `NotFound` where none is retained.

    `ProjectionConflict` and `SummaryRequired` as for every projection. Repeatable.
    """
    return project_retained(storage, entry.request_id, (storage.request_log.get(entry.request_id, entry.id),))


def ensure_summary_from_log(storage: Storage, request_id: str) -> SummaryWrite:
    """Project everything retained of a request, in one write; a request without entries stays as it is.

    `ProjectionConflict` where a retained entry contradicts the summary or another one. Repeatable.
    """
    return project_retained(storage, request_id, storage.request_log.list(request_id))


def project_retained(
    storage: Storage, request_id: str, entries: Sequence[RequestLog], *, insert_only: bool = False
) -> SummaryWrite:
    """Project entries as the log holds them; the caller has just read or written them there.

    With `insert_only` a missing summary is made, and one that exists is left as it is.
    """
    for _ in range(MAX_RELOADS):
        summary = find_summary(storage, request_id)
        request = None if summary else _find_request(storage, request_id)
        decision = project_all(summary, entries, request, storage.summaries.retains)
        if not decision.writes:
            _refuse_problem(request_id, decision)
            return SummaryWrite("none", summary)
        if insert_only and summary is not None:
            return SummaryWrite("none", summary)
        try:
            change = _write(storage, decision)
        except (AlreadyExists, VersionMismatch):
            # Race: another writer moved the summary since it was read, so its value decides anew.
            continue
        return SummaryWrite(change, find_summary(storage, request_id))
    raise VersionMismatch(
        f"the summary of request '{request_id}' changed {MAX_RELOADS} times while it was projected",
        hint="repeat once the other writers have ended",
    )


def find_summary(storage: Storage, request_id: str) -> RequestSummary | None:
    """The summary of a request, or None."""
    try:
        return storage.summaries.get(request_id)
    except NotFound:
        return None


def _find_request(storage: Storage, request_id: str) -> Request | None:
    try:
        return storage.requests.get(request_id)
    except NotFound:
        return None


def _refuse_problem(request_id: str, decision: ProjectionDecision) -> None:
    if decision.change == "conflict":
        raise ProjectionConflict(request_id, decision.log_id, decision.problem)
    if decision.change == "summary-required":
        raise SummaryRequired(request_id, decision.log_id)


def _write(storage: Storage, decision: ProjectionDecision) -> SummaryChange:
    summary = decision.summary
    if summary is None:
        return "none"
    if decision.change == "create":
        storage.summaries.create(summary)
        return "created"
    storage.summaries.update(summary, old_version=summary.version - 1, new_version=summary.version)
    return "advanced"
