"""What stored rows say of one missing entry, as data, and the pieces of which such an answer is made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stovepipe_cli.entities import (
    Build,
    Request,
    RequestAcceptance,
    RequestLog,
    RequestSummary,
    ValidationFact,
)
from stovepipe_cli.reports import Evidence, JsonValue
from stovepipe_cli.reports.repair import Status
from stovepipe_cli.storage.contract import mapping

RETENTION = "retention"
ACCEPTED_AT = "request_summary.accepted_at_ms"
STATE_TIME = "request_summary.state_timestamp_ms"
MAPPING_TIME = "request_acceptance.accepted_at_ms"
FACT_TIME = "validation_fact.created_at"
COMPLETION_TIME = "request_summary.project_results_completed_at_ms"


@dataclass(frozen=True, slots=True)
class OperatorDecisions:
    """What the operator answers for where rows prove nothing; empty answers are no answers."""

    allow_retention_time: bool = False
    failed_reason: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a missing entry can be written back.

    `proved_by` and `fields_from` name columns, or what the operator said; `time_from` names the column of the time,
    or `retention` for the moment of writing. `entry` has time 0 for that moment, and is None where not derivable.
    `evidence` are the rows that the answer rests on. `reason` is a sentence for the operator.
    """

    log_id: str
    status: Status
    reason: str
    entry: RequestLog | None = None
    proved_by: tuple[str, ...] = ()
    fields_from: tuple[str, ...] = ()
    time_from: str | None = None
    evidence: tuple[Evidence, ...] = ()


def not_derivable(log_id: str, reason: str, *evidence: Evidence) -> Decision:
    """The answer where the rows prove nothing, or contradict each other."""
    return Decision(log_id, "not-derivable", reason, evidence=evidence)


def at_retention(proved: Decision, operator: OperatorDecisions) -> Decision:
    """A proved entry whose time no row tells: the moment of insertion, where the operator allows it."""
    if operator.allow_retention_time:
        how, status = "the moment of insertion is its time", proved.status
    else:
        how, status = "--allow-retention-time takes the moment of insertion", "needs-operator"
    reason = f"{proved.reason}; no stored row tells when: {how}"
    return replace(proved, status=status, reason=reason, time_from=RETENTION)


def request_evidence(request: Request, *columns: str) -> Evidence:
    """The request row and those of its columns that matter."""
    return Evidence("request", {"id": request.id}, _some(mapping.request_row(request)._asdict(), columns))


def summary_evidence(request_id: str, summary: RequestSummary | None, *columns: str) -> Evidence:
    """The summary and those of its columns that matter, or that there is none."""
    values = None if summary is None else _some(mapping.summary_row(summary)._asdict(), columns)
    return Evidence("request_summary", {"request_id": request_id}, values)


def build_evidence(build: Build) -> Evidence:
    """A build: whose it is, and its status."""
    return Evidence("build", {"id": build.id}, _some(mapping.build_row(build)._asdict(), ("request_id", "status")))


def fact_evidence(fact: ValidationFact) -> Evidence:
    """A fact, whole."""
    row = mapping.fact_row(fact)._asdict()
    key: Mapping[str, str | int | float] = {"uri": fact.uri, "project": fact.project}
    return Evidence("validation_fact", key, _some(row, ("degree", "request_id", "created_at")))


def acceptance_evidence(acceptance: RequestAcceptance) -> Evidence:
    """An acceptance mapping, which is all key."""
    key: Mapping[str, str | int | float] = {
        "accepted_at_ms": acceptance.accepted_at_ms,
        "request_id": acceptance.request_id,
    }
    return Evidence("request_acceptance", key, {})


def log_evidence(entry: RequestLog) -> Evidence:
    """A retained entry: what a projection takes from it."""
    columns = ("timestamp_ms", "state", "event", "request_version", "outcome_reason")
    values = {**_some(mapping.log_row(entry)._asdict(), columns), "metadata": dict(entry.metadata)}
    return Evidence("request_log", {"request_id": entry.request_id, "log_id": entry.id}, values)


def _some(row: Mapping[str, JsonValue], columns: tuple[str, ...]) -> dict[str, JsonValue]:
    return {name: row[name] for name in columns}
