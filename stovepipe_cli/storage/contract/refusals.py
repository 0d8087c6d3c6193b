"""The sentences of storage errors, so that every backend says the same of the same cause."""

from stovepipe_cli.storage.contract.errors import (
    AlreadyExists,
    CollationConflict,
    NotFound,
    SchemaMismatch,
    VersionMismatch,
)
from stovepipe_cli.storage.contract.rows import Key
from stovepipe_cli.storage.contract.tables import Table


def not_found(table: Table, queue: str, key: Key) -> NotFound:
    """No row has this key."""
    return NotFound(f"{_row(table, queue, key)} does not exist", hint="check the queue and the spelling, byte for byte")


def already_exists(table: Table, queue: str, key: Key) -> AlreadyExists:
    """The key is taken."""
    return AlreadyExists(f"{_row(table, queue, key)} already exists", hint="read the row that is there")


def collation_conflict(table: Table, queue: str, key: Key) -> CollationConflict:
    """The key is taken by one that is equal by collation only."""
    return CollationConflict(
        f"{_row(table, queue, key)} collides with a row whose key differs only in case, accents or trailing spaces",
        hint=f"give table '{table.name}' a byte-exact collation",
    )


def version_mismatch(table: Table, queue: str, key: Key, old_version: int) -> VersionMismatch:
    """No row has this key and the expected version."""
    return VersionMismatch(
        f"{_row(table, queue, key)} is not there at version {old_version}", hint="read it again and decide again"
    )


def table_absent(table: str) -> SchemaMismatch:
    """The database lacks the table."""
    return SchemaMismatch(
        f"table '{table}' does not exist", hint="create the tables that are absent with 'stovepipe db init'"
    )


def column_absent(table: str, column: str) -> SchemaMismatch:
    """The table lacks a column that it always had, so it is of another design."""
    return SchemaMismatch(
        f"table '{table}' has no column '{column}'", hint="see every difference with 'stovepipe db check'"
    )


def _row(table: Table, queue: str, key: Key) -> str:
    parts = ", ".join(f"'{part}'" for part in key)
    subject = table.name.replace("_", " ")
    return f"{subject} ({parts}) of queue '{queue}'" if parts else f"{subject} '{queue}'"
