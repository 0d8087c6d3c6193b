"""The ordered mapping from a commit to its project facts, worst first."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import key_bytes, require_bytes, require_name

NAME_BYTES = 1020


@dataclass(frozen=True, slots=True)
class ProjectFactByDegree:
    """Key (queue, uri, degree descending, project bytewise). Create-only; keeps the original degree, no payload."""

    queue: str
    uri: str
    degree: float
    project: str

    @property
    def order(self) -> tuple[float, bytes]:
        """The position in the listing of the URI."""
        return (-self.degree, key_bytes(self.project))

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        kind = "project fact by degree"
        require_name(kind, "queue", self.queue)
        require_bytes(kind, "queue", self.queue, limits.QUEUE_BYTES)
        for field, value in (("uri", self.uri), ("project", self.project)):
            require_name(kind, field, value)
            require_bytes(kind, field, value, NAME_BYTES)
        if not 0 <= self.degree <= 1:
            raise InvalidEntity(f"{kind} of '{self.uri}' has degree {self.degree}", hint="use 0 to 1")
