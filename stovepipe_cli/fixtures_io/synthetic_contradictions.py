"""Damage that contradicts instead of losing: entries, builds, facts and projections that do not fit each other."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.fixtures_io.synthetic_request import SyntheticRows, rows_without
from stovepipe_cli.history.metadata_keys import BROKEN_PROJECT_FACT_COUNT, BUILD_ID, FACT_DEGREE, PROJECT_FACT_COUNT
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    ProjectFactByDegreeRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

# Beyond the number of builds of one request that a verify lets pass by default.
MANY_BUILDS = 65
# The first request is never damaged, so its build is always there.
OTHER_BUILD = "b-1"
ABSENT_BUILD = "b-0"
# Further apart than clocks may be.
SKEW_MS = 60_000
PROJECTS_AFTER_MS = 5_070

_OTHER_OUTCOME = {"succeeded": "failed", "failed": "succeeded"}


def gone(request_id: str) -> str:
    """The id of a request that does not exist, for rows that lead to one."""
    return f"{request_id}/gone"


def misnamed(rows: SyntheticRows) -> list[Row]:
    """H110."""
    return [*rows._replace(processing=rows.processing._replace(log_id="state/20"))]


def without_context(rows: SyntheticRows) -> list[Row]:
    """H111."""
    return [*rows._replace(triggered=rows.triggered._replace(metadata="{}"))]


def of_a_newer_service(rows: SyntheticRows) -> list[Row]:
    """H112."""
    return [*rows, _event(rows, "build_polished", "b", {})]


def out_of_time(rows: SyntheticRows) -> list[Row]:
    """H113."""
    early = rows.accepted.timestamp_ms - SKEW_MS
    return [*rows._replace(processing=rows.processing._replace(timestamp_ms=early))]


def with_broken_metadata(rows: SyntheticRows) -> list[Row]:
    """H115."""
    return [*rows._replace(triggered=rows.triggered._replace(metadata='["b"]'))]


def much_built(rows: SyntheticRows) -> list[Row]:
    """H116."""
    more: list[Row] = []
    for place in range(MANY_BUILDS):
        build_id = f"{rows.build.id}-{place}"
        metadata = {BUILD_ID: build_id}
        more.append(BuildRow(build_id, rows.request.id, "cancelled", 3))
        more += [_event(rows, event, build_id, metadata) for event in ("build_triggered", "build_finished")]
    return [*rows, *more]


def with_a_secret(rows: SyntheticRows) -> list[Row]:
    """H117."""
    metadata = json.dumps({BUILD_ID: rows.build.id, "remote": "https://somebody:made-up@example.org/"})
    return [*rows._replace(triggered=rows.triggered._replace(metadata=metadata))]


def still_building(rows: SyntheticRows) -> list[Row]:
    """E203."""
    return [*rows._replace(build=rows.build._replace(status="running", version=2))]


def of_no_build(rows: SyntheticRows) -> list[Row]:
    """E204."""
    return [*rows, _event(rows, "build_triggered", ABSENT_BUILD, {BUILD_ID: ABSENT_BUILD})]


def of_another_build(rows: SyntheticRows) -> list[Row]:
    """E205."""
    return [*rows, _event(rows, "build_triggered", OTHER_BUILD, {BUILD_ID: OTHER_BUILD})]


def of_another_degree(rows: SyntheticRows) -> list[Row]:
    """E207."""
    metadata = json.dumps({FACT_DEGREE: "0" if rows.fact.degree else "1"})
    return [*rows._replace(recorded=rows.recorded._replace(metadata=metadata))]


def recorded_all_the_same(rows: SyntheticRows) -> list[Row]:
    """E208: the request was cancelled."""
    cancelled = rows._replace(
        request=rows.request._replace(state="cancelled"),
        build=rows.build._replace(status="cancelled"),
        outcome=rows.outcome._replace(state="cancelled", outcome_reason="build_cancelled"),
        summary=rows.summary._replace(state="cancelled", outcome_reason="build_cancelled"),
    )
    return [*cancelled]


def decided_otherwise(rows: SyntheticRows) -> list[Row]:
    """E211."""
    return [*rows._replace(build=rows.build._replace(status=_OTHER_OUTCOME[rows.build.status]))]


def counting_too_many(rows: SyntheticRows) -> list[Row]:
    """E212."""
    return [*rows, *_project(rows, "//one"), _projects_recorded(rows, 2)]


def summary_ahead(rows: SyntheticRows) -> list[Row]:
    """P303."""
    return [*rows._replace(summary=rows.summary._replace(request_version=4, version=4))]


def accepted_at_another_time(rows: SyntheticRows) -> list[Row]:
    """P305: summary and mapping agree with each other alone."""
    later = rows.accepted.timestamp_ms + 1
    summary = rows.summary._replace(accepted_at_ms=later)
    return [*rows._replace(summary=summary, acceptance=rows.acceptance._replace(accepted_at_ms=later))]


def acceptance_not_projected(rows: SyntheticRows) -> list[Row]:
    """P306."""
    return rows_without(rows._replace(summary=rows.summary._replace(accepted_at_ms=0)), "acceptance")


def completed_at_another_time(rows: SyntheticRows) -> list[Row]:
    """P307."""
    recorded = _projects_recorded(rows, 1)
    summary = rows.summary._replace(
        project_results_completed_at_ms=recorded.timestamp_ms + 1, project_fact_count=1, broken_project_fact_count=0
    )
    return [*rows._replace(summary=summary), *_project(rows, "//one"), recorded]


def mapping_of_nobody(rows: SyntheticRows) -> list[Row]:
    """A402."""
    return [*rows, RequestAcceptanceRow(rows.acceptance.accepted_at_ms, gone(rows.request.id))]


def mapped_at_another_time(rows: SyntheticRows) -> list[Row]:
    """A403."""
    later = rows.acceptance.accepted_at_ms + 1
    return [*rows._replace(acceptance=rows.acceptance._replace(accepted_at_ms=later))]


def mapped_twice(rows: SyntheticRows) -> list[Row]:
    """A404."""
    return [*rows, RequestAcceptanceRow(rows.acceptance.accepted_at_ms + 1, rows.request.id)]


def uri_of_nobody(rows: SyntheticRows) -> list[Row]:
    """U502."""
    return [*rows, RequestURIRow(f"{rows.request.uri}-gone", gone(rows.request.id), 1)]


def other_uri(rows: SyntheticRows) -> list[Row]:
    """U503."""
    return [*rows, RequestURIRow(f"{rows.request.uri}-other", rows.request.id, 1)]


def project_not_mapped(rows: SyntheticRows) -> list[Row]:
    """D801; another project of the same commit is mapped, so that mappings are known to be kept."""
    unmapped = ValidationFactRow(rows.request.uri, "//two", 0.0, rows.request.id, rows.fact.created_at)
    return [*rows, *_project(rows, "//one"), unmapped]


def mapping_of_no_project(rows: SyntheticRows) -> list[Row]:
    """D802."""
    return [*rows, ProjectFactByDegreeRow(rows.request.uri, 0.5, "//gone")]


def project_of_another_degree(rows: SyntheticRows) -> list[Row]:
    """D803."""
    fact = ValidationFactRow(rows.request.uri, "//one", 0.25, rows.request.id, rows.fact.created_at)
    return [*rows, fact, ProjectFactByDegreeRow(rows.request.uri, 0.75, "//one")]


def _event(rows: SyntheticRows, event: str, occurrence: str, metadata: Mapping[str, str]) -> RequestLogRow:
    at = rows.finished.timestamp_ms + 1
    log_id = f"event/{event}/{occurrence}"
    return RequestLogRow(rows.request.id, log_id, at, "", event, 0, "", json.dumps(metadata))


def _project(rows: SyntheticRows, project: str) -> list[Row]:
    """A healthy project fact with its mapping."""
    fact = ValidationFactRow(rows.request.uri, project, 0.0, rows.request.id, rows.fact.created_at)
    return [fact, ProjectFactByDegreeRow(rows.request.uri, 0.0, project)]


def _projects_recorded(rows: SyntheticRows, count: int) -> RequestLogRow:
    metadata = {BROKEN_PROJECT_FACT_COUNT: "0", PROJECT_FACT_COUNT: str(count)}
    at = rows.recorded.timestamp_ms + PROJECTS_AFTER_MS
    return _event(rows, "project_facts_recorded", "all", metadata)._replace(timestamp_ms=at)


CONTRADICTIONS = MappingProxyType(
    {
        "H110": misnamed,
        "H111": without_context,
        "H112": of_a_newer_service,
        "H113": out_of_time,
        "H115": with_broken_metadata,
        "H116": much_built,
        "H117": with_a_secret,
        "E203": still_building,
        "E204": of_no_build,
        "E205": of_another_build,
        "E207": of_another_degree,
        "E208": recorded_all_the_same,
        "E211": decided_otherwise,
        "E212": counting_too_many,
        "P303": summary_ahead,
        "P305": accepted_at_another_time,
        "P306": acceptance_not_projected,
        "P307": completed_at_another_time,
        "A402": mapping_of_nobody,
        "A403": mapped_at_another_time,
        "A404": mapped_twice,
        "U502": uri_of_nobody,
        "U503": other_uri,
        "D801": project_not_mapped,
        "D802": mapping_of_no_project,
        "D803": project_of_another_degree,
    }
)
