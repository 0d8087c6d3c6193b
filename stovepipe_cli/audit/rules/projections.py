"""Whether the summary says what the retained entries say: P301 to P307."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.rules.mending import is_event_of_results_lost, is_mendable
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.history.context import parse_count
from stovepipe_cli.history.metadata_keys import BASE_URI, BROKEN_PROJECT_FACT_COUNT, PROJECT_FACT_COUNT
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestSummaryRow

SUMMARY = "request_summary"


def summary_exists(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """P301."""
    if dossier.summary is not None or dossier.request is None or not dossier.entry_count:
        return NOTHING
    # A summary cannot be without a commit, so of a request that has none nothing is projected.
    is_projectable = bool(dossier.request.uri) and (
        bool(dossier.states) or any(is_mendable(dossier, code) for code in ("H102", "H103", "H104"))
    )
    return [
        about(
            dossier,
            "P301",
            (SUMMARY, (dossier.request_id,)),
            ("a summary", "none"),
            f"request '{dossier.request_id}' has history but no summary",
            is_latest=len(dossier.states) <= 1,
            is_repairable=is_projectable,
        )
    ]


def summary_keeps_up(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """P302 and P303."""
    summary = dossier.summary
    if summary is None or dossier.request is None:
        return NOTHING
    newest, version = dossier.newest_version, summary.request_version
    if version == newest:
        return NOTHING
    is_repairable: bool | None = None
    if version < newest:
        code, word, versions = "P302", "behind", (newest,)
    else:
        code, word, versions = "P303", "ahead of", (version,)
        # Of any other version than the request's own, no row tells what the missing entry said.
        is_repairable = version == dossier.request.version and is_mendable(dossier, "H102")
    return [
        about(
            dossier,
            code,
            (SUMMARY, (dossier.request_id,)),
            (newest, version),
            f"the summary of request '{dossier.request_id}' is at version {version}, {word} its newest state entry "
            f"of version {newest}",
            versions=versions,
            is_repairable=is_repairable,
            is_absence=newest == 0,
        )
    ]


def summary_agrees(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """P304."""
    summary, request = dossier.summary, dossier.request
    if summary is None or request is None:
        return NOTHING
    entry = dossier.state_at(summary.request_version)
    expected: dict[str, str | int] = {}
    found: dict[str, str | int] = {}
    if entry is not None and summary.request_version == dossier.newest_version:
        _compare_state(entry, summary, expected, found)
    versions = (summary.request_version,) if expected else ()
    if request.uri and summary.uri != request.uri:
        expected["uri"], found["uri"] = request.uri, summary.uri
    if not expected:
        return NOTHING
    names = ", ".join(expected)
    return [
        about(
            dossier,
            "P304",
            (SUMMARY, (dossier.request_id,)),
            (expected, found),
            f"the summary of request '{dossier.request_id}' differs from what it was projected from in {names}",
            versions=versions,
            entries=(entry.log_id,) if entry is not None and versions else (),
        )
    ]


def _compare_state(
    entry: RequestLogRow,
    summary: RequestSummaryRow,
    expected: dict[str, str | int],
    found: dict[str, str | int],
) -> None:
    if entry.state != summary.state:
        expected["state"], found["state"] = entry.state, summary.state
    if summary.state_timestamp_ms and entry.timestamp_ms != summary.state_timestamp_ms:
        expected["state_timestamp_ms"], found["state_timestamp_ms"] = entry.timestamp_ms, summary.state_timestamp_ms
    if summary.outcome_reason and entry.outcome_reason != summary.outcome_reason:
        expected["outcome_reason"], found["outcome_reason"] = entry.outcome_reason, summary.outcome_reason
    if BASE_URI in entry.metadata:
        base_uri = (parse_metadata(entry.metadata) or {}).get(BASE_URI)
        if base_uri is not None and base_uri != summary.base_uri:
            expected["base_uri"], found["base_uri"] = base_uri, summary.base_uri


def accepted_time_agrees(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """P305."""
    summary, accepted = dossier.summary, dossier.accepted
    if summary is None or accepted is None or dossier.request is None or not summary.accepted_at_ms:
        return NOTHING
    if accepted.timestamp_ms in (summary.accepted_at_ms, 0):
        return NOTHING
    return [
        about(
            dossier,
            "P305",
            (SUMMARY, (dossier.request_id,)),
            (accepted.timestamp_ms, summary.accepted_at_ms),
            f"the summary of request '{dossier.request_id}' has another accepted time than its accepted entry",
            entries=(accepted.log_id,),
        )
    ]


def accepted_time_is_set(dossier: Dossier, terms: Terms) -> Sequence[Candidate]:
    """P306."""
    summary, accepted = dossier.summary, dossier.accepted
    if summary is None or accepted is None or dossier.request is None or summary.accepted_at_ms:
        return NOTHING
    if accepted.timestamp_ms <= 0 or not terms.has_column(SUMMARY, "accepted_at_ms"):
        return NOTHING
    return [
        about(
            dossier,
            "P306",
            (SUMMARY, (dossier.request_id,)),
            (accepted.timestamp_ms, None),
            f"the summary of request '{dossier.request_id}' does not know its accepted time, which its accepted entry "
            "has",
            is_latest=dossier.newest_version <= 1,
        )
    ]


def project_results_agree(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """P307."""
    summary = dossier.summary
    if summary is None or dossier.request is None:
        return NOTHING
    completed = summary.project_results_completed_at_ms
    if not completed and not summary.project_fact_count:
        return NOTHING
    completing = dossier.events_of("project_facts_recorded") + dossier.events_of("record_abandoned")
    expected: dict[str, JsonValue] = {}
    found: dict[str, JsonValue] = {}
    times = sorted({row.timestamp_ms for row in completing})
    if completed and completed not in times:
        expected["project_results_completed_at_ms"] = times[0] if len(times) == 1 else times or None
        found["project_results_completed_at_ms"] = completed
    entries = tuple(row.log_id for row in completing)
    for row in dossier.events_of("project_facts_recorded"):
        counts = _both_counts(row)
        if counts is None or not summary.project_fact_count:
            continue
        for name, right, stored in zip(
            (PROJECT_FACT_COUNT, BROKEN_PROJECT_FACT_COUNT),
            counts,
            (summary.project_fact_count, summary.broken_project_fact_count),
            strict=True,
        ):
            if right != stored:
                expected[name], found[name] = right, stored
    if not expected:
        return NOTHING
    return [
        about(
            dossier,
            "P307",
            (SUMMARY, (dossier.request_id,)),
            (expected, found),
            f"the summary of request '{dossier.request_id}' has other project results than its entries: "
            f"{', '.join(expected)}",
            entries=entries,
            is_repairable=is_event_of_results_lost(dossier),
            is_absence=not entries,
        )
    ]


def _both_counts(row: RequestLogRow) -> tuple[int, int] | None:
    metadata = parse_metadata(row.metadata) or {}
    total, broken = parse_count(metadata.get(PROJECT_FACT_COUNT)), parse_count(metadata.get(BROKEN_PROJECT_FACT_COUNT))
    return None if total is None or broken is None else (total, broken)


_TABLES = ("request", "request_log", SUMMARY)

PROJECTION_RULES = (
    Rule(
        "P301",
        "summary-missing",
        "error",
        "Entries are retained and the summary that is projected from them does not exist, so listings and status "
        "answers do not know the request. The projection failed after the entry was written and was never run again. "
        "Repair projects the retained entries.",
        "repair",
        ("requests",),
        _TABLES,
        summary_exists,
    ),
    Rule(
        "P302",
        "summary-behind",
        "error",
        "A state entry is newer than the summary: the projection of that entry failed and was never run again. "
        "Readers see an old state. Repair moves the summary forward to the newest retained entry.",
        "repair",
        ("requests",),
        _TABLES,
        summary_keeps_up,
    ),
    Rule(
        "P303",
        "summary-ahead",
        "error",
        "The summary is newer than every retained state entry, though it is made from entries alone: the entry it "
        "came from has been deleted or is of a lost write. Repair puts the missing entry back from the summary's time "
        "and the request row where both agree.",
        "repair",
        ("requests",),
        _TABLES,
        summary_keeps_up,
    ),
    Rule(
        "P304",
        "summary-mismatch",
        "error",
        "Summary and entry are of one version and disagree in state, time, reason or baseline, or the summary has "
        "another commit than the request. Every later write of that entry by the service fails as a conflict. A row "
        "was changed by hand or restored; find out which one is true.",
        None,
        ("requests",),
        _TABLES,
        summary_agrees,
    ),
    Rule(
        "P305",
        "accepted-at-mismatch",
        "error",
        "The summary's accepted time is not the time of the accepted entry. The service refuses to project the entry "
        "as long as they differ. One of the rows was changed by hand.",
        None,
        ("requests",),
        _TABLES,
        accepted_time_agrees,
    ),
    Rule(
        "P306",
        "accepted-at-unset",
        "warning",
        "The accepted entry is retained, but the summary does not know the accepted time, so the request never shows "
        "up in the service's listing. Typical for summaries written before that column existed. Repair fills it in "
        "from the entry.",
        "repair",
        ("requests",),
        _TABLES,
        accepted_time_is_set,
    ),
    Rule(
        "P307",
        "project-results-mismatch",
        "error",
        "The summary's project results do not come from a retained entry: another completion time than the events "
        "that set it, or other counts than the event that carries both. A row was changed by hand or restored, and "
        "nothing mends the summary. Where the event itself was lost, so that the summary's time and counts come from "
        "nowhere, repair plan writes the event back under this code, provided that the facts it counted are stored.",
        None,
        ("requests",),
        _TABLES,
        project_results_agree,
    ),
)
