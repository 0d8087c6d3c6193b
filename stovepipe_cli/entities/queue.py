"""The coordination row of a queue: its bookmarks, its cached load and its enablement."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import require_bytes, require_name, require_text


@dataclass(frozen=True, slots=True)
class Queue:
    """Key (name). The last-green pair moves only forward; in_flight_count is a cache; 0 ms is no restriction.

    enablement_sequence counts enablement changes and is neither the row version nor a projection version;
    an empty enablement_state with sequence 0 is unknown.
    """

    name: str
    version: int
    last_green_uri: str = ""
    last_green_request_id: str = ""
    in_flight_count: int = 0
    latest_request_id: str = ""
    build_admission_not_before_ms: int = 0
    enablement_state: str = ""
    enablement_sequence: int = 0

    @property
    def queue(self) -> str:
        """The queue this row belongs to: itself."""
        return self.name

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("queue", "name", self.name)
        require_bytes("queue", "name", self.name, limits.QUEUE_BYTES)
        for field, value in (
            ("last_green_uri", self.last_green_uri),
            ("last_green_request_id", self.last_green_request_id),
            ("latest_request_id", self.latest_request_id),
        ):
            require_text("queue", field, value, limits.TEXT_CHARACTERS)
        require_text("queue", "enablement_state", self.enablement_state, limits.STATE_CHARACTERS)
        limits.require_count("queue", "in_flight_count", self.in_flight_count)
        limits.require_count(
            "queue",
            "build_admission_not_before_ms",
            self.build_admission_not_before_ms,
            highest=limits.MAX_INT64,
        )
        limits.require_count("queue", "enablement_sequence", self.enablement_sequence, highest=limits.MAX_INT64)
        limits.require_version("queue", self.version)
