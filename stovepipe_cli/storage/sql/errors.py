"""The one place where a failure of a driver becomes an error of the storage contract."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import refusals
from stovepipe_cli.storage.contract.errors import (
    InvalidEntity,
    SchemaMismatch,
    StatementTimeout,
    StorageReadOnly,
    StorageUnavailable,
)
from stovepipe_cli.storage.sql.faults import Fault


class DuplicateKey(Exception):
    """An insert met a row with its key. `is_uncertain`: an earlier try of the same insert may have put it there."""

    def __init__(self, *, is_uncertain: bool) -> None:
        super().__init__()
        self.is_uncertain = is_uncertain


class AccessRefused(StorageUnavailable):
    """The database is there and refuses this account; trying again changes nothing."""

    retryable: ClassVar[bool] = False


class NotADatabase(StorageUnavailable):
    """There is no usable database at this place; trying again changes nothing."""

    retryable: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where a failure happened, and whether an earlier try of the same write may have gone through unanswered."""

    place: str
    user: str
    table: str
    is_write: bool = False
    is_uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """An error of one class: what happened to what, and what to do next."""

    kind: type[StovepipeError]
    message: str
    hint: str

    def about(self, at: Circumstances) -> StovepipeError:
        """The error, told of one place."""
        subject = f"table '{at.table}'" if at.table else "the database"
        return self.kind(self.message.format(subject=subject, place=at.place, user=at.user), hint=self.hint)


_LOCKED = Sentence(
    StorageUnavailable,
    "rows of {subject} at '{place}' stayed locked by other sessions; nothing was written",
    "try again when the other sessions have finished",
)
_READ_ONLY = Sentence(
    StorageReadOnly,
    "the database at '{place}' is read-only; nothing was written",
    "connect to the primary, or wait until the failover is over",
)
_NO_WRITING = Sentence(
    StorageReadOnly,
    "user '{user}' may not write {subject} at '{place}'; nothing was written",
    "'stovepipe db grants --role repair' prints the rights that writing needs",
)
_UNCERTAIN = Sentence(
    StorageUnavailable,
    "the connection to '{place}' was lost during a commit, and whether {subject} was written is not known",
    "check the server, then run the same command again: it looks at what is there first",
)
_OTHER = Sentence(
    StorageUnavailable,
    "the database at '{place}' failed at a statement on {subject}",
    "look into the server's error log",
)
SENTENCES: Mapping[Fault, Sentence] = MappingProxyType(
    {
        Fault.COLUMN_ABSENT: Sentence(
            SchemaMismatch,
            "{subject} has lost a column while it was in use",
            "see what differs with 'stovepipe db check'",
        ),
        Fault.DATABASE_ABSENT: Sentence(
            SchemaMismatch,
            "the server has no database for '{place}'",
            "check the database name, or create the database",
        ),
        Fault.VALUE_REFUSED: Sentence(
            InvalidEntity,
            "{subject} refuses a row; nothing was written",
            "check lengths, ranges and metadata of the rows to be written, and constraints and triggers of the table",
        ),
        Fault.TIMEOUT: Sentence(
            StatementTimeout,
            "a statement on {subject} at '{place}' ran into its time limit",
            "try again when the server is less busy, with smaller pages, or with a longer --statement-timeout",
        ),
        Fault.SERVER_READ_ONLY: _READ_ONLY,
        Fault.SESSION_READ_ONLY: _READ_ONLY,
        Fault.LOGIN_REFUSED: Sentence(
            AccessRefused,
            "the server refuses to log in user '{user}' at '{place}'",
            "check the user name, the password and the hosts from which the account may log in; "
            "'stovepipe config show' tells where the password comes from",
        ),
        Fault.RIGHT_MISSING: Sentence(
            AccessRefused,
            "user '{user}' may not read {subject} at '{place}'",
            "'stovepipe db grants --role audit' prints the rights that reading needs",
        ),
        Fault.FILE_ABSENT: Sentence(
            NotADatabase,
            "no database file can be opened at '{place}'",
            "check the path, its directory and its permissions; 'stovepipe db init' creates a database",
        ),
        Fault.FILE_FOREIGN: Sentence(
            NotADatabase,
            "the file '{place}' is not an SQLite database, or is damaged",
            "check the path of the database",
        ),
        Fault.DISK: Sentence(
            StorageUnavailable,
            "the disk of the database at '{place}' is full or failing",
            "free some space, then try again",
        ),
        Fault.UNREACHABLE: Sentence(
            StorageUnavailable,
            "no database answers at '{place}'",
            "check host, port and network, and that the server runs; 'stovepipe db ping' asks again",
        ),
        Fault.TLS: Sentence(
            AccessRefused,
            "no encrypted connection to '{place}' could be agreed on",
            "check the TLS mode, the certificate files and the host name in the server's certificate",
        ),
        Fault.LOST: Sentence(
            StorageUnavailable,
            "the connection to '{place}' was lost",
            "check host, port, server and network, then try again",
        ),
        Fault.OVERLOADED: Sentence(
            StorageUnavailable,
            "the server of '{place}' takes no more work",
            "it has too many connections, or no quorum; try again later",
        ),
        Fault.BUSY: Sentence(
            StorageUnavailable,
            "another process holds the database '{place}'",
            "wait until it has finished, then try again",
        ),
        Fault.LOCK_WAIT: _LOCKED,
        Fault.DEADLOCK: _LOCKED,
    }
)


def translated(fault: Fault, at: Circumstances) -> StovepipeError:
    """The contract's error for a failure that is not to be redone. The caller raises it from the driver's error."""
    if at.is_uncertain:
        return _UNCERTAIN.about(at)
    if fault is Fault.TABLE_ABSENT:
        return refusals.table_absent(at.table)
    if fault is Fault.RIGHT_MISSING and at.is_write:
        return _NO_WRITING.about(at)
    return SENTENCES.get(fault, _OTHER).about(at)
