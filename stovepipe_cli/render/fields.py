"""Named values one under the other."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk, flow, sentence
from stovepipe_cli.render.ink import Ink, pad, prose
from stovepipe_cli.render.projection import cell, project
from stovepipe_cli.reports import JsonValue, Report

_GAP = 2


def fields_text(report: Report, context: RenderContext) -> Iterator[str]:
    """The fields of any report."""
    rows = project(report)
    return (fields_block([(name, [prose(_words(row[name]))]) for name in rows.columns], context) for row in rows.rows)


def fields_block(
    fields: Sequence[tuple[str, Sequence[Chunk]]], context: RenderContext, *, indent: int = 0, label_cells: int = 0
) -> str:
    """A line a field that has chunks; values start at one column, `label_cells` or further from the indent.

    A value that would be broken there and is whole on a line of its own gets one, below the name.
    """
    shown = [(name, chunks) for name, chunks in fields if chunks]
    label = max([label_cells, *(len(name) + _GAP for name, _ in shown)])
    margin = Ink(" " * indent)
    column, below = indent + label, indent + _GAP
    return "".join(
        _name_alone(name, indent, context) + flow(chunks, context, head=[Ink(" " * below)], hang=below)
        if context.is_terminal and context.width - column < _longest(chunks) <= context.width - below
        else flow(chunks, context, head=[margin, pad(Ink(name, "faint"), label)], hang=column)
        for name, chunks in shown
    )


def _words(value: JsonValue) -> str:
    """A value as it is read aloud: of several texts, one after the other."""
    texts = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return ", ".join(texts) if texts and texts == value else cell(value)


def _name_alone(name: str, indent: int, context: RenderContext) -> str:
    return sentence(Ink(name, "faint"), context, hang=indent) if name else ""


def _longest(chunks: Sequence[Chunk]) -> int:
    """The width of the longest piece that does not break at a space."""
    inks = [ink for chunk in chunks for ink in (chunk if isinstance(chunk, tuple) else (chunk,))]
    return max(cell_len(word) for ink in inks for word in (ink.text.split(" ") if ink.is_prose else [ink.text]))
