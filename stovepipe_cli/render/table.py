"""Tables for a terminal, and the cards that take over where they do not fit. Data never passes as markup."""

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import NARROW, fold_inks
from stovepipe_cli.render.ink import Ink, paint, prose
from stovepipe_cli.render.sanitise import visible

_GAP = 2
_NARROWEST_COLUMN = 20
_MOST_LINES = 3


def grid(
    columns: Sequence[str], rows: Sequence[Sequence[str]], context: RenderContext, *, right: Collection[str] = ()
) -> str:
    """Aligned columns, those in `right` to the right; cells fold where the terminal is narrow, or cards replace them.

    Off a terminal nothing is folded or cut, whatever the width.
    """
    clean = [[visible(value) for value in row] for row in rows]
    heads = list(columns) if context.headers else [""] * len(columns)
    widths = [max(cell_len(head), *(cell_len(row[at]) for row in clean), 0) for at, head in enumerate(heads)]
    if context.is_terminal and _total(widths) > context.width:
        cap = _widest_that_fits(widths, context.width)
        if cap < max(_NARROWEST_COLUMN, max(widths) / _MOST_LINES) or context.width < NARROW:
            return cards(columns, clean, context)
        widths = [min(width, cap) for width in widths]
    to_right = [name in right for name in columns]
    lines = _aligned([Ink(name, "faint") for name in columns], widths, to_right, context) if context.headers else ""
    return lines + "".join(_aligned([prose(value) for value in row], widths, to_right, context) for row in clean)


def table_cells(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """How wide a table is that nothing folds."""
    widths = [max(cell_len(head), *(cell_len(visible(row[at])) for row in rows), 0) for at, head in enumerate(columns)]
    return _total(widths)


def cards(columns: Sequence[str], rows: Sequence[Sequence[str]], context: RenderContext) -> str:
    """One block a row, a line a non-empty field."""
    label = max((cell_len(column) for column in columns), default=0) + _GAP
    return "\n".join(
        fields_block(
            [(name, [prose(value)]) for name, value in zip(columns, row, strict=True) if value],
            context,
            label_cells=label,
        )
        for row in rows
    )


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * max(len(widths) - 1, 0)


def _widest_that_fits(widths: Sequence[int], width: int) -> int:
    cap = max(widths)
    while cap > 1 and _total([min(size, cap) for size in widths]) > width:
        cap -= 1
    return cap


def _aligned(cells: Sequence[Ink], widths: Sequence[int], to_right: Sequence[bool], context: RenderContext) -> str:
    folded = [
        list(fold_inks([cell], width)) if cell.cells > width else [[cell]]
        for cell, width in zip(cells, widths, strict=True)
    ]
    text = ""
    for line in range(max(map(len, folded), default=0)):
        filled = [at for at, lines in enumerate(folded) if line < len(lines)]
        inks: list[Ink] = []
        for at in range(filled[-1] + 1):
            pieces = folded[at][line] if line < len(folded[at]) else []
            space = Ink(" " * (widths[at] - sum(ink.cells for ink in pieces)))
            # The last cell is not padded, so that the spaces at its end are the data's own.
            inks += [space, *pieces] if to_right[at] else [*pieces, *([space] if at < filled[-1] else [])]
            inks += [Ink(" " * _GAP)] if at < filled[-1] else []
        text += paint(inks, colour=context.colour) + "\n"
    return text
