"""Rows written out in a scenario, under the tables' own names of tables and columns."""

import base64
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stovepipe_cli.entities.limits import MAX_INT32, MAX_INT64
from stovepipe_cli.fixtures_io.nodes import Fields, Node, Text
from stovepipe_cli.fixtures_io.values import as_decimal, as_fields, as_instant, as_integer, as_text
from stovepipe_cli.keys import key_text
from stovepipe_cli.storage.contract.mapping import metadata_text
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row
from stovepipe_cli.storage.contract.tables import Column, ColumnKind

Value = str | int | float

# What a writer puts there when it has nothing to say, where the database itself has no default.
_NOTHING_TO_SAY: Mapping[tuple[str, str], Value] = MappingProxyType(
    {
        ("request_uri", "version"): 1,
        ("build", "version"): 1,
        ("request_log", "state"): "",
        ("request_log", "event"): "",
        ("request_log", "request_version"): 0,
        ("request_log", "outcome_reason"): "",
        ("request_log", "metadata"): "{}",
        ("request_summary", "base_uri"): "",
        ("request_summary", "version"): 1,
        ("open_issue", "unit_id"): "",
        ("issue_log", "unit_id"): "",
        ("build_issue", "unit_id"): "",
        ("queue_log", "metadata"): "{}",
    }
)


def read_row(row_type: type[Row], node: Node) -> Row:
    """A whole row; a column may be left out where it has a default or a writer's usual nothing."""
    table = TABLE_OF[row_type]
    fields = as_fields(node, f"a row of {table.name}")
    given = read_columns(row_type, fields)
    values: list[Value] = []
    for name in row_type._fields:
        if name in given:
            values.append(given[name])
            continue
        default = _NOTHING_TO_SAY.get((table.name, name), table.column(name).default)
        if default is None:
            raise fields.place.refuse(f"the row of {table.name} has no '{name}'", hint=f"add '{name}:'")
        values.append(default)
    return row_type._make(values)


def read_columns(row_type: type[Row], fields: Fields) -> dict[str, Value]:
    """The columns that are given, each as its kind; the queue is the scenario's and cannot be given."""
    table = TABLE_OF[row_type]
    fields.refuse_unknown(row_type._fields, f"table '{table.name}'")
    return {
        name: _READERS[table.column(name).kind](node, table.column(name), f"{table.name}.{name}")
        for name, node in fields.entries.items()
    }


def _text(node: Node, column: Column, what: str) -> Value:
    return as_text(node, what, characters=column.size)


def _binary(node: Node, column: Column, what: str) -> Value:
    """Text, or `{base64: …}` for bytes that are none."""
    if isinstance(node, Fields):
        node.refuse_unknown(("base64",), what)
        encoded = node.require("base64")
        try:
            raw = base64.b64decode(as_text(encoded, what), validate=True)
        except ValueError:
            raise encoded.place.refuse(f"{what} is no base64", hint="write the bytes in padded base64") from None
        if len(raw) > column.size:
            raise encoded.place.refuse(f"{what} has {len(raw)} bytes, the limit is {column.size}")
        return key_text(raw)
    return as_text(node, what, octets=column.size)


def _int(node: Node, _: Column, what: str) -> Value:
    return as_integer(node, what, lowest=-MAX_INT32 - 1, highest=MAX_INT32)


def _bigint(node: Node, column: Column, what: str) -> Value:
    lowest = -MAX_INT64 - 1
    if column.name.endswith("_ms") or column.name == "created_at":
        return as_instant(node, what, lowest=lowest)
    return as_integer(node, what, lowest=lowest, highest=MAX_INT64)


def _double(node: Node, _: Column, what: str) -> Value:
    return as_decimal(node, what)


def _json(node: Node, _: Column, what: str) -> Value:
    """A mapping of texts, or any JSON as one text: what is stored may be damaged, but a JSON column holds JSON."""
    if isinstance(node, Fields):
        return metadata_text({key: as_text(value, f"{what} '{key}'") for key, value in node.entries.items()})
    if not isinstance(node, Text):
        raise node.place.refuse(f"{what} is a list", hint="write a mapping of texts, or JSON in quotes")
    try:
        json.loads(node.value)
    except (ValueError, RecursionError):
        raise node.place.refuse(f"{what} is no JSON", hint="write a mapping of texts, or JSON in quotes") from None
    return node.value


_READERS: Mapping[ColumnKind, Callable[[Node, Column, str], Value]] = MappingProxyType(
    {"text": _text, "binary": _binary, "int": _int, "bigint": _bigint, "double": _double, "json": _json}
)
