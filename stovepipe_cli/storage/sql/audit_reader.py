"""Audit reads: pages and multi-gets in plain tuples, inside short read-only snapshots."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

from stovepipe_cli.storage.contract import (
    AuditPage,
    AuditReader,
    AuditSnapshot,
    BarePage,
    BulkWriter,
    InvalidEntity,
    TableView,
    guards,
)
from stovepipe_cli.storage.contract.column_page import ColumnPage
from stovepipe_cli.storage.contract.folding import (
    FOLDED_TIME,
    LOGGED_COLUMNS,
    MOST_LOGGED,
    FoldedHistory,
    FoldedPage,
    LogTexts,
)
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row
from stovepipe_cli.storage.contract.tables import REQUEST_LOG, TABLES
from stovepipe_cli.storage.sql.column_texts import unfolded_columns, whole_texts
from stovepipe_cli.storage.sql.database import Database
from stovepipe_cli.storage.sql.many_keys import rows_of_keys
from stovepipe_cli.storage.sql.queue_tables import QueueTables
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sql.table_statements import TableStatements
from stovepipe_cli.storage.sql.table_values import Unstorable, Values, as_texts, made

R = TypeVar("R", bound=Row)

_ANYWHERE: Mapping[str, str] = MappingProxyType({})
# Usual texts of so many rows are far from being cut.
_MOST_UNFOLDED = 2_000
_LOGGED = (*LOGGED_COLUMNS, FOLDED_TIME)
_TEXT = FoldedHistory._fields.index("text")


class SQLAuditSnapshot(AuditSnapshot):
    """One queue as a read-only transaction sees it."""

    def __init__(self, database: Database, session: Session, queue: str) -> None:
        self._database = database
        self._session = session
        self._queue = queue

    def now_ms(self) -> int:
        with self._database.translating(self._session, ""):
            return int(self._session.fetch(f"SELECT {self._database.backend.clock}")[0][0])

    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        bare = self.bare_page(row_type, after=after, upto=upto, limit=limit)
        return AuditPage(made(row_type, bare.rows), bare.foreign, bare.next_after)

    def bare_page(
        self,
        row_type: type[R],
        *,
        after: Key | None = None,
        upto: Key | None = None,
        limit: int,
        in_any_order: bool = False,
    ) -> BarePage:
        guards.require_limit(limit)
        if after == ():
            return BarePage((), (), None)
        # A table of one row a queue has no key beside the queue that could be a border.
        if in_any_order and self._database.backend.folds_pages and len(TABLE_OF[row_type].key) > 1:
            page = self._unfolded_page(row_type, after, upto, min(limit, _MOST_UNFOLDED))
            if page is not None:
                return page
        table = TABLE_OF[row_type]
        with self._database.translating(self._session, table.name):
            statements = self._database.statements(self._session, table)
            values = statements.values.identified(self._queue, ()) | {"limit": limit}
            values |= _bounds(statements, "after", after or ()) | _bounds(statements, "upto", upto or ())
            statement = statements.page(len(after or ()), len(upto or ()))
            rows = statements.values.read(self._session.rows(statement, values))
        if not rows:
            return BarePage((), (), None)
        key_size = len(statements.key_columns)
        next_after = tuple(rows[-1][:key_size])
        if not statements.shows_queue:
            return BarePage(rows, (), next_after)
        own = [row[:-1] for row in rows if row[-1] == self._queue]
        foreign = tuple(tuple(row[:key_size]) for row in rows if row[-1] != self._queue)
        return BarePage(own, foreign, next_after)

    def _unfolded_page(self, row_type: type[R], after: Key | None, upto: Key | None, limit: int) -> BarePage | None:
        """The page by whole columns; None where its rows themselves have to be read."""
        border = self.key_behind(row_type, after=after, upto=upto, rows=limit)
        table = TABLE_OF[row_type]
        with self._database.translating(self._session, table.name):
            names = self._database.statements(self._session, table).row_columns
        found = self.column_page(row_type, names, after=after, upto=border or upto)
        return None if found.is_odd else BarePage([*zip(*found.columns, strict=True)], (), border)

    def key_behind(
        self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, rows: int
    ) -> Key | None:
        guards.require_limit(rows)
        if after == ():
            return None
        table = TABLE_OF[row_type]
        with self._database.translating(self._session, table.name):
            statements = self._database.statements(self._session, table)
            values = statements.values.identified(self._queue, ()) | {"skipped": rows - 1}
            values |= _bounds(statements, "after", after or ()) | _bounds(statements, "upto", upto or ())
            statement = statements.key_behind(len(after or ()), len(upto or ()))
            found = statements.values.read(self._session.rows(statement, values))
        return tuple(found[0][: len(statements.key_columns)]) if found else None

    def histories(self, *, after: Key | None = None, upto: Key | None = None, limit: int) -> FoldedPage:
        guards.require_limit(limit)
        table = REQUEST_LOG
        with self._database.translating(self._session, table.name):
            statements = self._database.statements(self._session, table)
            low, high = (after or ())[:1], (upto or ())[:1]
            values = statements.values.identified(self._queue, ()) | {"limit": limit}
            values |= _bounds(statements, "after", low) | _bounds(statements, "upto", high)
            rows = self._session.rows(statements.histories(len(low), len(high)), values)
        if not rows:
            return FoldedPage((), is_odd=False, next_after=None)
        is_odd = any(row[-1] for row in rows)
        if isinstance(rows[0][_TEXT], bytes):
            by_column: list[Sequence[Any]] = [*zip(*rows, strict=True)]
            by_column[_TEXT] = as_texts(by_column[_TEXT])
            rows = [*zip(*by_column, strict=True)]
        is_by_column = self._database.backend.folds_by_column
        return FoldedPage(rows, is_odd=is_odd, next_after=(rows[-1][0],), is_by_column=is_by_column)

    def log_texts(self, *, after: Key | None = None, upto: Key | None = None) -> LogTexts:
        with self._database.translating(self._session, REQUEST_LOG.name):
            statements = self._database.statements(self._session, REQUEST_LOG)
            low, high = (after or ())[:1], (upto or ())[:1]
            values = statements.values.identified(self._queue, ())
            values |= _bounds(statements, "after", low) | _bounds(statements, "upto", high)
            statement = statements.column_page(_LOGGED, (), (), after=len(low), upto=len(high), most=MOST_LOGGED)
            (answer,) = self._session.rows(statement, values)
        return whole_texts(answer, is_server=self._database.backend.keeps_types)

    def column_page(
        self,
        row_type: type[R],
        listed: Sequence[str],
        alike: Sequence[str] = (),
        *,
        at: Mapping[str, str] = _ANYWHERE,
        after: Key | None = None,
        upto: Key | None = None,
    ) -> ColumnPage:
        table = TABLE_OF[row_type]
        with self._database.translating(self._session, table.name):
            statements = self._database.statements(self._session, table)
            low, high = after or (), upto or ()
            values = statements.values.compared({table.queue_column: self._queue, **at})
            values |= _bounds(statements, "after", low) | _bounds(statements, "upto", high)
            statement = statements.column_page(tuple(listed), tuple(alike), tuple(at), after=len(low), upto=len(high))
            ((count, *texts, is_odd),) = self._session.rows(statement, values)
        return unfolded_columns(table, listed, alike, count, texts, is_odd=bool(is_odd))

    def multi_get(self, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        table = TABLE_OF[row_type]
        with self._database.translating(self._session, table.name):
            statements = self._database.statements(self._session, table)
            return rows_of_keys(self._session, statements, row_type, self._queue, keys)


class SQLAuditReader(AuditReader):
    """Audit reads of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._database = tables.database
        self._queue = tables.queue

    def view(self, table: str) -> TableView | None:
        known = TABLES.get(table)
        if known is None:
            return None

        def work(session: Session) -> TableView | None:
            statements = self._database.statements_if_there(session, known)
            if statements is None:
                return None
            found = statements.shape.found
            collations = {name: found.columns[name].collation for name in known.key}
            return TableView(frozenset(found.columns), collations, is_queue_exact=not statements.shows_queue)

        return self._database.read(work, table)

    @contextmanager
    def snapshot(self) -> Iterator[AuditSnapshot]:
        with self._database.snapshot() as session:
            yield SQLAuditSnapshot(self._database, session, self._queue)


class SQLBulkWriter(BulkWriter):
    """Bulk creation in one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    @property
    def most_at_once(self) -> int:
        return self._tables.database.backend.writers

    def insert(self, rows: Sequence[Row]) -> None:
        self._tables.create_all(rows, guards.require_storable(rows))


def _bounds(statements: TableStatements, prefix: str, key: Key) -> Values:
    try:
        return {
            f"{prefix}_{name}": statements.values.stored(name, part)
            for name, part in zip(statements.key_columns, key, strict=False)
        }
    except Unstorable:
        raise InvalidEntity(
            f"a page of table '{statements.table.name}' is bounded by a key that it cannot hold",
            hint="continue after a key that was listed",
        ) from None
