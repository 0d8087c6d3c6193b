"""What stored rows prove of a missing terminal entry."""

from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.history.entries import outcome_entry, superseded_entry
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.history.metadata_keys import BASE_URI
from stovepipe_cli.repair.decision import (
    Decision,
    OperatorDecisions,
    at_retention,
    build_evidence,
    fact_evidence,
    not_derivable,
    request_evidence,
    summary_evidence,
)
from stovepipe_cli.repair.failed_reason import FailedReason, failed_reason
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.state_place import has_time, obstacle, timed

_FROM_ACCEPTED = 2
_PLAIN_REASONS = {"succeeded": "build_succeeded", "cancelled": "build_cancelled"}
_FACT_DEGREES = {"succeeded": 0.0, "failed": 1.0}


def decide_outcome(rows: RequestRows, operator: OperatorDecisions) -> Decision:
    """The terminal state that the request row has reached."""
    request = rows.request
    log_id = state_log_id(request.version)
    problem = obstacle(rows, request.version, request.state) or _outcome_obstacle(rows)
    if problem:
        return not_derivable(log_id, problem)
    if request.state == "superseded":
        return _superseded(rows, operator)
    if request.state == "failed":
        return _failed(rows, operator, failed_reason(rows, operator.failed_reason))
    evidence = [request_evidence(request, "state", "version", "build_strategy", "base_uri", "terminal_build_id")]
    fields = ["request.state", "request.version", "request.base_uri"]
    build = rows.build(request.terminal_build_id)
    if build is not None:
        evidence.append(build_evidence(build))
        fields.append("request.terminal_build_id")
    if rows.uri_fact is not None and rows.uri_fact.request_id == request.id:
        evidence.append(fact_evidence(rows.uri_fact))
    proved = Decision(
        log_id,
        "ready",
        f"the request is '{request.state}'",
        proved_by=("request.state",),
        fields_from=tuple(fields),
        evidence=tuple(evidence),
    )
    entry = outcome_entry(request, _PLAIN_REASONS[request.state], build.id if build else None)
    return timed(rows, proved, entry, operator)


def _superseded(rows: RequestRows, operator: OperatorDecisions) -> Decision:
    request = rows.request
    if request.build_strategy:
        return not_derivable(
            state_log_id(request.version), "the request is 'superseded' and has a build_strategy, which no such one has"
        )
    fields = ("request.version", "operator") if operator.superseded_by else ("request.version",)
    proved = Decision(
        state_log_id(request.version),
        "ready",
        "the request is 'superseded'",
        proved_by=("request.state",),
        fields_from=fields,
        evidence=(request_evidence(request, "state", "version", "build_strategy"),),
    )
    return timed(rows, proved, superseded_entry(request, operator.superseded_by or None), operator)


def _failed(rows: RequestRows, operator: OperatorDecisions, found: FailedReason) -> Decision:
    request = rows.request
    log_id = state_log_id(request.version)
    evidence = [request_evidence(request, "state", "version", "build_strategy", "base_uri", "terminal_build_id")]
    if found.status == "not-derivable":
        return not_derivable(log_id, found.sentence, *evidence)
    evidence += [build_evidence(build) for build in rows.builds]
    if found.status == "needs-operator":
        proved = Decision(
            log_id, "needs-operator", found.sentence, proved_by=("request.state",), evidence=tuple(evidence)
        )
        return proved if has_time(rows, request.version) else at_retention(proved, operator)
    build = rows.build(request.terminal_build_id)
    if found.taken_from == "request_summary.outcome_reason":
        evidence.append(summary_evidence(request.id, rows.summary, "request_version", "outcome_reason"))
    proved = Decision(
        log_id,
        "ready",
        f"the request is 'failed', {found.sentence}",
        proved_by=("request.state",),
        fields_from=("request.state", "request.version", "request.base_uri", found.taken_from),
        evidence=tuple(evidence),
    )
    return timed(rows, proved, outcome_entry(request, found.word, build.id if build else None), operator)


def _outcome_obstacle(rows: RequestRows) -> str:
    """Why the request's state contradicts its deciding build or its fact."""
    request = rows.request
    if request.state in BUILD_OUTCOME_STATES and request.terminal_build_id:
        build = rows.build(request.terminal_build_id)
        if build is not None and build.status != request.state:
            return f"the request is '{request.state}', its deciding build '{build.id}' is '{build.status}'"
    if request.state in _PLAIN_REASONS and not request.terminal_build_id and len(rows.builds) == 1:
        only = rows.builds[0]
        if only.is_terminal and only.status != request.state:
            return f"the request is '{request.state}', its only build '{only.id}' is '{only.status}'"
    if request.version > _FROM_ACCEPTED and not request.build_strategy and not _has_baseline(rows):
        return "the request has no build_strategy, so that no row tells the baseline that its summary would name"
    fact = rows.uri_fact
    if fact is not None and fact.request_id == request.id and fact.degree != _FACT_DEGREES.get(request.state):
        return f"the request is '{request.state}' and its fact has degree {fact.degree:g}"
    return ""


def _has_baseline(rows: RequestRows) -> bool:
    """Whether a summary knows the baseline already, or an entry that it is projected from."""
    if rows.summary is not None and rows.summary.request_version >= _FROM_ACCEPTED:
        return True
    return any(BASE_URI in entry.metadata for entry in rows.states)
