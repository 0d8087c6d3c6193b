"""The current read model of a queue's enablement, projected from its log."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Key (queue). Three numbers that are never one another.

    `enablement_sequence` is that of the occurrence it shows, `projection_version` counts projections, and `version` is
    the row's own, for compare-and-set.
    """

    queue: str
    state: str
    enablement_sequence: int
    state_timestamp_ms: int
    projection_version: int
    version: int

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "queue summary"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        require_name(kind, "state", self.state)
        require_text(kind, "state", self.state, limits.STATE_CHARACTERS)
        if not 1 <= self.enablement_sequence <= limits.MAX_INT64:
            raise InvalidEntity(
                f"{kind} has enablement_sequence {self.enablement_sequence}",
                hint="it shows an occurrence, whose sequence is at least 1",
            )
        limits.require_positive_ms(kind, "state_timestamp_ms", self.state_timestamp_ms)
        limits.require_version(f"{kind} projection", self.projection_version)
        limits.require_version(kind, self.version)
