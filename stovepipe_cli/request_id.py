"""Request ids of both forms, ordered by their number.

The older form is `request/<queue>/<n>`, where the queue may itself hold slashes; the newer one is the canonical
decimal of a positive 64-bit integer, unique only within its queue.
"""

import re
from dataclasses import dataclass
from typing import Literal

from stovepipe_cli.keys import key_bytes

MAX_NUMBER = 2**63 - 1

_SIGNED_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}\Z")
_CANONICAL_DECIMAL = re.compile(r"[1-9][0-9]{0,18}\Z")

IdForm = Literal["path", "decimal"]


@dataclass(frozen=True, slots=True)
class RequestNumber:
    """The number inside a request id and the form it was written in."""

    number: int
    form: IdForm


def parse_request_id(queue: str, request_id: str) -> RequestNumber | None:
    """The number of a request id of this queue, or None where the text is of neither form."""
    prefix = f"request/{queue}/"
    if request_id.startswith(prefix):
        tail = request_id[len(prefix) :]
        if not _SIGNED_DECIMAL.match(tail):
            return None
        number = int(tail)
        if not -MAX_NUMBER - 1 <= number <= MAX_NUMBER:
            return None
        return RequestNumber(number, "path")
    if _CANONICAL_DECIMAL.match(request_id):
        number = int(request_id)
        if number <= MAX_NUMBER:
            return RequestNumber(number, "decimal")
    return None


def request_order(queue: str, request_id: str) -> tuple[int, int, bytes]:
    """A sort key: by number whichever the form, ids of neither form last and bytewise."""
    parsed = parse_request_id(queue, request_id)
    if parsed is None:
        return (1, 0, key_bytes(request_id))
    return (0, parsed.number, key_bytes(request_id))


def spell_request_id(queue: str, number: int, form: IdForm) -> str:
    """The id of the given form for a number."""
    return f"request/{queue}/{number}" if form == "path" else str(number)
