"""Named values one under the other."""

from collections.abc import Iterator, Sequence

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk, flow
from stovepipe_cli.render.ink import Ink, pad, prose
from stovepipe_cli.render.projection import cell, project
from stovepipe_cli.reports import Report

_GAP = 2


def fields_text(report: Report, context: RenderContext) -> Iterator[str]:
    """The fields of any report."""
    rows = project(report)
    return (fields_block([(name, [prose(cell(row[name]))]) for name in rows.columns], context) for row in rows.rows)


def fields_block(
    fields: Sequence[tuple[str, Sequence[Chunk]]], context: RenderContext, *, indent: int = 0, label_cells: int = 0
) -> str:
    """A line a field that has chunks; values start at one column, `label_cells` or further from the indent."""
    shown = [(name, chunks) for name, chunks in fields if chunks]
    label = max([label_cells, *(len(name) + _GAP for name, _ in shown)])
    margin = Ink(" " * indent)
    return "".join(
        flow(chunks, context, head=[margin, pad(Ink(name, "faint"), label)], hang=indent + label)
        for name, chunks in shown
    )
