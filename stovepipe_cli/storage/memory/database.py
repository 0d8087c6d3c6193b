"""The tables of one database in memory: which are there, with which columns, and their partitions."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract import StorageReadOnly, refusals
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row
from stovepipe_cli.storage.contract.tables import TABLES, Column, Table
from stovepipe_cli.storage.memory.partition import Partition, StoredKey

R = TypeVar("R", bound=Row)
RowType = type[tuple[object, ...]]


class Database:
    """Every partition of every queue. Hold `lock` around each use."""

    def __init__(
        self,
        absent_tables: frozenset[str],
        absent_columns: Mapping[str, frozenset[str]],
        clock: Callable[[], int],
        *,
        is_read_only: bool = False,
    ) -> None:
        self.lock = threading.RLock()
        self.clock = clock
        self.is_read_only = is_read_only
        self._columns = {
            table.name: {column.name for column in table.columns} - absent_columns.get(table.name, frozenset())
            for table in TABLES.values()
            if table.name not in absent_tables
        }
        self._partitions: dict[tuple[RowType, bytes], Partition[Any]] = {}

    def create_tables(self) -> tuple[str, ...]:
        """Create what is absent; the names."""
        self._refuse_if_read_only()
        absent = [table for table in TABLES.values() if table.name not in self._columns]
        for table in absent:
            self._columns[table.name] = {column.name for column in table.columns}
        return tuple(table.name for table in absent)

    def columns(self, table: str) -> frozenset[str] | None:
        """The columns of a table; None where it is absent."""
        names = self._columns.get(table)
        return None if names is None else frozenset(names)

    def require(self, row_type: RowType) -> Table:
        """The table of these rows; `SchemaMismatch` where it is absent or of another design."""
        table = TABLE_OF[row_type]
        columns = self._columns.get(table.name)
        if columns is None:
            raise refusals.table_absent(table.name)
        for column in table.columns:
            if column.name not in columns and not column.later:
                raise refusals.column_absent(table.name, column.name)
        return table

    def partition(self, row_type: type[R], queue: str) -> Partition[R]:
        """The rows of a queue, to read."""
        self.require(row_type)
        partition = self._partitions.get((row_type, key_bytes(queue)))
        return Partition() if partition is None else partition

    def writable(self, row_type: type[R], queue: str) -> Partition[R]:
        """The rows of a queue, to change; snapshots keep what they have."""
        self._refuse_if_read_only()
        self.require(row_type)
        place = (row_type, key_bytes(queue))
        partition = self._partitions.get(place)
        if partition is None or partition.frozen:
            partition = Partition() if partition is None else partition.copy()
            self._partitions[place] = partition
        return partition

    def freeze(self, queue: str) -> dict[RowType, Partition[Any]]:
        """The partitions of a queue as they are now; later writes go to copies."""
        name = key_bytes(queue)
        frozen = {row_type: partition for (row_type, owner), partition in self._partitions.items() if owner == name}
        for partition in frozen.values():
            partition.frozen = True
        return frozen

    def queues(self, row_type: RowType) -> set[bytes]:
        """Names of the queues that have rows of this type."""
        self.require(row_type)
        return {
            name
            for (kind, name), partition in self._partitions.items()
            if kind is row_type and partition.page(None, None, 1)
        }

    def stored(self, row: R) -> R:
        """The row as its table keeps it: text in one spelling, nothing in columns that are absent."""
        table = TABLE_OF[type(row)]
        columns = self._columns[table.name]
        values: dict[str, str | int | float] = {}
        for name, value in row._asdict().items():
            if name not in columns:
                values[name] = _unknown(table.column(name))
            elif isinstance(value, str):
                values[name] = key_text(key_bytes(value))
            elif table.column(name).kind == "double":
                values[name] = float(value)
        # Any: `_replace` of a type variable over several tuples is beyond mypy.
        loose: Any = row
        kept: R = loose._replace(**values)
        return kept

    def _refuse_if_read_only(self) -> None:
        if self.is_read_only:
            raise StorageReadOnly(
                "the database in memory was opened for reading only; nothing was written", hint="open it for writing"
            )


def stored_key(table: Table, key: Key) -> StoredKey:
    """Bytes for text and numbers as they are, turned round where the key descends; whole keys or prefixes."""
    # Strict would be wrong: a prefix is shorter.
    return tuple(_stored_part(table, name, part) for name, part in zip(table.key[1:], key, strict=False))


def _stored_part(table: Table, name: str, part: str | float) -> bytes | int | float:
    if isinstance(part, str):
        return key_bytes(part)
    return -part if name in table.descending else part


def _unknown(column: Column) -> str | int | float:
    if column.default is not None:
        return column.default
    return "" if column.kind in {"text", "binary", "json"} else 0
