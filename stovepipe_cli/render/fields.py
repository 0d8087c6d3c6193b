"""Named values one under the other."""

from collections.abc import Sequence

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk, flow
from stovepipe_cli.render.ink import Ink, pad

_GAP = 2


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
