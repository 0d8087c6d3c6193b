"""The immutable verdict for a commit, for the whole repository or one project."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text


@dataclass(frozen=True, slots=True)
class ValidationFact:
    """Key (queue, uri, project); an empty project is the whole repository.

    `degree` is 0 (green) to 1 (fully broken), 0 or 1 alone for the repository. No fact never means green.
    """

    queue: str
    uri: str
    project: str
    degree: float
    request_id: str
    created_at_ms: int

    @property
    def is_green(self) -> bool:
        """Whether this fact says green."""
        return self.degree == 0

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("validation fact", "queue", self.queue)
        require_bytes("validation fact", "queue", self.queue, limits.QUEUE_BYTES)
        for field, value in (("uri", self.uri), ("request_id", self.request_id)):
            require_name("validation fact", field, value)
            require_text("validation fact", field, value, limits.TEXT_CHARACTERS)
        require_text("validation fact", "project", self.project, limits.TEXT_CHARACTERS)
        if not 0 <= self.degree <= 1:
            raise InvalidEntity(f"validation fact of '{self.uri}' has degree {self.degree}", hint="use 0 to 1")
        if not self.project and self.degree not in (0, 1):
            raise InvalidEntity(
                f"repository fact of '{self.uri}' has degree {self.degree}", hint="a repository fact is 0 or 1"
            )
        limits.require_positive_ms("validation fact", "created_at", self.created_at_ms)
