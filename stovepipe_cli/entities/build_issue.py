"""One observation: a build in which a task, or one unit of it, was seen broken."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import key_bytes, require_bytes, require_name


@dataclass(frozen=True, slots=True)
class BuildIssue:
    """Key (queue, build_id, task_id, unit_id) as bytes; an empty unit is the whole task. Immutable."""

    queue: str
    build_id: str
    task_id: str
    unit_id: str

    @property
    def order(self) -> tuple[bytes, bytes]:
        """The position among the build's observations, which run ascending."""
        return (key_bytes(self.task_id), key_bytes(self.unit_id))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "build issue"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        require_name(kind, "build_id", self.build_id)
        require_bytes(kind, "build_id", self.build_id, limits.BUILD_ID_BYTES)
        require_name(kind, "task_id", self.task_id)
        require_bytes(kind, "task_id", self.task_id, limits.TASK_ID_BYTES)
        require_bytes(kind, "unit_id", self.unit_id, limits.UNIT_ID_BYTES)
