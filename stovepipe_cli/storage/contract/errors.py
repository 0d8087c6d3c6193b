"""What a store may raise. No driver's class or text ever leaves the storage library."""

from stovepipe_cli.errors import (
    IdentifierTooLong,
    InvalidCursor,
    InvalidEntity,
    StovepipeError,
)

__all__ = [
    "AlreadyExists",
    "CollationConflict",
    "ForeignQueue",
    "IdentifierTooLong",
    "InvalidCursor",
    "InvalidEntity",
    "NotFound",
    "SchemaMismatch",
    "StatementTimeout",
    "StorageError",
    "StorageReadOnly",
    "StorageUnavailable",
    "UnreadableRow",
    "VersionMismatch",
]


class StorageError(StovepipeError):
    """Any failure of the storage library."""


class NotFound(StorageError):
    """No row has this key, compared as bytes. An answer: never a reason to retry."""

    code = "not-found"
    exit_code = 5


class AlreadyExists(StorageError):
    """A row with this key, compared as bytes, exists and was left as it is."""

    code = "already-exists"
    exit_code = 8


class VersionMismatch(StorageError):
    """No row has this key and the expected version; nothing was written. Reload and decide again."""

    code = "version-mismatch"
    exit_code = 8
    retryable = True


class ForeignQueue(StorageError):
    """The entity belongs to another queue than the storage is bound to; no query was sent."""

    code = "foreign-queue"
    exit_code = 7


class StorageUnavailable(StorageError):
    """The database cannot be reached, or stayed overloaded through all retries."""

    code = "storage-unavailable"
    exit_code = 6
    retryable = True


class StatementTimeout(StorageUnavailable):
    """A statement ran beyond the statement time limit and was ended."""

    code = "statement-timeout"


class StorageReadOnly(StorageError):
    """The server, the transaction or the account does not allow this write."""

    code = "storage-read-only"
    exit_code = 6


class SchemaMismatch(StorageError):
    """A table or column that the operation needs is absent or of another design."""

    code = "schema-mismatch"
    exit_code = 2


class UnreadableRow(SchemaMismatch):
    """A stored value is not of its column's type, which only a database without strict types lets happen."""

    code = "unreadable-row"


class CollationConflict(SchemaMismatch):
    """The table's collation takes this key for one that differs in bytes, so it cannot hold both."""

    code = "collation-conflict"
