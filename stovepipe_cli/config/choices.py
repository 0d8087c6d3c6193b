"""Readers for flags and variables that take one of a few words, a number, or limits of a server's load."""

import re
from collections.abc import Callable
from typing import TypeVar

from stovepipe_cli.errors import InvalidInput

Word = TypeVar("Word", bound=str)
LoadLimits = tuple[tuple[str, int], ...]

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})


def one_of(known: tuple[Word, ...]) -> Callable[[str], Word]:
    """A reader that knows these words alone and raises InvalidInput for others."""

    def read(text: str) -> Word:
        for word in known:
            if word == text:
                return word
        raise InvalidInput(f"'{text}' is not among the choices", hint=f"choose from {', '.join(known)}")

    return read


def read_switch(text: str) -> bool:
    """1, true, yes, on or 0, false, no, off, in any case. Raises InvalidInput."""
    word = text.lower()
    if word not in _YES | _NO:
        raise InvalidInput(f"'{text}' is neither yes nor no", hint="write 1 or 0")
    return word in _YES


def positive_number(text: str) -> int:
    """A whole number from 1. Raises InvalidInput."""
    # Fifteen digits keep int() away from its own length limit.
    if not re.fullmatch(r"[0-9]{1,15}", text) or not int(text):
        raise InvalidInput(f"'{text}' is not a whole number from 1", hint="write digits alone")
    return int(text)


def parse_max_load(text: str) -> LoadLimits:
    """Status variables with their limits, `Threads_running=50,Threads_connected=400`; none for `none`.

    Raises InvalidInput.
    """
    if text == "none":
        return ()
    limits = []
    for piece in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z_]{1,64})=([0-9]{1,15})\s*", piece)
        if match is None:
            raise InvalidInput(f"'{text}' is not a load limit", hint="write Threads_running=50, or none")
        limits.append((match.group(1), int(match.group(2))))
    return tuple(limits)
