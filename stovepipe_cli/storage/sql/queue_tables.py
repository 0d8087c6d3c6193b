"""Row operations on the tables of one queue, each atomic; the stores speak entities on top of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from stovepipe_cli.keys import is_text
from stovepipe_cli.storage.contract import refusals
from stovepipe_cli.storage.contract.errors import SchemaMismatch, StorageError
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    Key,
    QueueRow,
    QueueSummaryRow,
    RequestAcceptanceRow,
    RequestRow,
    RequestSummaryRow,
    Row,
    key_of,
)
from stovepipe_cli.storage.sql.database import Attempt, Database
from stovepipe_cli.storage.sql.errors import DuplicateKey
from stovepipe_cli.storage.sql.many_keys import rows_of_keys
from stovepipe_cli.storage.sql.same_row import same_row
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sql.table_statements import TableStatements
from stovepipe_cli.storage.sql.table_values import Unstorable, made

R = TypeVar("R", bound=Row)
T = TypeVar("T")
Versioned = TypeVar("Versioned", RequestRow, QueueRow, BuildRow, RequestSummaryRow, QueueSummaryRow)

# A batch that races with another writer sees that writer's rows after one redo; more is only a matter of luck.
RACES = 5
ROWS_A_STATEMENT = 1_000


class QueueTables:
    """The tables of a database as one queue sees them."""

    def __init__(self, database: Database, queue: str) -> None:
        self.database = database
        self.queue = queue

    def find(self, row_type: type[R], key: Key) -> R | None:
        """The row of this key, or None."""
        table = TABLE_OF[row_type]
        return self.database.read(
            lambda session: self._find(session, self.database.statements(session, table), row_type, key), table.name
        )

    def get(self, row_type: type[R], key: Key) -> R:
        """The row of this key, else `NotFound`."""
        row = self.find(row_type, key)
        if row is None:
            raise refusals.not_found(TABLE_OF[row_type], self.queue, key)
        return row

    def listing(
        self,
        row_type: type[R],
        prefix: Key,
        order: tuple[str, ...],
        after: Key | None = None,
        limit: int | None = None,
    ) -> tuple[R, ...]:
        """Rows whose key begins with `prefix`, in byte order of the columns `order`, behind the values `after`."""
        table = TABLE_OF[row_type]

        def work(session: Session) -> tuple[R, ...]:
            statements = self.database.statements(session, table)
            as_bytes = not all(is_text(part) for part in after or () if isinstance(part, str))
            statement = statements.listing(
                statements.key_columns[: len(prefix)],
                order,
                is_after=after is not None,
                is_limited=limit is not None,
                as_bytes=as_bytes,
            )
            try:
                values = statements.values.identified(self.queue, prefix) | {"limit": limit}
            except Unstorable:
                return ()
            values |= statements.values.bounds(order, after or ())
            return made(row_type, statements.values.read(session.rows(statement, values)))

        return self.database.read(work, table.name)

    def within(self, row_type: type[R], prefix: Key, after: Key | None, limit: int) -> tuple[R, ...]:
        """Rows whose key begins with `prefix`, in key order and bytewise, behind `after`: all other parts of a key."""
        return self.listing(row_type, prefix, TABLE_OF[row_type].key[1 + len(prefix) :], after, limit)

    def newest(
        self, low: int, below: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptanceRow, ...]:
        """Acceptances with low <= time < below, descending by (time, request id bytes), behind `before`."""
        table, order = TABLE_OF[RequestAcceptanceRow], ("accepted_at_ms", "request_id")

        def work(session: Session) -> tuple[RequestAcceptanceRow, ...]:
            statements = self.database.statements(session, table)
            statement = statements.newest(*order, is_before=before is not None)
            # The cursor tightens the window as well: without it, SQLite would walk down to it from the window's end.
            top = below if before is None else min(below, before[0] + 1)
            values = statements.values.identified(self.queue, ()) | {"low": low, "below": top, "limit": limit}
            values |= statements.values.bounds(order, before or ())
            return made(RequestAcceptanceRow, statements.values.read(session.rows(statement, values)))

        return self.database.read(work, table.name)

    def create(self, row: Row) -> None:
        """Insert, or `AlreadyExists`, or `CollationConflict`."""
        table = TABLE_OF[type(row)]

        def work(attempt: Attempt) -> None:
            session = attempt.session
            statements = self.database.statements(session, table)
            self.insert_all(session, statements, [row])

        try:
            self.database.write(work, table.name)
        except DuplicateKey as clash:
            if not (clash.is_uncertain and self._is_there(row)):
                raise self._taken(row) from clash.__cause__

    def create_missing(self, rows: Sequence[R]) -> tuple[R, ...]:
        """Insert those whose key is free and return them; a key that comes twice counts once."""
        wanted = {key_of(row): row for row in reversed(rows)}
        unique = [row for row in rows if wanted[key_of(row)] is row]
        if not unique:
            return ()
        table = TABLE_OF[type(unique[0])]
        tried: list[R] = []
        is_doubtful = False

        def work(attempt: Attempt) -> tuple[R, ...]:
            session = attempt.session
            statements = self.database.statements(session, table)
            there = {key_of(row) for row in rows_of_keys(session, statements, type(unique[0]), self.queue, [*wanted])}
            if (attempt.is_uncertain or is_doubtful) and tried and all(key_of(row) in there for row in tried):
                return tuple(tried)
            missing = [row for row in unique if key_of(row) not in there]
            tried[:] = missing
            self.insert_all(session, statements, missing)
            return tuple(missing)

        races = 0
        while True:
            try:
                return self.database.write(work, table.name)
            except DuplicateKey as clash:
                # The rows in the way may be our own, of a commit that the server had not finished when it was asked.
                is_doubtful = is_doubtful or clash.is_uncertain
                races += 1
                if races == RACES:
                    raise self._first_taken(tried) from clash.__cause__

    def create_columns(self, row_type: type[Row], columns: Sequence[Sequence[Any]]) -> bool:
        """Insert rows given as columns, or nothing where a key is taken; whether they were inserted."""
        table = TABLE_OF[row_type]

        def are_there(session: Session) -> bool:
            keys: Sequence[Key] = [*zip(*columns[: len(table.key) - 1], strict=True)]
            found = rows_of_keys(session, self.database.statements(session, table), row_type, self.queue, keys)
            return {key_of(row) for row in found}.issuperset(keys)

        def work(attempt: Attempt) -> bool:
            session = attempt.session
            statements = self.database.statements(session, table)
            if attempt.is_uncertain and are_there(session):
                return True
            rows = statements.values.inserted_columns(self.queue, columns)
            for batch in _chunks(rows, ROWS_A_STATEMENT):
                session.change_many(statements.insert().text, batch)
            return True

        try:
            return self.database.write(work, table.name)
        except DuplicateKey as clash:
            # The rows in the way may be our own, of a commit that the server had not finished when it was asked.
            return clash.is_uncertain and self.database.read(are_there, table.name)

    def create_all(self, rows: Sequence[Row], by_type: Mapping[type[Row], Sequence[Row]]) -> None:
        """Insert all, which are given by their type as well, or nothing and `AlreadyExists`."""
        if not rows:
            return

        def work(attempt: Attempt) -> None:
            session = attempt.session
            for row_type, batch in by_type.items():
                self.insert_all(session, self.database.statements(session, TABLE_OF[row_type]), batch)

        try:
            self.database.write(work, " and ".join(TABLE_OF[row_type].name for row_type in by_type))
        except DuplicateKey as clash:
            if not (clash.is_uncertain and all(self._is_there(row) for row in rows)):
                raise self._first_taken(rows) from clash.__cause__

    def insert_all(self, session: Session, statements: TableStatements, rows: Sequence[Row]) -> None:
        """Insert inside a transaction that is open, in as few round trips as the driver can."""
        text = statements.insert().text
        for batch in _chunks(rows, ROWS_A_STATEMENT):
            session.change_many(text, statements.values.inserted(self.queue, batch))

    def update(self, row: Versioned, fields: tuple[str, ...], *, old_version: int, new_version: int) -> None:
        """Take the named fields of `row` and the new version where the old version is still there."""
        table, key = TABLE_OF[type(row)], key_of(row)
        wanted = row._replace(version=new_version)

        def work(attempt: Attempt) -> None:
            session = attempt.session
            statements = self.database.statements(session, table)
            values = statements.values.written(self.queue, wanted) | {"old_version": old_version}
            try:
                values |= statements.values.identified(self.queue, key)
                matched = session.change(statements.update(fields), values)
            except Unstorable:
                matched = 0
            if matched == 1:
                return
            # A try whose commit got no answer may have been the one that took the old version away.
            if attempt.is_uncertain and self._holds(session, statements, wanted, (*fields, "version")):
                return
            raise refusals.version_mismatch(table, self.queue, key, old_version)

        self.database.write(work, table.name)

    def delete(self, row: Row) -> bool:
        """Remove the row where it is there and equal in every column."""
        table = TABLE_OF[type(row)]
        removed = False

        def work(attempt: Attempt) -> bool:
            session = attempt.session
            nonlocal removed
            statements = self.database.statements(session, table)
            try:
                values = statements.values.compared({table.queue_column: self.queue, **row._asdict()})
            except Unstorable:
                return False
            removed = session.change(statements.delete(), values) > 0 or (attempt.is_uncertain and removed)
            return removed

        return self.database.write(work, table.name)

    def _find(self, session: Session, statements: TableStatements, row_type: type[R], key: Key) -> R | None:
        try:
            values = statements.values.identified(self.queue, key)
        except Unstorable:
            return None
        answers = statements.values.read(session.rows(statements.find(), values))
        return made(row_type, answers)[0] if answers else None

    def _is_there(self, row: R) -> bool:
        """Whether the database holds just what an insert of `row` would leave."""
        table = TABLE_OF[type(row)]

        def work(session: Session) -> bool:
            statements = self.database.statements(session, table)
            return self._holds(session, statements, row, type(row)._fields)

        return self.database.read(work, table.name)

    def _holds(self, session: Session, statements: TableStatements, row: R, fields: tuple[str, ...]) -> bool:
        found = self._find(session, statements, type(row), key_of(row))
        return found is not None and same_row(found, statements.values.known(row), fields)

    def _first_taken(self, rows: Sequence[Row]) -> StorageError:
        """The refusal for the first row of a batch that cannot go in."""
        seen: set[tuple[type[Row], Key]] = set()
        for row in rows:
            key = key_of(row)
            if (type(row), key) in seen or self.find(type(row), key) is not None:
                return refusals.already_exists(TABLE_OF[type(row)], self.queue, key)
            seen.add((type(row), key))
        for row in rows:
            refusal = self._in_the_way(row)
            if refusal is not None:
                return refusal
        # Two rows of the batch itself collide, or the row in the way has gone since.
        return refusals.collation_conflict(TABLE_OF[type(rows[0])], self.queue, key_of(rows[0]))

    def _taken(self, row: Row) -> StorageError:
        """The refusal that is right for what stands in the way of an insert."""
        return self._in_the_way(row) or refusals.already_exists(TABLE_OF[type(row)], self.queue, key_of(row))

    def _in_the_way(self, row: Row) -> StorageError | None:
        table, key = TABLE_OF[type(row)], key_of(row)

        def work(session: Session) -> StorageError | None:
            statements = self.database.statements(session, table)
            answers = session.rows(statements.find_by_collation(), statements.values.identified(self.queue, key))
            for answer in statements.values.read(answers):
                if answer[-1] in {self.queue, self.queue.encode()} and answer[: len(key)] == key:
                    return refusals.already_exists(table, self.queue, key)
            if not answers:
                return None
            if table.queue_column not in statements.shape.found.key:
                return SchemaMismatch(
                    f"table '{table.name}' is keyed without its queue, and another queue has this key",
                    hint="'stovepipe db check' shows how the key differs from the service's present one",
                )
            return refusals.collation_conflict(table, self.queue, key)

        return self.database.read(work, table.name)


def _chunks(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
