"""What stored rows prove of a missing event."""

from stovepipe_cli.entities import Build, RequestSummary
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.history.entries import build_finished_entry, build_triggered_entry, fact_entry, project_facts_entry
from stovepipe_cli.history.identity import WHOLE_BATCH, WHOLE_REPOSITORY, event_log_id, fact_occurrence
from stovepipe_cli.repair.decision import (
    COMPLETION_TIME,
    FACT_TIME,
    Decision,
    OperatorDecisions,
    at_retention,
    build_evidence,
    fact_evidence,
    not_derivable,
    request_evidence,
    summary_evidence,
)
from stovepipe_cli.repair.request_rows import RequestRows

_FACT_STATES = {"succeeded": 0.0, "failed": 1.0}


def decide_build_triggered(build: Build, operator: OperatorDecisions) -> Decision:
    """A build row proves that its runner accepted it; no row tells when."""
    return at_retention(
        Decision(
            event_log_id("build_triggered", build.id),
            "ready",
            f"build '{build.id}' exists",
            entry=build_triggered_entry(build),
            proved_by=("build",),
            fields_from=("build.id",),
            evidence=(build_evidence(build),),
        ),
        operator,
    )


def decide_build_finished(build: Build, operator: OperatorDecisions) -> Decision:
    """A terminal status proves the end of a build; no row tells when."""
    log_id = event_log_id("build_finished", build.id)
    if not build.is_terminal:
        return not_derivable(log_id, f"build '{build.id}' is '{build.status}' and has not ended", build_evidence(build))
    return at_retention(
        Decision(
            log_id,
            "ready",
            f"build '{build.id}' is '{build.status}'",
            entry=build_finished_entry(build),
            proved_by=("build.status",),
            fields_from=("build.id",),
            evidence=(build_evidence(build),),
        ),
        operator,
    )


def decide_fact_recorded(rows: RequestRows) -> Decision:
    """The repository fact of the request proves all of its entry, time included."""
    request, fact = rows.request, rows.uri_fact
    log_id = event_log_id("validation_fact_recorded", fact_occurrence(request.uri))
    if fact is None or fact.request_id != request.id or fact.project:
        return not_derivable(log_id, "no repository fact of the request is stored")
    degree = _FACT_STATES.get(request.state)
    if degree is None:
        return not_derivable(log_id, f"the request is '{request.state}', which has no fact", fact_evidence(fact))
    if fact.degree != degree:
        problem = f"the request is '{request.state}' and its fact has degree {fact.degree:g}"
        return not_derivable(log_id, problem, fact_evidence(fact))
    return Decision(
        log_id,
        "ready",
        f"the fact proves it; time from {FACT_TIME}",
        entry=fact_entry(fact),
        proved_by=("validation_fact",),
        fields_from=("validation_fact.uri", "validation_fact.degree"),
        time_from=FACT_TIME,
        evidence=(request_evidence(request, "uri", "state"), fact_evidence(fact)),
    )


def decide_completion(rows: RequestRows) -> Decision | None:
    """The entry that set the summary's completion of project results; None where nothing says that there was one.

    Counts come from project_facts_recorded alone, so that a completion time without counts tells of one of two events
    and not of which.
    """
    summary = rows.summary
    if summary is None or not summary.project_results_completed_at_ms or rows.entries_of("project_facts_recorded"):
        return None
    if summary.project_fact_count:
        return _project_facts(rows, summary)
    if rows.entries_of("record_abandoned"):
        return None
    log_id = event_log_id("record_abandoned", WHOLE_REPOSITORY)
    return decide_other_event(
        log_id, "the summary has a completion time and no counts: its entry may be of either kind"
    )


def decide_other_event(log_id: str, why: str = "no stored row proves it") -> Decision:
    """Abandoned records, issue and fix events leave no other trace."""
    return not_derivable(log_id, why)


def _project_facts(rows: RequestRows, summary: RequestSummary) -> Decision:
    request, completed_ms = rows.request, summary.project_results_completed_at_ms
    log_id = event_log_id("project_facts_recorded", WHOLE_BATCH)
    evidence = summary_evidence(
        request.id, summary, "project_results_completed_at_ms", "project_fact_count", "broken_project_fact_count"
    )
    problem = _project_obstacle(rows, summary)
    if problem:
        return not_derivable(log_id, problem, evidence)
    counts = (summary.project_fact_count, summary.broken_project_fact_count)
    return Decision(
        log_id,
        "ready",
        f"the summary's counts prove it; time from {COMPLETION_TIME}",
        entry=project_facts_entry(request.queue, request.id, counts, timestamp_ms=completed_ms),
        proved_by=("request_summary.project_fact_count", COMPLETION_TIME),
        fields_from=("request_summary.project_fact_count", "request_summary.broken_project_fact_count"),
        time_from=COMPLETION_TIME,
        evidence=(request_evidence(request, "uri", "state"), evidence),
    )


def _project_obstacle(rows: RequestRows, summary: RequestSummary) -> str:
    """Why the summary's completion and counts are not those of one batch of facts that is still there."""
    completed_ms = summary.project_results_completed_at_ms
    if any(entry.timestamp_ms <= completed_ms for entry in rows.entries_of("record_abandoned")):
        return "the completion time is that of record_abandoned, so nothing tells its own"
    if rows.request.state not in BUILD_OUTCOME_STATES - {"cancelled"}:
        return f"the request is '{rows.request.state}', which has no project facts"
    total, broken = summary.project_fact_count, summary.broken_project_fact_count
    facts = [fact for fact in rows.facts if fact.project and fact.request_id == rows.request.id]
    failing = sum(1 for fact in facts if not fact.is_green)
    if broken > total:
        return f"the summary counts {broken} broken project facts of {total}"
    if len(facts) < total or failing < broken:
        return f"the summary counts {total} project facts, {broken} broken; {len(facts)} and {failing} are stored"
    return ""
