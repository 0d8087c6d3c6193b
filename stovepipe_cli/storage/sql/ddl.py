"""The text of CREATE TABLE from the known tables."""

from collections.abc import Callable

from sqlalchemy.engine import Dialect

from stovepipe_cli.storage.contract.tables import Column, Table


def create_table(
    table: Table, dialect: Dialect, type_of: Callable[[Column], str], options: str, index: str | None = None
) -> str:
    """A statement that creates the table unless it is there; columns that came later can be left out of an insert."""
    quote = dialect.identifier_preparer.quote_identifier
    parts = [f"{quote(column.name)} {type_of(column)} {_rest(column)}" for column in table.columns]
    key = ", ".join(f"{quote(name)} DESC" if name in table.descending else quote(name) for name in table.key)
    parts += [f"PRIMARY KEY ({key})", *([index] if index else [])]
    return f"CREATE TABLE IF NOT EXISTS {quote(table.name)} ({', '.join(parts)}) {options}"


def index_part(index: tuple[str, tuple[str, ...]], dialect: Dialect) -> str:
    """An index as a part of CREATE TABLE."""
    name, columns = index
    quote = dialect.identifier_preparer.quote_identifier
    return f"KEY {quote(name)} ({', '.join(quote(column) for column in columns)})"


def _rest(column: Column) -> str:
    if column.nullable:
        return "NULL"
    if column.default is None:
        return "NOT NULL"
    default = f"'{column.default}'" if isinstance(column.default, str) else str(column.default)
    return f"NOT NULL DEFAULT {default}"
