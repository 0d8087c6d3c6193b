"""The current read model of a request, projected from its log."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.entities.request import REQUEST_STATES
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text


@dataclass(frozen=True, slots=True)
class RequestSummary:
    """Key (queue, request_id). `version` is the projection's own; 0 and '' in the later fields are unknown."""

    queue: str
    request_id: str
    uri: str
    base_uri: str
    state: str
    request_version: int
    state_timestamp_ms: int
    version: int
    accepted_at_ms: int = 0
    outcome_reason: str = ""
    project_results_completed_at_ms: int = 0
    project_fact_count: int = 0
    broken_project_fact_count: int = 0

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "request summary"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        for field, value in (("request_id", self.request_id), ("uri", self.uri)):
            require_name(kind, field, value)
            require_text(kind, field, value, limits.TEXT_CHARACTERS)
        require_text(kind, "base_uri", self.base_uri, limits.TEXT_CHARACTERS)
        require_text(kind, "outcome_reason", self.outcome_reason, limits.STATE_CHARACTERS)
        if self.state not in REQUEST_STATES:
            raise InvalidEntity(
                f"summary of request '{self.request_id}' has unknown state '{self.state}'",
                hint=f"use one of {', '.join(REQUEST_STATES)}",
            )
        limits.require_version(f"{kind} request", self.request_version)
        limits.require_version(kind, self.version)
        limits.require_positive_ms(kind, "state_timestamp_ms", self.state_timestamp_ms)
        for field, number in (
            ("accepted_at_ms", self.accepted_at_ms),
            ("project_results_completed_at_ms", self.project_results_completed_at_ms),
        ):
            limits.require_count(kind, field, number, highest=limits.MAX_INT64)
        limits.require_count(kind, "project_fact_count", self.project_fact_count)
        limits.require_count(kind, "broken_project_fact_count", self.broken_project_fact_count)
