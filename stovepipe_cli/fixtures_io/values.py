"""Nodes read as what a field is: text, a number, a time, a choice. Whatever does not fit is refused with its line."""

import math
import re
from collections.abc import Iterable

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.nodes import Fields, Items, Node, Text, suggestion
from stovepipe_cli.instants import parse_instant

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def as_fields(node: Node, what: str) -> Fields:
    """A mapping."""
    if not isinstance(node, Fields):
        raise node.place.refuse(f"{what} is not a mapping", hint="write 'key: value' lines")
    return node


def as_items(node: Node, what: str) -> Items:
    """A list; a mapping or a text is not taken for a list of one."""
    if not isinstance(node, Items):
        raise node.place.refuse(f"{what} is not a list", hint="write '- item' lines, or [item, item]")
    return node


def as_text(node: Node, what: str, *, characters: int | None = None, octets: int | None = None) -> str:
    """Text as written, to a limit of characters or bytes; empty only where it is quoted."""
    text = _scalar(node, what)
    if not text.value and not text.is_quoted:
        raise text.place.refuse(f"{what} has no value", hint="write '' for an empty text")
    if characters is not None and len(text.value) > characters:
        raise text.place.refuse(f"{what} has {len(text.value)} characters, the limit is {characters}")
    size = len(text.value.encode("utf-8"))
    if octets is not None and size > octets:
        raise text.place.refuse(f"{what} has {size} bytes, the limit is {octets}")
    return text.value


def as_name(node: Node, what: str, *, characters: int | None = None) -> str:
    """Text that is not empty."""
    value = as_text(node, what, characters=characters)
    if not value:
        raise node.place.refuse(f"{what} is empty", hint="give it a value")
    return value


def as_integer(node: Node, what: str, *, lowest: int, highest: int) -> int:
    """A whole number in plain decimals: no sign but a minus, no leading zero, no exponent, no other base."""
    text = _scalar(node, what).value
    if not _INTEGER.fullmatch(text):
        raise node.place.refuse(f"{what} is '{text}', which is no whole number", hint="write plain digits, such as 7")
    value = int(text)
    if not lowest <= value <= highest:
        raise node.place.refuse(f"{what} is {value}, allowed is {lowest} to {highest}")
    return value


def as_decimal(node: Node, what: str) -> float:
    """A number in decimals, with a fraction or exponent or without."""
    text = _scalar(node, what).value
    value = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise node.place.refuse(f"{what} is '{text}', which is no number", hint="write decimals, such as 0.25")
    return value


def as_instant(node: Node, what: str, *, lowest: int) -> int:
    """Unix milliseconds, from RFC 3339 text with a zone or from plain digits."""
    text = _scalar(node, what).value
    if _INTEGER.fullmatch(text):
        return as_integer(node, what, lowest=lowest, highest=2**63 - 1)
    # A length of time before now would make the same file mean other rows tomorrow.
    if text[:1].isdigit() and ("T" in text or "t" in text or " " in text or "-" in text):
        try:
            return parse_instant(text, 0)
        except InvalidInput as error:
            raise node.place.refuse(f"{what}: {error.message}", hint=error.hint) from None
    raise node.place.refuse(
        f"{what} is '{text}', which is no point in time", hint="write 2025-11-03T08:00:00Z, or milliseconds"
    )


def as_choice(node: Node, what: str, known: Iterable[str]) -> str:
    """One of the known words."""
    names = tuple(known)
    value = as_text(node, what)
    if value not in names:
        raise node.place.refuse(f"{what} is '{value}'", hint=suggestion(value, names))
    return value


def as_texts(node: Node, what: str) -> tuple[str, ...]:
    """A list of texts, none of them empty."""
    return tuple(as_name(item, f"an item of {what}") for item in as_items(node, what))


def _scalar(node: Node, what: str) -> Text:
    if not isinstance(node, Text):
        raise node.place.refuse(f"{what} is not a single value")
    return node
