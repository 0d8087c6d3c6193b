"""One retained transition of an issue: opened or resolved, as seen in a build."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name

ISSUE_EVENTS = ("opened", "resolved")


@dataclass(frozen=True, slots=True)
class IssueLog:
    """Key (queue, task_id, unit_id, build_id, event) as bytes; timestamp_ms is when it was first recorded."""

    queue: str
    task_id: str
    unit_id: str
    build_id: str
    event: str
    timestamp_ms: int

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "issue log entry"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        require_name(kind, "task_id", self.task_id)
        require_bytes(kind, "task_id", self.task_id, limits.TASK_ID_BYTES)
        require_bytes(kind, "unit_id", self.unit_id, limits.UNIT_ID_BYTES)
        require_name(kind, "build_id", self.build_id)
        require_bytes(kind, "build_id", self.build_id, limits.BUILD_ID_BYTES)
        require_bytes(kind, "event", self.event, limits.ISSUE_EVENT_BYTES)
        if self.event not in ISSUE_EVENTS:
            raise InvalidEntity(f"{kind} has unknown event '{self.event}'", hint=f"use {' or '.join(ISSUE_EVENTS)}")
        limits.require_positive_ms(kind, "timestamp_ms", self.timestamp_ms)
