"""The reverse look-up from a commit URI to the request that owns it."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import require_bytes, require_name, require_text


@dataclass(frozen=True, slots=True)
class RequestURI:
    """Key (queue, uri). Create-only; the service writes version 1 always."""

    queue: str
    uri: str
    request_id: str
    version: int = 1

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("request uri", "queue", self.queue)
        require_bytes("request uri", "queue", self.queue, limits.QUEUE_BYTES)
        for field, value in (("uri", self.uri), ("request_id", self.request_id)):
            require_name("request uri", field, value)
            require_text("request uri", field, value, limits.TEXT_CHARACTERS)
        limits.require_version("request uri", self.version)
