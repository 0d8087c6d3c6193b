"""One retained entry of a request's history: a state it reached, or an event on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stovepipe_cli.entities import limits
from stovepipe_cli.entities.request import REQUEST_STATES
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import key_bytes, require_bytes, require_name, require_text

EVENTS = (
    "build_triggered",
    "build_finished",
    "validation_fact_recorded",
    "project_facts_recorded",
    "record_abandoned",
    "build_analysis_abandoned",
    "issue_tracking_abandoned",
    "build_analysis_completed",
    "issues_reconciled",
    "fix_submitted",
    "fix_submission_skipped",
    "fix_submission_abandoned",
)
OBSOLETE_EVENTS = frozenset({"promotion_failed"})
OUTCOME_REASONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "superseded": frozenset({"superseded_by_newer_head"}),
        "succeeded": frozenset({"build_succeeded"}),
        "failed": frozenset({"build_failed", "processing_failed", "build_polling_exhausted", "validation_timeout"}),
        "cancelled": frozenset({"build_cancelled"}),
    }
)
KNOWN_REASONS = frozenset(reason for reasons in OUTCOME_REASONS.values() for reason in reasons)


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Key (queue, request_id, id). Exactly one of state and event is set; metadata maps text to text.

    `timestamp_ms` is when the entry was first retained. `malformed_metadata` holds the stored JSON text where it is
    not an object of strings; metadata is then empty, and the entry can be shown but not written.
    """

    queue: str
    request_id: str
    id: str
    timestamp_ms: int
    state: str = ""
    event: str = ""
    request_version: int = 0
    outcome_reason: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    malformed_metadata: str = ""

    def __post_init__(self) -> None:
        """Take a private, read-only copy of the metadata."""
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    @property
    def is_state(self) -> bool:
        """Whether the entry records a state rather than an event."""
        return bool(self.state)

    @property
    def order(self) -> tuple[int, bytes]:
        """The position in the request's history."""
        return (self.timestamp_ms, key_bytes(self.id))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "request log entry"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        for name, value in (("request_id", self.request_id), ("id", self.id)):
            require_name(kind, name, value)
            require_text(kind, name, value, limits.TEXT_CHARACTERS)
        limits.require_positive_ms(kind, "timestamp_ms", self.timestamp_ms)
        if self.malformed_metadata:
            raise InvalidEntity(f"{kind} '{self.id}' has metadata that is not an object of strings")
        for key, value in self.metadata.items():
            require_text(kind, "metadata key", key, limits.MAX_INT32)
            require_text(kind, f"metadata '{key}'", value, limits.MAX_INT32)
        if bool(self.state) == bool(self.event):
            raise InvalidEntity(f"{kind} '{self.id}' must have exactly one of state and event")
        if self.state:
            self._validate_state(kind)
        else:
            self._validate_event(kind)

    def _validate_state(self, kind: str) -> None:
        if self.state not in REQUEST_STATES:
            raise InvalidEntity(
                f"{kind} '{self.id}' has unknown state '{self.state}'", hint=f"use one of {', '.join(REQUEST_STATES)}"
            )
        limits.require_version(f"{kind} '{self.id}' request", self.request_version)
        allowed = OUTCOME_REASONS.get(self.state, frozenset({""}))
        if self.outcome_reason not in allowed:
            raise InvalidEntity(
                f"{kind} '{self.id}' of state '{self.state}' has outcome_reason '{self.outcome_reason}'",
                hint=f"use {' or '.join(sorted(allowed)) or 'none'}" if allowed != {""} else "leave it empty",
            )

    def _validate_event(self, kind: str) -> None:
        if self.event not in EVENTS:
            raise InvalidEntity(
                f"{kind} '{self.id}' has unknown event '{self.event}'", hint=f"use one of {', '.join(EVENTS)}"
            )
        if self.request_version != 0:
            raise InvalidEntity(f"{kind} '{self.id}' is an event and has request_version {self.request_version}")
        if self.outcome_reason:
            raise InvalidEntity(f"{kind} '{self.id}' is an event and has outcome_reason '{self.outcome_reason}'")
