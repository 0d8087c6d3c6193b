"""A YAML document as text with lines: nothing is typed here, and every refusal names the file and the line."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stovepipe_cli.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands; `line` counts from 1."""

    file: str
    line: int

    def refuse(self, message: str, *, hint: str | None = None) -> InvalidInput:
        """The error to raise about this place."""
        return InvalidInput(f"{self.file}:{self.line}: {message}", hint=hint)


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar, exactly as written; `is_quoted` tells an empty text from a value that was left out."""

    value: str
    is_quoted: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Items:
    """A list, in order."""

    items: tuple["Node", ...]
    place: Place

    def __iter__(self) -> Iterator["Node"]:
        """The items."""
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping of text keys, in the order written, each with the place of its key."""

    entries: Mapping[str, "Node"]
    key_places: Mapping[str, Place]
    place: Place

    def __contains__(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.entries

    def get(self, key: str) -> "Node | None":
        """The value of a key that may be left out."""
        return self.entries.get(key)

    def require(self, key: str) -> "Node":
        """The value of a key that must be there."""
        node = self.entries.get(key)
        if node is None:
            raise self.place.refuse(f"'{key}' is missing", hint=f"add '{key}:'")
        return node

    def refuse_unknown(self, known: Iterable[str], what: str) -> None:
        """Refuse the first key that is not among `known`, and name the nearest one that is."""
        names = tuple(known)
        for key, place in self.key_places.items():
            if key not in names:
                raise place.refuse(f"{what} has no '{key}'", hint=suggestion(key, names))


Node = Text | Items | Fields


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint: the known word most like `word`, else all of them."""
    names = tuple(known)
    near = difflib.get_close_matches(word, names, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"use one of {', '.join(names)}" if names else "there is nothing to choose from"
