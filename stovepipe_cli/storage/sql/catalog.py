"""What a database really has: its tables, columns, types, keys and collations."""

from collections.abc import Mapping
from dataclasses import dataclass

from stovepipe_cli.storage.contract import refusals
from stovepipe_cli.storage.contract.errors import SchemaMismatch
from stovepipe_cli.storage.contract.tables import REQUEST, REQUEST_LOG, TABLES, Column, Table

# The service keeps its messages in a database of its own, which often has the same name on another server.
MESSAGE_TABLE = "queue_messages"


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column that is there. `type` is normalised; `collation` is empty for numbers and bytes."""

    name: str
    type: str
    is_nullable: bool
    has_default: bool
    collation: str

    @property
    def is_binary(self) -> bool:
        """Whether it holds bytes."""
        return "binary" in self.type or "blob" in self.type

    @property
    def is_byte_exact(self) -> bool:
        """Whether it compares values as their bytes, trailing spaces included."""
        name = self.collation.lower()
        return name in {"", "binary", "utf8mb4_0900_bin"} or (name.startswith("utf8") and name.endswith("_nopad_bin"))


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table that is there. Columns are in their order, `key` is its primary key."""

    name: str
    columns: Mapping[str, FoundColumn]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every table of interest that the account may see."""

    tables: Mapping[str, FoundTable]

    def require_storage_database(self) -> None:
        """`SchemaMismatch` where this is the service's message database."""
        if MESSAGE_TABLE in self.tables and REQUEST.name not in self.tables:
            raise SchemaMismatch(
                "this is the message-queue database, not the storage database",
                hint="use the storage DSN (STORAGE_MYSQL_DSN of the service), not that of the queue",
            )

    def shape(self, table: Table) -> "Shape | None":
        """How to speak to a table; None where it is not seen. `SchemaMismatch` where it is of another design."""
        found = self.tables.get(table.name)
        if found is None:
            return None
        if table is REQUEST_LOG and is_obsolete_log(found):
            raise SchemaMismatch(
                "table 'request_log' is of the obsolete design without log identities",
                hint="this tool works on the queue-scoped request_log; 'stovepipe db check' shows the difference",
            )
        for column in table.columns:
            if column.name not in found.columns and not column.later:
                raise refusals.column_absent(table.name, column.name)
        return Shape(table, found)


@dataclass(frozen=True, slots=True)
class Shape:
    """A known table together with what was found of it; no column that it always had is missing."""

    table: Table
    found: FoundTable

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The known primary key without the queue."""
        return self.table.key[1:]

    @property
    def row_columns(self) -> tuple[Column, ...]:
        """Every known column but the queue, there or not, in the known order."""
        return tuple(column for column in self.table.columns if column.name != self.table.queue_column)

    @property
    def present(self) -> tuple[Column, ...]:
        """The known columns that are there, in the known order."""
        return tuple(column for column in self.table.columns if column.name in self.found.columns)

    def has(self, column: str) -> bool:
        """Whether the column is there."""
        return column in self.found.columns

    def is_binary(self, column: str) -> bool:
        """Whether the column holds bytes."""
        return self.found.columns[column].is_binary

    def is_byte_exact(self, column: str) -> bool:
        """Whether equality in the column is equality of bytes."""
        return self.found.columns[column].is_byte_exact

    def is_nullable(self, column: str) -> bool:
        """Whether the column can be NULL."""
        return self.found.columns[column].is_nullable


def is_obsolete_log(found: FoundTable) -> bool:
    """Whether a request_log is the one of the discarded design."""
    return "log_id" not in found.columns


def known_table_names() -> tuple[str, ...]:
    """The tables that a probe asks about."""
    return (*TABLES, MESSAGE_TABLE)
