"""SQL literals, names and comments for a script that a server's own client runs, on MySQL, MariaDB and SQLite."""

import re
from typing import Literal

from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.tables import Column, Table

Dialect = Literal["mysql", "sqlite"]

# Text that means the same under every quoting mode of every client; all else is written as its bytes.
_PLAIN = re.compile(r"[ !\"#$%&()*+,./0-9:;<=>?@A-Z\[\]^_a-z{|}~-]*\Z")


def dialect_of(backend: str) -> Dialect:
    """The SQL that a backend's own client speaks."""
    return "sqlite" if backend == "sqlite" else "mysql"


def name(word: str, dialect: Dialect) -> str:
    """A table or column name; those of the service hold no quotes."""
    return f"`{word}`" if dialect == "mysql" else f'"{word}"'


def text(value: str, dialect: Dialect) -> str:
    """Text, whatever mode or character set the client's session has."""
    if _PLAIN.match(value):
        return f"'{value}'"
    raw = blob(value)
    return f"_utf8mb4 {raw}" if dialect == "mysql" else f"CAST({raw} AS TEXT)"


def blob(value: str) -> str:
    """The bytes of an identifier that is stored as such."""
    return f"X'{key_bytes(value).hex().upper()}'"


def literal(value: object, column: Column, dialect: Dialect) -> str:
    """A value of a column."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        message = f"column {column.name} has no literal for {type(value).__name__}"
        raise TypeError(message)
    if not isinstance(value, str):
        return repr(value)
    return blob(value) if column.kind == "binary" else text(value, dialect)


def equals(table: Table, column_name: str, value: object, dialect: Dialect) -> str:
    """A comparison by bytes; a column that may be NULL reads as its default there."""
    column = table.column(column_name)
    field, wanted = name(column_name, dialect), literal(value, column, dialect)
    if column.later:
        field = f"COALESCE({field}, {literal(column.default, column, dialect)})"
    if column.kind != "text" or dialect == "sqlite":
        return f"{field} = {wanted}"
    # The first comparison uses the key, the second tells apart what a collation takes for equal.
    return f"{field} = {wanted} AND CAST({field} AS BINARY) = CAST({wanted} AS BINARY)"


def now_ms(dialect: Dialect) -> str:
    """The database's time in Unix milliseconds."""
    if dialect == "mysql":
        return "CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)"
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"


def comment(sentence: str) -> str:
    """One comment line; a line break inside cannot end it."""
    shown = "".join(each if " " <= each <= "~" else each.encode("unicode_escape").decode() for each in sentence)
    return f"-- {shown}"
