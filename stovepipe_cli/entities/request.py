"""A validation request: one commit of a queue and the state it has reached."""

from dataclasses import dataclass

from stovepipe_cli.entities import limits
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import require_bytes, require_name, require_text

REQUEST_STATES = ("accepted", "processing", "superseded", "succeeded", "failed", "cancelled")
TERMINAL_STATES = frozenset({"superseded", "succeeded", "failed", "cancelled"})
BUILD_OUTCOME_STATES = frozenset({"succeeded", "failed", "cancelled"})
OBSOLETE_STATES = frozenset({"recorded_green", "recorded_not_green"})
BUILD_STRATEGIES = ("", "full", "incremental_since_green")
LEGAL_EDGES = frozenset(
    {
        ("accepted", "processing"),
        ("accepted", "superseded"),
        ("accepted", "failed"),
        ("processing", "succeeded"),
        ("processing", "failed"),
        ("processing", "cancelled"),
    }
)


@dataclass(frozen=True, slots=True)
class Request:
    """Key (queue, id). An empty build_strategy, base_uri or terminal_build_id is unknown or not yet chosen."""

    queue: str
    id: str
    uri: str
    state: str
    version: int
    build_strategy: str = ""
    base_uri: str = ""
    terminal_build_id: str = ""

    @property
    def is_terminal(self) -> bool:
        """Whether no further state can follow."""
        return self.state in TERMINAL_STATES

    def validate(self) -> None:
        """Raise `InvalidEntity` or `IdentifierTooLong` where a field breaks the entity's invariants."""
        require_name("request", "queue", self.queue)
        require_bytes("request", "queue", self.queue, limits.QUEUE_BYTES)
        require_name("request", "id", self.id)
        require_text("request", "id", self.id, limits.TEXT_CHARACTERS)
        for field, value in (
            ("uri", self.uri),
            ("base_uri", self.base_uri),
            ("terminal_build_id", self.terminal_build_id),
        ):
            require_text("request", field, value, limits.TEXT_CHARACTERS)
        if self.state not in REQUEST_STATES:
            raise InvalidEntity(
                f"request '{self.id}' has unknown state '{self.state}'",
                hint=f"use one of {', '.join(REQUEST_STATES)}",
            )
        if self.build_strategy not in BUILD_STRATEGIES:
            raise InvalidEntity(
                f"request '{self.id}' has unknown build_strategy '{self.build_strategy}'",
                hint="use full, incremental_since_green, or leave it empty",
            )
        limits.require_version("request", self.version)
