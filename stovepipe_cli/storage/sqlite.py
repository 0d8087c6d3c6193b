"""SQLite: how a file is opened, what it holds, and how its tables are created."""

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.dialects import sqlite as dialects

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.connection import ConnectionSpec, Limits
from stovepipe_cli.storage.contract.database_admin import ServerState
from stovepipe_cli.storage.contract.tables import Column, Table
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.catalog import Catalog, FoundColumn, FoundTable, known_table_names
from stovepipe_cli.storage.sql.ddl import create_table
from stovepipe_cli.storage.sql.errors import Circumstances, NotADatabase, translated
from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.session import Session

TYPES = {"text": "varchar({size})", "binary": "blob", "json": "text"}
# One look at the clock in so many of SQLite's own steps costs nothing that can be measured.
STEPS_A_LOOK = 10_000
CLOCK = "CAST(strftime('%s', 'now') AS INTEGER) * 1000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER)"


class TimedConnection(sqlite3.Connection):
    """A connection that interrupts a statement which has run for too long; a cursor is used for one statement."""

    statement_seconds = 0.0
    deadline = 0.0

    def cursor(self, *arguments: object, **options: object) -> sqlite3.Cursor:  # type: ignore[override]  # passed on
        """A cursor whose statement's time starts now."""
        self.deadline = time.monotonic() + self.statement_seconds
        return super().cursor(*arguments, **options)  # type: ignore[call-overload,no-any-return]  # passed on

    def limit_statements(self, seconds: float) -> None:
        """Interrupt what runs longer; 0 lifts the limit."""
        self.statement_seconds = seconds
        self.set_progress_handler((lambda: time.monotonic() > self.deadline) if seconds else None, STEPS_A_LOOK)


class SQLiteBackend(Backend):
    """One file. It is created by `prepare_creation` alone, so that a mistyped path is an error."""

    errors = (sqlite3.Error,)
    begin_write = "BEGIN IMMEDIATE"
    clock = CLOCK
    compares_rows = True
    keeps_types = False
    folds_by_column = True

    def __init__(self, spec: ConnectionSpec, limits: Limits, *, is_read_only: bool) -> None:
        self.spec = spec
        self.is_read_only = is_read_only
        self.dialect = dialects.dialect()
        self._limits = limits
        self._path = Path(spec.path or "")

    def connect(self) -> TimedConnection:
        if not self.is_read_only:
            connection = self._open("rw")
            self._use_wal(connection)
            return connection
        try:
            return self._open_for_reading("ro")
        except sqlite3.OperationalError as error:
            if fault_of(error) is not Fault.FILE_ABSENT or not self._is_at_rest():
                raise
            # On a read-only file system SQLite cannot lay its shared memory beside the file, and needs none.
            return self._open_for_reading("ro&immutable=1")

    def begin_snapshot(self, session: Session) -> None:
        session.run("BEGIN")
        # The view is that of the first read, not of BEGIN.
        session.fetch("SELECT 1 FROM sqlite_schema LIMIT 1")

    def read_catalog(self, session: Session) -> Catalog:
        names = {row[0] for row in session.fetch("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        return Catalog({name: _found(session, name) for name in known_table_names() if name in names})

    def server_state(self, session: Session) -> ServerState:
        (now,) = session.fetch(f"SELECT {CLOCK}")[0]
        version, number = session.fetch("SELECT sqlite_version(), application_id FROM pragma_application_id")[0]
        identity = (
            f"{number & 0xFFFFFFFF:08x}" if number else hashlib.sha256(os.fsencode(self._whole())).hexdigest()[:16]
        )
        return ServerState(
            backend="sqlite",
            host="",
            database=str(self._path),
            server_version=version,
            identity=f"sqlite:{identity}",
            read_only=not os.access(self._path, os.W_OK),
            driver="sqlite3",
            now_ms=int(now),
        )

    def status_values(self, session: Session, names: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002  # has none
        return {}

    def replica_lag_ms(self, session: Session) -> int | None:  # noqa: ARG002  # a file is no replica
        return None

    def prepare_creation(self) -> None:
        if self._path.exists():
            return
        if not self._path.absolute().parent.is_dir():
            raise NotADatabase(
                f"the directory of '{self._path}' does not exist", hint="create the directory, or correct the path"
            )
        try:
            with closing(self._open("rwc")) as connection:
                # Names the database for as long as the file lives, wherever it is moved to.
                connection.execute(f"PRAGMA application_id = {secrets.randbelow(2**31 - 1) + 1}")
                self._use_wal(connection)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def create_statements(self, table: Table, session: Session) -> tuple[str, ...]:  # noqa: ARG002  # asked of none
        # The key alone keeps the rows of a request together; the service's second index would double the writes.
        return (
            create_table(table, self.dialect, lambda column: self.expected_types(column)[0].upper(), "WITHOUT ROWID"),
        )

    def expected_types(self, column: Column) -> tuple[str, ...]:
        return (TYPES.get(column.kind, column.kind).format(size=column.size),)

    def _open(self, mode: str) -> TimedConnection:
        connection = sqlite3.connect(
            f"file:{quote(self._whole())}?mode={mode}",
            uri=True,
            timeout=self._limits.busy_ms / 1000,
            isolation_level=None,
            check_same_thread=False,
            factory=TimedConnection,
        )
        connection.limit_statements(self._limits.statement_ms / 1000)
        return connection

    def _open_for_reading(self, mode: str) -> TimedConnection:
        connection = self._open(mode)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except BaseException:
            connection.close()
            raise

    def _is_at_rest(self) -> bool:
        """Whether the file alone is the whole database: it is there, and no log of unmerged changes lies beside it."""
        log = Path(f"{self._path}-wal")
        return self._path.is_file() and not (log.exists() and log.stat().st_size)

    def _whole(self) -> str:
        return str(self._path.absolute())

    def _failure(self, error: sqlite3.Error) -> StovepipeError:
        return translated(fault_of(error), Circumstances(self.spec.place, "", "", is_write=True))


def _found(session: Session, name: str) -> FoundTable:
    columns = session.fetch('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', (name,))
    collations = dict(
        session.fetch(
            "SELECT x.name, x.coll FROM pragma_index_list(?) AS l, pragma_index_xinfo(l.name) AS x "
            "WHERE l.origin = 'pk' AND x.key",
            (name,),
        )
    )
    return FoundTable(
        name,
        {
            column: FoundColumn(
                name=column,
                type=kind.lower(),
                is_nullable=not required and not place,
                has_default=default is not None,
                collation=collations.get(column, "BINARY") if _holds_text(kind) else "",
            )
            for column, kind, required, default, place in columns
        },
        tuple(column for column, *_, place in sorted(columns, key=lambda found: found[-1]) if place),
    )


def _holds_text(kind: str) -> bool:
    return any(word in kind.upper() for word in ("CHAR", "TEXT", "CLOB", "JSON"))
