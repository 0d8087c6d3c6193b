"""The one rule by which identifiers are compared: as bytes.

Text carries bytes that are not UTF-8 as lone surrogates, so every stored identifier survives a round trip.
"""

from collections.abc import Iterable

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity


def key_bytes(text: str) -> bytes:
    """The bytes that identify `text`: case, accents and trailing spaces all distinguish."""
    return text.encode("utf-8", "surrogateescape")


def key_text(raw: bytes) -> str:
    """Text for stored bytes; the inverse of `key_bytes`, also for bytes that are not UTF-8."""
    return raw.decode("utf-8", "surrogateescape")


def is_text(text: str) -> bool:
    """Whether the identifier is valid UTF-8 (False: bytes carried as surrogates)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def common_prefix(names: Iterable[str]) -> str:
    """The longest prefix that all names share, byte for byte."""
    ordered = sorted(names, key=key_bytes)
    if not ordered:
        return ""
    first, last = ordered[0], ordered[-1]
    size = 0
    while size < min(len(first), len(last)) and first[size] == last[size]:
        size += 1
    return first[:size]


def require_name(kind: str, field: str, value: str) -> None:
    """Refuse an empty identifier with `InvalidEntity`."""
    if not value:
        raise InvalidEntity(f"{kind} has an empty {field}", hint=f"give the {field} a value")


def require_bytes(kind: str, field: str, value: str, limit: int) -> None:
    """Refuse an identifier of more than `limit` bytes with `IdentifierTooLong`."""
    size = len(key_bytes(value))
    if size > limit:
        raise IdentifierTooLong(
            f"{kind} {field} has {size} bytes, the limit is {limit}",
            hint=f"identifiers are never truncated: use a {field} of at most {limit} bytes",
        )


def require_text(kind: str, field: str, value: str, limit: int) -> None:
    """Refuse text that is not UTF-8, or has more than `limit` characters (the unit of a text column)."""
    if not is_text(value):
        raise InvalidEntity(f"{kind} {field} is not valid UTF-8", hint=f"the {field} is stored as text")
    if len(value) > limit:
        raise IdentifierTooLong(
            f"{kind} {field} has {len(value)} characters, the limit is {limit}",
            hint=f"identifiers are never truncated: use a {field} of at most {limit} characters",
        )
