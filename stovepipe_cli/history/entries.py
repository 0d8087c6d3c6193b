"""The entries that the service writes, made from the rows they tell of.

A `timestamp_ms` of 0 is the moment of retention, filled in by the materializer. `extra` metadata is added, and never
replaces a key of the entry's own.
"""

from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.entities import Build, Request, RequestLog, ValidationFact
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.history.identity import (
    WHOLE_BATCH,
    WHOLE_REPOSITORY,
    degree_text,
    event_log_id,
    fact_occurrence,
    state_log_id,
)
from stovepipe_cli.history.metadata_keys import (
    BASE_URI,
    BROKEN_PROJECT_FACT_COUNT,
    BUILD_ID,
    FACT_DEGREE,
    PROJECT_FACT_COUNT,
    SUPERSEDED_BY,
)

NOTHING: Mapping[str, str] = MappingProxyType({})


def base_uri_metadata(request: Request) -> dict[str, str]:
    """The baseline that a state entry names: no key before a strategy is chosen, an empty value for a full build."""
    if request.build_strategy == "full":
        return {BASE_URI: ""}
    if request.build_strategy == "incremental_since_green":
        return {BASE_URI: request.base_uri}
    return {}


def accepted_entry(request: Request, *, timestamp_ms: int = 0, extra: Mapping[str, str] = NOTHING) -> RequestLog:
    """Version 1 of any request: a strategy is never chosen yet, whatever the row says by now."""
    return _state_entry(request, "accepted", 1, timestamp_ms=timestamp_ms, metadata=extra)


def processing_entry(request: Request, *, timestamp_ms: int = 0, extra: Mapping[str, str] = NOTHING) -> RequestLog:
    """The processing state: the request's version, or the one before a state that has followed."""
    version = request.version if request.state == "processing" else request.version - 1
    metadata = {**extra, **base_uri_metadata(request)}
    return _state_entry(request, "processing", version, timestamp_ms=timestamp_ms, metadata=metadata)


def superseded_entry(
    request: Request,
    superseding_id: str | None = None,
    *,
    timestamp_ms: int = 0,
    extra: Mapping[str, str] = NOTHING,
) -> RequestLog:
    """The end of a superseded request; `superseding_id` names the newer one where it is certain."""
    if request.state != "superseded":
        raise InvalidEntity(f"request '{request.id}' is '{request.state}', not superseded")
    metadata = {**extra, **base_uri_metadata(request)}
    if superseding_id:
        metadata[SUPERSEDED_BY] = superseding_id
    return _state_entry(
        request,
        "superseded",
        request.version,
        reason="superseded_by_newer_head",
        timestamp_ms=timestamp_ms,
        metadata=metadata,
    )


def outcome_entry(
    request: Request,
    reason: str,
    build_id: str | None = None,
    *,
    timestamp_ms: int = 0,
    extra: Mapping[str, str] = NOTHING,
) -> RequestLog:
    """The end of a succeeded, failed or cancelled request; `build_id` is the deciding build where it is certain."""
    if request.state not in BUILD_OUTCOME_STATES:
        raise InvalidEntity(f"request '{request.id}' is '{request.state}' and has no outcome")
    metadata = {**extra, **base_uri_metadata(request)}
    if build_id:
        metadata[BUILD_ID] = build_id
    return _state_entry(
        request, request.state, request.version, reason=reason, timestamp_ms=timestamp_ms, metadata=metadata
    )


def build_triggered_entry(build: Build, *, timestamp_ms: int = 0, extra: Mapping[str, str] = NOTHING) -> RequestLog:
    """A runner accepted the build."""
    return _build_entry("build_triggered", build, timestamp_ms, extra)


def build_finished_entry(build: Build, *, timestamp_ms: int = 0, extra: Mapping[str, str] = NOTHING) -> RequestLog:
    """The build ended; `InvalidEntity` while it has not."""
    if not build.is_terminal:
        raise InvalidEntity(f"build '{build.id}' is '{build.status}' and has not finished")
    return _build_entry("build_finished", build, timestamp_ms, extra)


def fact_entry(fact: ValidationFact, *, extra: Mapping[str, str] = NOTHING) -> RequestLog:
    """The repository's verdict, at the time the fact itself carries; `InvalidEntity` for a project's fact."""
    if fact.project:
        raise InvalidEntity(f"the fact of project '{fact.project}' has no entry of its own")
    return _event_entry(
        fact.queue,
        fact.request_id,
        "validation_fact_recorded",
        fact_occurrence(fact.uri),
        timestamp_ms=fact.created_at_ms,
        metadata={**extra, FACT_DEGREE: degree_text(fact.degree)},
    )


def project_facts_entry(
    queue: str,
    request_id: str,
    counts: tuple[int, int],
    *,
    timestamp_ms: int = 0,
    extra: Mapping[str, str] = NOTHING,
) -> RequestLog:
    """All project facts are recorded; `counts` are all of them, and the broken ones among them."""
    total, broken = counts
    metadata = {**extra, PROJECT_FACT_COUNT: str(total), BROKEN_PROJECT_FACT_COUNT: str(broken)}
    return _event_entry(
        queue, request_id, "project_facts_recorded", WHOLE_BATCH, timestamp_ms=timestamp_ms, metadata=metadata
    )


def record_abandoned_entry(
    queue: str, request_id: str, *, timestamp_ms: int = 0, extra: Mapping[str, str] = NOTHING
) -> RequestLog:
    """Recording stopped for good, with or without verdicts."""
    return _event_entry(
        queue, request_id, "record_abandoned", WHOLE_REPOSITORY, timestamp_ms=timestamp_ms, metadata=extra
    )


def _state_entry(
    request: Request,
    state: str,
    version: int,
    *,
    timestamp_ms: int,
    metadata: Mapping[str, str],
    reason: str = "",
) -> RequestLog:
    return RequestLog(
        queue=request.queue,
        request_id=request.id,
        id=state_log_id(version),
        timestamp_ms=timestamp_ms,
        state=state,
        request_version=version,
        outcome_reason=reason,
        metadata=metadata,
    )


def _build_entry(event: str, build: Build, timestamp_ms: int, extra: Mapping[str, str]) -> RequestLog:
    metadata = {**extra, BUILD_ID: build.id}
    return _event_entry(build.queue, build.request_id, event, build.id, timestamp_ms=timestamp_ms, metadata=metadata)


def _event_entry(
    queue: str, request_id: str, event: str, occurrence: str, *, timestamp_ms: int, metadata: Mapping[str, str]
) -> RequestLog:
    return RequestLog(
        queue=queue,
        request_id=request_id,
        id=event_log_id(event, occurrence),
        timestamp_ms=timestamp_ms,
        event=event,
        metadata=metadata,
    )
