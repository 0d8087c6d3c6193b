"""What the error boundary has to know of one run of the program."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stovepipe_cli.commands.surroundings import Surroundings

if TYPE_CHECKING:
    from stovepipe_cli.commands.logs import JSONLog
    from stovepipe_cli.commands.session import Session


@dataclass(slots=True)
class Invocation:
    """The words typed, the shared flags, and the session once it exists; `log` where stderr takes JSON lines."""

    surroundings: Surroundings
    words: str
    flags: dict[str, object] = field(default_factory=dict)
    session: "Session | None" = None
    log: "JSONLog | None" = None

    @property
    def has_answered(self) -> bool:
        """Whether a part of the answer left already."""
        return self.session is not None and self.session.has_answered

    @property
    def run_id(self) -> str | None:
        """The run that the command is, once there is one."""
        return None if self.session is None else self.session.run_id
