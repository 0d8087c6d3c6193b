"""One retained change of a queue's enablement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

_PREFIX = "enablement/"


def queue_log_id(sequence: int) -> str:
    """The identity of the occurrence with this sequence."""
    return f"{_PREFIX}{sequence}"


@dataclass(frozen=True, slots=True)
class QueueLog:
    """Key (queue, id), where the id carries the sequence. Immutable; metadata maps text to text.

    `malformed_metadata` holds the stored JSON text where it is not an object of strings, as in a request's log.
    """

    queue: str
    id: str
    sequence: int
    state: str
    timestamp_ms: int
    metadata: Mapping[str, str] = field(default_factory=dict)
    malformed_metadata: str = ""

    def __post_init__(self) -> None:
        """Take a private, read-only copy of the metadata."""
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "queue log entry"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        if not 1 <= self.sequence <= limits.MAX_INT64:
            raise InvalidEntity(f"{kind} has sequence {self.sequence}", hint="sequences run from 1")
        if self.id != queue_log_id(self.sequence):
            raise InvalidEntity(
                f"{kind} of sequence {self.sequence} has id '{self.id}'", hint="it carries the sequence"
            )
        require_name(kind, "state", self.state)
        require_text(kind, "state", self.state, limits.STATE_CHARACTERS)
        limits.require_positive_ms(kind, "timestamp_ms", self.timestamp_ms)
        if self.malformed_metadata:
            raise InvalidEntity(f"{kind} '{self.id}' has metadata that is not an object of strings")
        for key, value in self.metadata.items():
            require_text(kind, "metadata key", key, limits.MAX_INT32)
            require_text(kind, f"metadata '{key}'", value, limits.MAX_INT32)
