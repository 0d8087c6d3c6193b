"""An issue that is open now: a task, or one unit of it, seen broken first in a given build."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import key_bytes, require_bytes, require_name


@dataclass(frozen=True, slots=True)
class OpenIssue:
    """Key (queue, task_id, unit_id) as bytes; an empty unit is the whole task. The row exists only while open."""

    queue: str
    task_id: str
    unit_id: str
    first_seen_build_id: str

    @property
    def order(self) -> tuple[bytes, bytes]:
        """The position in the listing, which runs ascending."""
        return (key_bytes(self.task_id), key_bytes(self.unit_id))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("open issue", "queue", self.queue)
        require_bytes("open issue", "queue", self.queue, limits.QUEUE_BYTES)
        require_name("open issue", "task_id", self.task_id)
        require_bytes("open issue", "task_id", self.task_id, limits.TASK_ID_BYTES)
        require_bytes("open issue", "unit_id", self.unit_id, limits.UNIT_ID_BYTES)
        require_name("open issue", "first_seen_build_id", self.first_seen_build_id)
        require_bytes("open issue", "first_seen_build_id", self.first_seen_build_id, limits.BUILD_ID_BYTES)
