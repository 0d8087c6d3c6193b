"""How the ledger's tables are created on each product."""

from sqlalchemy.engine import Dialect

from stovepipe_cli.storage.contract.tables import Column
from stovepipe_cli.storage.ledger.tables import Index, LedgerTable
from stovepipe_cli.storage.sql.ddl import create_table

SERVER = "mysql"


def create_statements(table: LedgerTable, dialect: Dialect) -> tuple[str, ...]:
    """The statements that create a table with its indexes, unless they are there. Its keys compare as bytes."""
    if dialect.name == SERVER:
        indexes = ", ".join(_index_part(index, dialect) for index in table.indexes)
        return (create_table(table.table, dialect, _server_type, "ENGINE=InnoDB ROW_FORMAT=DYNAMIC", indexes or None),)
    return (
        create_table(table.table, dialect, _file_type, ""),
        *(_create_index(table, index, dialect) for index in table.indexes),
    )


def _server_type(column: Column) -> str:
    if column.kind == "binary":
        return f"VARBINARY({column.size})" if column.size else "LONGBLOB"
    return column.kind.upper()


def _file_type(column: Column) -> str:
    return "BLOB" if column.kind == "binary" else column.kind.upper()


def _index_part(index: Index, dialect: Dialect) -> str:
    kind = "UNIQUE KEY" if index.is_unique else "KEY"
    return f"{kind} {_quoted(dialect, index.name)} ({_columns(index, dialect)})"


def _create_index(table: LedgerTable, index: Index, dialect: Dialect) -> str:
    kind = "UNIQUE INDEX" if index.is_unique else "INDEX"
    return (
        f"CREATE {kind} IF NOT EXISTS {_quoted(dialect, index.name)} "
        f"ON {_quoted(dialect, table.name)} ({_columns(index, dialect)})"
    )


def _columns(index: Index, dialect: Dialect) -> str:
    return ", ".join(_quoted(dialect, column) for column in index.columns)


def _quoted(dialect: Dialect, name: str) -> str:
    return dialect.identifier_preparer.quote_identifier(name)
