"""Units of work on a ledger, each behind a look at the ledger's version."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from stovepipe_cli.storage.contract.errors import SchemaMismatch, StorageError
from stovepipe_cli.storage.ledger.sql.creation import MetaTable, absent_tables, create_ledger, upgrade_ledger
from stovepipe_cli.storage.ledger.sql.ddl import SERVER
from stovepipe_cli.storage.ledger.sql.private_file import create_file, is_empty, refuse_network_file_system
from stovepipe_cli.storage.ledger.sql.versions import Meta, Versions
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.database import Attempt, Database
from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.retry import RetryPolicy
from stovepipe_cli.storage.sql.session import Session

T = TypeVar("T")

# What the layer below names, and what does the same for a ledger.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "'stovepipe db ping'": "'stovepipe ledger check'",
        "'stovepipe db check'": "'stovepipe ledger check'",
        "'stovepipe db init'": "'stovepipe ledger init'",
        "'stovepipe db grants --role audit'": "'stovepipe db grants --role ledger'",
        "'stovepipe db grants --role repair'": "'stovepipe db grants --role ledger'",
    }
)
HINT = "'stovepipe ledger check' shows what is there, 'stovepipe ledger init' creates what is absent"


class LedgerDatabase:
    """One ledger. A private file is made, and brought to this version, when it is first written to."""

    def __init__(self, backend: Backend, policy: RetryPolicy, versions: Versions) -> None:
        self.backend = backend
        self.versions = versions
        self.database = Database(backend, policy)
        self._meta_table = MetaTable(backend)
        self._lock = threading.Lock()
        self._is_readable = False
        self._is_prepared = False
        self._is_placed = False

    @property
    def place(self) -> str:
        """Where it is, as messages name it."""
        return self.backend.spec.place

    @property
    def is_private(self) -> bool:
        """Whether it is a file of this host."""
        return self.backend.dialect.name != SERVER

    @property
    def path(self) -> Path:
        """The private file."""
        return Path(self.backend.spec.path or "")

    def read(self, work: Callable[[Session], T], *, absent: T) -> T:
        """Run `work`, which only reads; `absent` where no private file was made yet."""
        if not self._is_readable:
            meta = self.meta()
            if meta is None:
                if self.is_private:
                    return absent
                raise self.no_ledger()
            self.versions.require_readable(meta, self.place)
            self._is_readable = True
        with self._told_of_ledgers():
            return self.database.read(work)

    def write(self, work: Callable[[Attempt], T]) -> T:
        """Run `work` in one transaction, all or nothing, unless the ledger's version forbids it."""
        if not self.backend.is_read_only and self.is_private:
            self._prepare()

        def guarded(attempt: Attempt) -> T:
            # Asked in every transaction: a newer tool may have upgraded the ledger under a process that runs for days.
            meta = self._meta_table.read(attempt.session, is_locked=True)
            if meta is None:
                raise self.no_ledger()
            self.versions.require_writable(meta, self.place)
            return work(attempt)

        with self._told_of_ledgers():
            return self.database.write(guarded)

    def meta(self) -> Meta | None:
        """What the ledger says of itself; None where there is none. The database must be there, unless it is a file."""
        if self.is_private:
            self.require_place()
            if is_empty(self.path):
                return None

        def work(session: Session) -> Meta | None:
            try:
                return self._meta_table.read(session)
            except self.backend.errors as error:
                if fault_of(error) is Fault.TABLE_ABSENT:
                    return None
                raise

        with self._told_of_ledgers():
            return self.database.read(work)

    def require_place(self) -> None:
        """`Refused` where a private file is on a file system that other hosts share; looked at once."""
        if not self._is_placed:
            refuse_network_file_system(self.path)
            self._is_placed = True

    def no_ledger(self) -> SchemaMismatch:
        """The database has no ledger."""
        return SchemaMismatch(f"there is no ledger at '{self.place}'", hint="'stovepipe ledger init' creates it")

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def _prepare(self) -> None:
        with self._lock:
            if self._is_prepared:
                return
            meta = self.meta()
            if meta is None:
                create_file(self.path)
                create_ledger(self.database, self.versions)
            elif meta.schema_version < self.versions.own:
                upgrade_ledger(self.database, self.versions, meta, copy_of=self.path)
            self._is_prepared = True

    @contextmanager
    def _told_of_ledgers(self) -> Iterator[None]:
        """Errors in the ledger's words: the layer below speaks of a Stovepipe database and the commands for it."""
        try:
            yield
        except StorageError as error:
            told = self._told(error)
            if told is error:
                raise
            raise told from error

    def _told(self, error: StorageError) -> StorageError:
        if type(error) is SchemaMismatch and "ledger" not in (error.hint or ""):
            self._is_readable = False
            absent = self.database.read(lambda session: absent_tables(session, self.backend))
            if absent:
                return SchemaMismatch(f"the ledger at '{self.place}' lacks {_listed(absent)}", hint=HINT)
            return SchemaMismatch(f"{error.message}, in the ledger at '{self.place}'", hint=HINT)
        hint = error.hint
        for theirs, ours in COMMANDS.items():
            hint = None if hint is None else hint.replace(theirs, ours)
        return error if hint == error.hint else type(error)(error.message, hint=hint)


def _listed(names: tuple[str, ...]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"table {quoted}" if len(names) == 1 else f"tables {quoted}"
