"""Audit reads over frozen partitions, and bulk creation."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from stovepipe_cli.storage.contract import AuditPage, AuditReader, AuditSnapshot, BulkWriter, TableView, guards
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row, key_of
from stovepipe_cli.storage.contract.tables import TABLES, ColumnKind
from stovepipe_cli.storage.memory.database import stored_key
from stovepipe_cli.storage.memory.partition import Partition
from stovepipe_cli.storage.memory.queue_tables import QueueTables

R = TypeVar("R", bound=Row)


class MemoryAuditSnapshot(AuditSnapshot):
    """The partitions of one queue as they were when the snapshot was opened."""

    def __init__(self, tables: QueueTables) -> None:
        self._database = tables.database
        with self._database.lock:
            self._partitions = self._database.freeze(tables.queue)

    def now_ms(self) -> int:
        return self._database.clock()

    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        guards.require_limit(limit)
        table, partition = TABLE_OF[row_type], self._partition(row_type)
        low = None if after is None else stored_key(table, after)
        high = None if upto is None else stored_key(table, upto)
        rows = partition.page(low, high, limit)
        return AuditPage(rows, foreign=(), next_after=key_of(rows[-1]) if rows else None)

    def multi_get(self, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        table, partition = TABLE_OF[row_type], self._partition(row_type)
        found = {key_of(row): row for key in keys for row in partition.starting_with(stored_key(table, key))}
        return tuple(found.values())

    def _partition(self, row_type: type[R]) -> Partition[R]:
        with self._database.lock:
            self._database.require(row_type)
        return self._partitions.get(row_type, Partition())


class MemoryAuditReader(AuditReader):
    """Audit reads of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def view(self, table: str) -> TableView | None:
        with self._tables.database.lock:
            columns = self._tables.database.columns(table)
        if columns is None:
            return None
        known = TABLES[table]
        return TableView(columns, {name: _collation(known.column(name).kind) for name in known.key if name in columns})

    @contextmanager
    def snapshot(self) -> Iterator[AuditSnapshot]:
        yield MemoryAuditSnapshot(self._tables)


class MemoryBulkWriter(BulkWriter):
    """Bulk creation in one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def insert(self, rows: Sequence[Row]) -> None:
        guards.require_storable(rows)
        self._tables.create_all(rows)


def _collation(kind: ColumnKind) -> str:
    return "bytes" if kind == "text" else ""
