"""The base error and its general children; each carries a stable code, its exit code and what to do next.

Storage errors live with the storage contract. Nothing is imported here, so every layer may raise these.
"""

from typing import ClassVar


class StovepipeError(Exception):
    """A failure the tool expects: what happened, to what, and in `hint` what to do next.

    `code` is a stable kebab-case name for scripts, `exit_code` one of the documented exit codes,
    `retryable` tells whether the same call may succeed later without a change.
    """

    code: ClassVar[str] = "unexpected"
    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(StovepipeError):
    """Options or arguments that do not fit together."""

    code = "usage"
    exit_code = 2


class ConfigError(StovepipeError):
    """Configuration that is missing, unreadable or contradictory."""

    code = "configuration"
    exit_code = 2


class InvalidInput(StovepipeError):
    """A file or value from the user that cannot be read as what it should be."""

    code = "invalid-input"
    exit_code = 2


class InvalidEntity(StovepipeError):
    """An entity whose fields break its own invariants; nothing was written."""

    code = "invalid-entity"
    exit_code = 2


class IdentifierTooLong(InvalidEntity):
    """An identifier over its limit; nothing was truncated and no query was sent."""

    code = "identifier-too-long"


class NothingFound(StovepipeError):
    """The queue or the thing named by the user does not exist."""

    code = "not-found"
    exit_code = 5


class Refused(StovepipeError):
    """A safety rule stopped the command before anything was written."""

    code = "refused"
    exit_code = 7


class InvalidCursor(Refused):
    """A page cursor that is foreign, broken, tampered with or from another version."""

    code = "invalid-cursor"


class Busy(StovepipeError):
    """Somebody else holds what the command needs, or won the race for it."""

    code = "busy"
    exit_code = 8
    retryable = True
