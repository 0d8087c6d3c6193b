"""Reports as JSON values, produced from their fields, and the canonical text that digests are taken over."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass

from stovepipe_cli.keys import is_text, key_bytes, key_text

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]


def json_form(value: object) -> JsonValue:
    """The JSON value of a report or any part of it.

    Dataclasses become objects by their fields (those marked `metadata={"json": False}` stay out), text that is not
    UTF-8 becomes {"base64": …}, numbers that JSON cannot hold become text. `TypeError` for any other type.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if is_text(value) else {"base64": base64.b64encode(key_bytes(value)).decode("ascii")}
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: json_form(getattr(value, field.name))
            for field in fields(value)
            if field.metadata.get("json", True)
        }
    if isinstance(value, Mapping):
        return {_key(key): json_form(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [json_form(item) for item in value]
    message = f"no JSON form for {type(value).__name__}"
    raise TypeError(message)


def text_of(value: object) -> str | None:
    """The text that a JSON value stands for, bytes that are no UTF-8 included; None where it is no text."""
    if isinstance(value, Mapping) and tuple(value) == ("base64",) and isinstance(value["base64"], str):
        try:
            return key_text(base64.b64decode(value["base64"], validate=True))
        except ValueError:
            return None
    return value if isinstance(value, str) else None


def canonical_json(value: object) -> str:
    """Sorted keys, no spaces, text as it is: equal values have equal canonical JSON."""
    return json.dumps(json_form(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _key(key: object) -> str:
    text = str(key)
    return text if is_text(text) else "base64:" + base64.b64encode(key_bytes(text)).decode("ascii")
