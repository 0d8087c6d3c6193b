"""What stored rows prove of each kind of missing entry. A row that is missing itself is no evidence."""

from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES, TERMINAL_STATES
from stovepipe_cli.history.entries import processing_entry
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.repair.accepted_evidence import decide_accepted
from stovepipe_cli.repair.decision import Decision, OperatorDecisions, not_derivable, request_evidence
from stovepipe_cli.repair.event_evidence import (
    decide_build_finished,
    decide_build_triggered,
    decide_completion,
    decide_fact_recorded,
    decide_other_event,
)
from stovepipe_cli.repair.outcome_evidence import decide_outcome
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.state_place import FIRST_VERSION, obstacle, timed

__all__ = [
    "decide_accepted",
    "decide_build_finished",
    "decide_build_triggered",
    "decide_completion",
    "decide_current",
    "decide_fact_recorded",
    "decide_other_event",
    "decide_outcome",
    "decide_processing",
]


def decide_processing(rows: RequestRows, operator: OperatorDecisions) -> Decision:
    """The version at which the strategy was chosen: the current one while processing, else the one before."""
    request = rows.request
    version = request.version if request.state == "processing" else request.version - 1
    log_id = state_log_id(version)
    if not request.build_strategy:
        return not_derivable(log_id, "the request has no build_strategy, which alone proves that it was processed")
    if request.state != "processing" and request.state not in BUILD_OUTCOME_STATES:
        return not_derivable(log_id, f"the request is '{request.state}' and has a build_strategy")
    problem = obstacle(rows, version, "processing")
    if problem:
        return not_derivable(log_id, problem)
    proved = Decision(
        log_id,
        "ready",
        f"build_strategy '{request.build_strategy}' proves it",
        proved_by=("request.build_strategy",),
        fields_from=("request.version", "request.build_strategy", "request.base_uri"),
        evidence=(request_evidence(request, "state", "version", "build_strategy", "base_uri"),),
    )
    return timed(rows, proved, processing_entry(request), operator)


def decide_current(rows: RequestRows, operator: OperatorDecisions) -> Decision:
    """The state at the request's own version, whichever it is."""
    request = rows.request
    if request.state == "accepted":
        if request.version != FIRST_VERSION:
            return not_derivable(state_log_id(request.version), f"'accepted' at version {request.version} has no entry")
        return decide_accepted(rows)
    if request.state == "processing":
        return decide_processing(rows, operator)
    if request.state in TERMINAL_STATES:
        return decide_outcome(rows, operator)
    return not_derivable(state_log_id(request.version), f"the request has unknown state '{request.state}'")
