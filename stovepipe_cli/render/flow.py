"""Lines that fit a terminal: chunks that follow one another and wrap under themselves. Off a terminal nothing wraps."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.ink import Ink, paint

Chunk = Ink | tuple[Ink, ...]

NARROW = 60
_GAP = 2
_LEAST_ROOM = 16
_WORD = re.compile("( *)([^ ]+)")


def flow(chunks: Iterable[Chunk], context: RenderContext, *, head: Sequence[Ink] = (), hang: int = 0) -> str:
    """The head, then the chunks two spaces apart; lines after the first start at the column `hang`.

    A chunk is one ink or several a space apart. One that does not fit moves to a line of its own, and folds there only
    if it is longer than a line.
    """
    margin = hang if context.width - hang >= _LEAST_ROOM else 0
    lines = [list(head)]
    column = sum(ink.cells for ink in head)
    gap = 0
    for chunk in chunks:
        inks = chunk if isinstance(chunk, tuple) else (chunk,)
        size = chunk_cells(inks)
        if not context.is_terminal or column + gap + size <= context.width:
            lines[-1] += [Ink(" " * gap), *_spaced(inks)]
            column += gap + size
        else:
            first, *others = fold_inks(inks, max(context.width - margin, 1))
            if column > margin:
                lines.append([Ink(" " * margin)])
            lines[-1] += first
            lines += [[Ink(" " * margin), *line] for line in others]
            column = margin + sum(ink.cells for ink in (others[-1] if others else first))
        gap = _GAP
    return "".join(paint(line, colour=context.colour) + "\n" for line in lines)


def chunk_cells(inks: Sequence[Ink]) -> int:
    """The width of a chunk."""
    return sum(ink.cells for ink in inks) + len(inks) - 1


def sentence(text: Ink, context: RenderContext, *, hang: int = 0) -> str:
    """One ink from the column `hang` on."""
    return flow([text], context, head=[Ink(" " * hang)] if hang else [], hang=hang)


def fold_inks(inks: Iterable[Ink], width: int) -> Iterator[list[Ink]]:
    """Lines of at most `width` cells, at least one: broken between inks and between the words of prose.

    What is longer than a line breaks anywhere; nothing is left out but the spaces at a break.
    """
    line: list[Ink] = []
    column = 0
    for spaces, ink in _tokens(inks):
        if line and column + spaces + ink.cells > width:
            yield line
            line, column = [], 0
        *whole, rest = _pieces(ink, width)
        for piece in whole:
            yield [piece]
        glue = spaces if line else 0
        line += [Ink(" " * glue), rest]
        column += glue + rest.cells
    yield line


def _tokens(inks: Iterable[Ink]) -> Iterator[tuple[int, Ink]]:
    for index, ink in enumerate(inks):
        spaces = 1 if index else 0
        if not ink.is_prose:
            yield spaces, ink
            continue
        for match in _WORD.finditer(ink.text):
            yield spaces + len(match[1]), Ink(match[2], ink.tone)
            spaces = 0


def _pieces(ink: Ink, width: int) -> list[Ink]:
    if ink.cells <= width:
        return [ink]
    pieces, piece, size = [], "", 0
    for character in ink.text:
        cells = cell_len(character)
        if piece and size + cells > width:
            pieces.append(Ink(piece, ink.tone))
            piece, size = "", 0
        piece += character
        size += cells
    return [*pieces, Ink(piece, ink.tone)]


def _spaced(inks: Sequence[Ink]) -> Iterator[Ink]:
    for index, ink in enumerate(inks):
        yield Ink(" " + ink.text if index else ink.text, ink.tone)
