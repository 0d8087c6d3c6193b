"""The ordered mapping from an acceptance time to the request accepted then."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import key_bytes, require_bytes, require_name


@dataclass(frozen=True, slots=True)
class RequestAcceptance:
    """Key (queue, accepted_at_ms, request_id as bytes). Create-only, without payload."""

    queue: str
    accepted_at_ms: int
    request_id: str

    @property
    def order(self) -> tuple[int, bytes]:
        """The position in the listing, which runs descending."""
        return (self.accepted_at_ms, key_bytes(self.request_id))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("request acceptance", "queue", self.queue)
        require_bytes("request acceptance", "queue", self.queue, limits.QUEUE_BYTES)
        require_name("request acceptance", "request_id", self.request_id)
        require_bytes("request acceptance", "request_id", self.request_id, limits.REQUEST_ID_BYTES)
        limits.require_positive_ms("request acceptance", "accepted_at_ms", self.accepted_at_ms)
