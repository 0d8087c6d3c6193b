"""Rows as lines of a scenario, in the form that the reader takes back to the same rows."""

import base64
import math
import re
from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.keys import is_text, key_bytes
from stovepipe_cli.storage.contract import guards
from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row

# YAML takes a key on one line only, and no longer than 1024 characters as written.
_LONGEST_KEY = 1000

_PLAIN = re.compile(r'[^\\"\x00-\x1f\x7f-\U0010ffff]*\Z')
_SHORT_ESCAPES: Mapping[str, str] = MappingProxyType({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})
_BYTE, _TWO_BYTES = 0xFF, 0xFFFF


def row_text(row: Row) -> str:
    """The row as one flow mapping on one line; text is always quoted, whatever it looks like."""
    table = TABLE_OF[type(row)]
    fields = (
        f"{name}: {_value(value, is_json=table.column(name).kind == 'json')}"
        for name, value in zip(row._fields, row, strict=True)
    )
    return f"{{{', '.join(fields)}}}"


def quoted(text: str) -> str:
    """Text in double quotes, with everything escaped that does not print or that YAML reads in a way of its own."""
    if _PLAIN.match(text):
        return f'"{text}"'
    return f'"{"".join(map(_character, text))}"'


def why_not_loadable(row: Row) -> str | None:
    """Why no load takes this row, which a database without strict types may hold; None where one does."""
    try:
        guards.require_storable([row])
    except InvalidEntity as error:
        return error.message
    for name, value in zip(row._fields, row, strict=True):
        if isinstance(value, float) and not math.isfinite(value):
            return f"{name} is {value}"
    return None


def _value(value: object, *, is_json: bool) -> str:
    if not isinstance(value, str):
        return repr(value)
    if is_json:
        return _json(value)
    if not is_text(value):
        return f"{{base64: {quoted(base64.b64encode(key_bytes(value)).decode('ascii'))}}}"
    return quoted(value)


def _json(text: str) -> str:
    """A mapping of texts where the reader makes the same JSON text of it again, else that text."""
    metadata = parse_metadata(text)
    if metadata is None or metadata_text(metadata) != text:
        return quoted(text)
    keys = [quoted(key) for key in metadata]
    if any(len(key) > _LONGEST_KEY for key in keys):
        return quoted(text)
    return f"{{{', '.join(f'{key}: {quoted(value)}' for key, value in zip(keys, metadata.values(), strict=True))}}}"


def _character(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    # What does not print includes bidi controls and the line ends that YAML would fold.
    if character.isprintable():
        return character
    number = ord(character)
    if number <= _BYTE:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= _TWO_BYTES else f"\\U{number:08x}"
