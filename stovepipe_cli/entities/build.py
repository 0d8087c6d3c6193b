"""A build that a runner accepted for a request."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

BUILD_STATUSES = ("accepted", "running", "succeeded", "failed", "cancelled")
TERMINAL_BUILD_STATUSES = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Build:
    """Key (queue, id). A terminal status is write-once; keeping it so is the caller's rule."""

    queue: str
    id: str
    request_id: str
    status: str
    version: int

    @property
    def is_terminal(self) -> bool:
        """Whether the runner has ended this build."""
        return self.status in TERMINAL_BUILD_STATUSES

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("build", "queue", self.queue)
        require_bytes("build", "queue", self.queue, limits.QUEUE_BYTES)
        for field, value in (("id", self.id), ("request_id", self.request_id)):
            require_name("build", field, value)
            require_text("build", field, value, limits.TEXT_CHARACTERS)
        if self.status not in BUILD_STATUSES:
            raise InvalidEntity(
                f"build '{self.id}' has unknown status '{self.status}'", hint=f"use one of {', '.join(BUILD_STATUSES)}"
            )
        limits.require_version("build", self.version)
