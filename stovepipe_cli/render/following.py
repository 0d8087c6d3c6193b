"""A history that is still being written: lines that are added to a pipe, and frames that replace one another."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.json_output import item_lines
from stovepipe_cli.render.output import render_report
from stovepipe_cli.render.projection import as_lines
from stovepipe_cli.render.timeline import timeline_lines
from stovepipe_cli.reports import HistoryReport

_TO_LINE_ABOVE, _TO_LINE_END, _BELOW = "\x1b[{}F", "\x1b[K", "\x1b[J"


def first_lines(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    """The beginning of an answer that goes on: the header of rows, the head of a timeline, no summary yet."""
    if context.output == "ndjson":
        return item_lines(as_lines(report).items, ascii_only=context.ascii_only)
    return render_report(report, context)


def further_lines(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    """What is added to such an answer."""
    if context.output == "ndjson":
        return first_lines(report, context)
    if context.output == "table" and not context.columns:
        return timeline_lines(report, context)
    return render_report(report, replace(context, headers=False))


def frame(lines: Sequence[str], context: RenderContext, height: int, *, is_reversed: bool) -> list[str]:
    """As many lines as a terminal of that height can redraw: of a long history its latest part."""
    room = max(height - 1, 1)
    if len(lines) <= room:
        return list(lines)
    ellipsis = "..." if context.ascii_only else "…"
    hidden = f"{ellipsis} {len(lines) - room + 1:,} more lines; leave out --follow to see them"
    hidden = hidden[: context.width]
    return [*lines[: room - 1], hidden] if is_reversed else [hidden, *lines[len(lines) - room + 1 :]]


def redrawn(lines: Sequence[str], before: Sequence[str], width: int) -> str:
    """The text that puts `lines` where `before` stands, right above the cursor."""
    above = sum(rows_taken(line, width) for line in before)
    up = _TO_LINE_ABOVE.format(above) if above else ""
    return up + "".join(f"{line}{_TO_LINE_END}\n" for line in lines) + _BELOW


def rows_taken(line: str, width: int) -> int:
    """How many rows a line takes on a terminal that may be narrower than it was written for."""
    plain = "".join(part.partition("m")[2] if index else part for index, part in enumerate(line.split("\x1b[")))
    return max(-(-cell_len(plain) // max(width, 1)), 1)
