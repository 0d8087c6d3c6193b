"""Pieces of text with a tone: made safe when they are created, coloured only where the context says so."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from stovepipe_cli.render.sanitise import visible

Tone = Literal["plain", "strong", "good", "bad", "warn", "faint"]

_CODES: dict[Tone, str] = {"strong": "1", "good": "32", "bad": "31", "warn": "33", "faint": "2"}


@dataclass(frozen=True, slots=True)
class Ink:
    """Text that is visible from the start, so that no caller can forget. Prose may break at spaces, data may not."""

    text: str
    tone: Tone = "plain"
    is_prose: bool = False

    def __post_init__(self) -> None:
        """Make the text visible."""
        object.__setattr__(self, "text", visible(self.text))

    @property
    def cells(self) -> int:
        """The width on a terminal."""
        return cell_len(self.text)


def prose(text: str, tone: Tone = "plain") -> Ink:
    """A sentence."""
    return Ink(text, tone, is_prose=True)


def pad(ink: Ink, cells: int) -> Ink:
    """The text followed by spaces up to that width; longer text stays whole."""
    return Ink(ink.text + " " * (cells - ink.cells), ink.tone)


def paint(inks: Iterable[Ink], *, colour: bool) -> str:
    """The texts one after the other."""
    return "".join(_painted(ink) if colour else ink.text for ink in inks)


def _painted(ink: Ink) -> str:
    code = _CODES.get(ink.tone)
    body = ink.text.strip(" ")
    if not code or not body:
        return ink.text
    before, _, after = ink.text.partition(body)
    return f"{before}\x1b[{code}m{body}\x1b[0m{after}"
