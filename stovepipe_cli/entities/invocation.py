"""An attempt at one step of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from stovepipe_cli.entities import limits
from stovepipe_cli.entities.run import RUN_ID_BYTES
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

InvocationStatus = Literal["IN_FLIGHT", "SUCCEEDED", "FAILED", "CANCELLED"]

INVOCATION_STATUSES: tuple[str, ...] = get_args(InvocationStatus)
INVOCATION_ID_BYTES = 64
WORKER_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class Invocation:
    """Key (queue, run_id, invocation_id). IN_FLIGHT may be rewritten whole; every other status is locked.

    `document` holds JSON values alone: what the attempt set out to write, then what it did.
    """

    queue: str
    run_id: str
    invocation_id: str
    step_index: int
    attempt: int
    worker: str
    status: InvocationStatus
    started_at_ms: int
    finished_at_ms: int | None = None
    document: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_locked(self) -> bool:
        """Whether only an equal write may follow."""
        return self.status != "IN_FLIGHT"

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("invocation", "queue", self.queue)
        require_bytes("invocation", "queue", self.queue, limits.QUEUE_BYTES)
        for name, value, size in (
            ("run_id", self.run_id, RUN_ID_BYTES),
            ("invocation_id", self.invocation_id, INVOCATION_ID_BYTES),
        ):
            require_name("invocation", name, value)
            require_bytes("invocation", name, value, size)
        require_text("invocation", "worker", self.worker, WORKER_CHARACTERS)
        if self.status not in INVOCATION_STATUSES:
            raise InvalidEntity(
                f"invocation '{self.invocation_id}' has unknown status '{self.status}'",
                hint=f"use one of {', '.join(INVOCATION_STATUSES)}",
            )
        limits.require_count("invocation", "step_index", self.step_index)
        limits.require_count("invocation", "attempt", self.attempt)
        limits.require_positive_ms("invocation", "started_at_ms", self.started_at_ms)
