"""Units of work against one database: connections, transactions, redoing what failed, and errors of the contract."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import refusals
from stovepipe_cli.storage.contract.errors import StorageReadOnly
from stovepipe_cli.storage.contract.tables import Table
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.catalog import Catalog
from stovepipe_cli.storage.sql.connections import Connections
from stovepipe_cli.storage.sql.errors import Circumstances, DuplicateKey, translated
from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.retry import RetryPolicy, Tries
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sql.table_statements import TableStatements
from stovepipe_cli.storage.sql.traffic import Traffic

T = TypeVar("T")

# After any of these, a commit is known not to have happened.
ROLLED_BACK = frozenset(
    {Fault.DEADLOCK, Fault.LOCK_WAIT, Fault.SERVER_READ_ONLY, Fault.DUPLICATE, Fault.BUSY, Fault.DISK}
)
# After any of these, the connection is not used again, not even to roll back.
DEAD = frozenset({Fault.LOST, Fault.SERVER_READ_ONLY, Fault.OTHER})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a write. `is_uncertain`: an earlier one may have been committed without an answer."""

    session: Session
    is_uncertain: bool


class Database:
    """One database. Safe to share between threads; a unit of work holds a connection only while it runs."""

    def __init__(self, backend: Backend, policy: RetryPolicy) -> None:
        self.backend = backend
        self._policy = policy
        self._traffic = Traffic(backend.spec.place)
        self._connections = Connections(backend.connect, backend.errors, self._traffic)
        self._lock = threading.Lock()
        self._catalog: Catalog | None = None
        self._statements: dict[str, TableStatements] = {}

    @property
    def in_use(self) -> int:
        """How many connections are in use now."""
        return self._connections.in_use

    def close(self) -> None:
        """Close every connection; a later unit of work would open a new one."""
        self._connections.forget_idle()
        self._traffic.close()

    def read(self, work: Callable[[Session], T], table: str = "") -> T:
        """Run `work`, which only reads, and redo it where its failure is of a passing kind."""
        tries = Tries(self._policy)
        while True:
            try:
                with self._session() as session:
                    return work(session)
            except self.backend.errors as error:
                fault = fault_of(error)
                if not self._another(tries, fault):
                    raise translated(fault, self._circumstances(table)) from error

    def write(self, work: Callable[[Attempt], T], table: str = "") -> T:
        """Run `work` in one transaction, all or nothing, and redo the whole where its failure is of a passing kind.

        `work` must recognise its own rows where the attempt is uncertain. `DuplicateKey` where an insert met a row.
        """
        if self.backend.is_read_only:
            raise StorageReadOnly(
                f"'{self.backend.spec.place}' was opened for reading only; nothing was written",
                hint="open it for writing",
            )
        tries = Tries(self._policy)
        is_uncertain = False
        while True:
            is_committing = False
            try:
                with self._session() as session, self._rolled_back_on_failure(session):
                    session.run(self.backend.begin_write)
                    result = work(Attempt(session, is_uncertain))
                    is_committing = True
                    session.run("COMMIT")
                    return result
            except self.backend.errors as error:
                fault = fault_of(error)
                is_uncertain = is_uncertain or (is_committing and fault not in ROLLED_BACK)
                if fault is Fault.DUPLICATE:
                    raise DuplicateKey(is_uncertain=is_uncertain) from error
                if not self._another(tries, fault):
                    at = self._circumstances(table, is_write=True, is_uncertain=is_uncertain)
                    raise translated(fault, at) from error

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A session inside a read-only transaction; only its opening is redone, since what was read may be in use."""
        since = self._traffic.started()
        with self._session_in_snapshot() as session:
            try:
                yield session
            finally:
                self._end(session, "COMMIT")
                self._traffic.ended_page(session.tally, since)

    @contextmanager
    def translating(self, session: Session, table: str) -> Iterator[None]:
        """Errors of the contract for a statement inside a snapshot; the session is given up after any."""
        try:
            yield
        except self.backend.errors as error:
            session.is_broken = True
            fault = fault_of(error)
            self._forget_what_failed(fault)
            raise translated(fault, self._circumstances(table)) from error

    def statements(self, session: Session, table: Table) -> TableStatements:
        """How to speak to a table; `SchemaMismatch` where it is absent or of another design."""
        statements = self._statements.get(table.name)
        if statements is None:
            statements = self.statements_if_there(session, table)
        if statements is None:
            raise refusals.table_absent(table.name)
        return statements

    def statements_if_there(self, session: Session, table: Table) -> TableStatements | None:
        """The same, and None where a read proved the table absent: the catalog hides what an account may not see."""
        shape = self.catalog(session).shape(table)
        if shape is None:
            if not self._answers(session, table):
                return None
            self.forget_catalog()
            shape = self.catalog(session).shape(table)
            if shape is None:
                return None
        statements = self._statements.get(table.name)
        if statements is None:
            statements = self._statements[table.name] = TableStatements(shape, self.backend)
        return statements

    def catalog(self, session: Session) -> Catalog:
        """What the database has, asked once; `SchemaMismatch` where it is none of ours."""
        with self._lock:
            catalog = self._catalog
        if catalog is None:
            catalog = self.backend.read_catalog(session)
            catalog.require_storage_database()
            with self._lock:
                self._catalog = catalog
        return catalog

    def forget_catalog(self) -> None:
        """Ask again at the next use."""
        with self._lock:
            self._catalog = None
            self._statements = {}

    def _answers(self, session: Session, table: Table) -> bool:
        name = self.backend.dialect.identifier_preparer.quote_identifier(table.name)
        try:
            session.fetch(f"SELECT 1 FROM {name} LIMIT 0")  # noqa: S608  # a constant's name, quoted
        except self.backend.errors as error:
            if fault_of(error) is Fault.TABLE_ABSENT:
                return False
            raise
        return True

    def _another(self, tries: Tries, fault: Fault) -> bool:
        self._forget_what_failed(fault)
        # A mistyped address should be said at once, also where something listens there that never says a word; only a
        # server that was there before is waited for.
        is_new = fault in {Fault.UNREACHABLE, Fault.LOST} and not self._connections.has_connected
        is_repeated = not is_new and tries.another(fault)
        self._traffic.failed(fault.name.lower(), tries.met[fault] or 1, is_repeated=is_repeated)
        return is_repeated

    def _forget_what_failed(self, fault: Fault) -> None:
        if fault in {Fault.LOST, Fault.SERVER_READ_ONLY}:
            self._connections.forget_idle()
        if fault in {Fault.COLUMN_ABSENT, Fault.TABLE_ABSENT}:
            self.forget_catalog()

    def _circumstances(self, table: str, *, is_write: bool = False, is_uncertain: bool = False) -> Circumstances:
        spec = self.backend.spec
        return Circumstances(spec.place, spec.user or "", table, is_write, is_uncertain)

    @contextmanager
    def _session(self) -> Iterator[Session]:
        session = self._connections.check_out()
        try:
            yield session
        except StovepipeError:
            raise
        except self.backend.errors as error:
            self._give_up_if_dead(session, error)
            raise
        except BaseException:
            # An interrupt can come between a request and its answer, which the next caller would then read as its own.
            session.is_broken = True
            raise
        finally:
            self._connections.check_in(session)

    @contextmanager
    def _session_in_snapshot(self) -> Iterator[Session]:
        tries = Tries(self._policy)
        while True:
            session = None
            try:
                session = self._connections.check_out()
                self.backend.begin_snapshot(session)
                break
            except self.backend.errors as error:
                if session is not None:
                    session.is_broken = True
                    self._connections.check_in(session)
                fault = fault_of(error)
                if not self._another(tries, fault):
                    raise translated(fault, self._circumstances("")) from error
        try:
            yield session
        except StovepipeError:
            raise
        except BaseException:
            session.is_broken = True
            raise
        finally:
            self._connections.check_in(session)

    @contextmanager
    def _rolled_back_on_failure(self, session: Session) -> Iterator[None]:
        failures: tuple[type[Exception], ...] = (StovepipeError, *self.backend.errors)
        try:
            yield
        except failures as error:
            self._give_up_if_dead(session, error)
            self._end(session, "ROLLBACK")
            raise

    def _give_up_if_dead(self, session: Session, error: Exception) -> None:
        if not isinstance(error, StovepipeError) and fault_of(error) in DEAD:
            session.is_broken = True

    def _end(self, session: Session, statement: str) -> None:
        if session.is_broken:
            return
        try:
            session.run(statement)
        except self.backend.errors:
            session.is_broken = True
