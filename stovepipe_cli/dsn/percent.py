"""Strict percent-decoding: what cannot be decoded is refused, and never repeated in the message."""

import re
from urllib.parse import unquote_to_bytes

from stovepipe_cli.errors import InvalidInput

_STRAY = re.compile(r"%(?![0-9A-Fa-f]{2})")


def decode(text: str, part: str) -> str:
    """`text` with its percent escapes resolved; `part` says in an error which part of the URL it was."""
    if _STRAY.search(text):
        raise InvalidInput(
            f"the {part} of the database URL holds a '%' that starts no escape", hint="write %25 for a percent sign"
        )
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise InvalidInput(
            f"the {part} of the database URL is not UTF-8 once decoded", hint="encode its characters as UTF-8"
        ) from None


def decode_query(text: str, part: str) -> str:
    """Like `decode`, for the part after '?', where '+' stands for a space."""
    return decode(text.replace("+", " "), part)
