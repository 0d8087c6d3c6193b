"""Strict reading of the program's own JSON: what its documents can never hold is refused before its meaning counts."""

import json
import math
from collections.abc import Callable, Iterator, Mapping

from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.keys import is_text
from stovepipe_cli.reports.json_form import JsonValue

MAX_BYTES = 256 * 1024 * 1024
MAX_TEXT = 1024 * 1024
_MAX_DEPTH = 16

# Makes the refusal of a document from what is wrong with it, as in "holds a NUL byte".
Refusal = Callable[[str], StovepipeError]


def parse_object(raw: bytes, refused: Refusal) -> Mapping[str, JsonValue]:
    """The JSON object in `raw`.

    Refused: too large, no UTF-8, a bare NUL, a name given twice, numbers beyond 64 bits or without a value, text over
    1 MiB or with half a surrogate pair, nesting that no document has, and anything that is no object.
    """
    if len(raw) > MAX_BYTES:
        raise refused(f"is larger than {MAX_BYTES} bytes")
    if b"\0" in raw:
        raise refused("holds a NUL byte")
    reader = _Reader(refused)
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=reader.object,
            parse_int=reader.integer,
            parse_float=reader.float,
            parse_constant=reader.float,
        )
    except (ValueError, RecursionError) as error:
        raise refused("is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise refused("is not a JSON object")
    for text in reader.texts(value, 0):
        if len(text) > MAX_TEXT:
            raise refused(f"holds text of more than {MAX_TEXT} characters")
        if not is_text(text):
            raise refused("holds text that no UTF-8 can carry")
    return value


class _Reader:
    def __init__(self, refused: Refusal) -> None:
        self.refused = refused

    def object(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise self.refused("gives one name twice")
        return found

    def integer(self, digits: str) -> int:
        # The length is looked at first: converting a very long number takes time, and Python refuses it in own words.
        if len(digits) > len(str(-MAX_INT64)) or not -MAX_INT64 - 1 <= int(digits) <= MAX_INT64:
            raise self.refused("holds a number beyond 64 bits")
        return int(digits)

    def float(self, text: str) -> float:
        number = float(text)
        if not math.isfinite(number):
            raise self.refused("holds a number without a value")
        return number

    def texts(self, value: JsonValue, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise self.refused("is nested deeper than any answer")
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
            for item in value.values():
                yield from self.texts(item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                yield from self.texts(item, depth + 1)
