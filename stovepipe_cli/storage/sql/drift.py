"""Differences between a table that is known and what was found of it."""

from collections.abc import Iterator

from stovepipe_cli.storage.contract.database_admin import Drift
from stovepipe_cli.storage.contract.tables import REQUEST_LOG, Column, Table
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.catalog import FoundColumn, FoundTable, is_obsolete_log


def absent(table: Table) -> Drift:
    """The table is not there."""
    return Drift("table-absent", table.name, "", table.name, "", harmless=not table.expected)


def differences(table: Table, found: FoundTable, backend: Backend) -> Iterator[Drift]:
    """Every difference of a table that is there."""
    if table is REQUEST_LOG and is_obsolete_log(found):
        yield Drift("table-obsolete", table.name, "", ", ".join(table.key), ", ".join(found.key), harmless=False)
        return
    if found.key != table.key:
        # Keyed without its queue, the older design, a table still tells its queues apart when read.
        is_older = found.key == table.key[1:]
        yield Drift("key-differs", table.name, "", ", ".join(table.key), ", ".join(found.key), harmless=is_older)
    for column in table.columns:
        there = found.columns.get(column.name)
        if there is None:
            kind = backend.expected_types(column)[0]
            yield Drift("column-absent", table.name, column.name, kind, "", harmless=column.later)
            continue
        yield from _type(table, column, there, backend)
        if column.name in table.key and not there.is_byte_exact:
            yield Drift(
                "collation-not-byte-exact", table.name, column.name, "a byte-exact one", there.collation, harmless=True
            )
    known = {column.name for column in table.columns}
    for name, there in found.columns.items():
        if name not in known:
            can_be_left_out = there.is_nullable or there.has_default
            yield Drift("column-unknown", table.name, name, "", there.type, harmless=can_be_left_out)


def _type(table: Table, column: Column, there: FoundColumn, backend: Backend) -> Iterator[Drift]:
    expected = backend.expected_types(column)
    if there.type not in expected:
        yield Drift("column-type", table.name, column.name, expected[0], there.type, harmless=_holds(column, there))


def _holds(column: Column, there: FoundColumn) -> bool:
    """Whether the other type takes every value of the known one."""
    family, _, size = there.type.partition("(")
    match column.kind:
        case "text":
            return "text" in family or (family == "varchar" and _number(size) >= column.size)
        case "binary":
            return "blob" in family or (family == "varbinary" and _number(size) >= column.size)
        case "int":
            return family == "bigint"
        case "json":
            return "text" in family
        case "bigint" | "double":
            return False


def _number(text: str) -> int:
    digits = text.rstrip(")")
    return int(digits) if digits.isdecimal() else 0
