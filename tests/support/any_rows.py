"""Any rows that a table can hold, whatever stands in their text."""

import json
from typing import Any

from hypothesis import strategies as st

from stovepipe_cli.entities.limits import MAX_INT32, MAX_INT64
from stovepipe_cli.fixtures_io.row_types import row_types
from stovepipe_cli.keys import key_text
from stovepipe_cli.storage.contract.mapping import metadata_text
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row, key_of
from stovepipe_cli.storage.contract.tables import Column

# What a text of YAML, JSON or a terminal stumbles over.
HOSTILE_TEXTS = (
    "",
    " ",
    "007",
    "1e3",
    "no",
    "~",
    "2024-01-01",
    "a: b",
    "- a",
    "{a: b}",
    "# none",
    "'",
    '"',
    "\\",
    "\\u0041",
    "a\nb",
    "a\r\nb",
    "\t",
    "\x00",
    "\x07\x1b[31m\x7f\x85\x9b",
    "\u2028\u2029\ufeff\u202e\u200b",
    "\ufffe\uffff",
    "é e\u0301",
    "日本",
    "\U0001f600\U0010ffff",
    "%s %n ${x} {{x}}",
    "&anchor",
    "*alias",
    "!!tag",
    "<<",
    "---",
    "...",
    "trailing ",
)
_characters = st.characters(exclude_categories=["Cs"])
texts = st.one_of(st.sampled_from(HOSTILE_TEXTS), st.text(_characters, max_size=8))
metadata = st.dictionaries(texts, texts, max_size=4)
any_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**20), st.floats(allow_nan=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
json_texts = st.one_of(
    metadata.map(metadata_text),
    any_json.map(json.dumps),
    st.sampled_from(("null", "{}", "{ }", '"text"', '{"a":"1","a":"2"}', '{"a": "\\ud800"}', "NaN")),
)


def _value(column: Column) -> st.SearchStrategy[Any]:
    match column.kind:
        case "text":
            return texts
        case "binary":
            return st.one_of(texts, st.binary(max_size=12).map(key_text))
        case "int":
            return st.integers(-MAX_INT32 - 1, MAX_INT32)
        case "bigint":
            return st.integers(-MAX_INT64 - 1, MAX_INT64)
        case "double":
            return st.floats(allow_nan=False, allow_infinity=False)
        case "json":
            return json_texts


def _rows_of(row_type: type[Row]) -> st.SearchStrategy[list[Row]]:
    table = TABLE_OF[row_type]
    values = st.tuples(*(_value(table.column(name)) for name in row_type._fields))
    row: st.SearchStrategy[Any] = values.map(row_type._make)
    return st.lists(row, max_size=3, unique_by=key_of)


any_rows: st.SearchStrategy[list[Row]] = st.tuples(*map(_rows_of, row_types().values())).map(
    lambda tables: [row for rows in tables for row in rows]
)
