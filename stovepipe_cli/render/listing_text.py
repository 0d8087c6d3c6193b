"""Lists as tables: times in the zone of the output, which the header names."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import NARROW
from stovepipe_cli.render.moments import moment
from stovepipe_cli.render.projection import Projection, Row, cell, project
from stovepipe_cli.render.table import grid, table_cells
from stovepipe_cli.reports import ListReport

_MS = "_ms"


def listing_text(report: ListReport[object], context: RenderContext) -> Iterator[str]:
    """A table without the columns that repeat a time as a number; nothing at all for an empty list."""
    if report.items:
        yield projection_text(project(report), context, spare=_spare(report.item_type))


def projection_text(projection: Projection, context: RenderContext, *, spare: AbstractSet[str] = frozenset()) -> str:
    """A table of a projection; an unknown value is a dash. A terminal that is too narrow shows no `spare` columns."""
    every = projection.columns
    timed = {name for name in every if name + _MS in every}
    names = [name for name in every if name.removesuffix(_MS) not in timed or name in timed]
    heads = [f"{name} ({context.zone_name})" if name in timed else name for name in names]
    rows = [[_cell(name, row, timed, context) for name in names] for row in projection.rows]
    if spare and context.is_terminal and NARROW <= context.width < table_cells(heads, rows):
        kept = [at for at, name in enumerate(names) if name not in spare]
        heads = [heads[at] for at in kept]
        rows = [[row[at] for at in kept] for row in rows]
    return grid(heads, rows, context)


def listing_hints(report: ListReport[object]) -> tuple[str, ...]:
    """The report's own sentences, and how to see the next page."""
    if report.next_cursor is None:
        return report.notes
    return (*report.notes, f"next page: the same command with --cursor {report.next_cursor}")


def _spare(item_type: type[object]) -> frozenset[str]:
    if not is_dataclass(item_type):
        return frozenset()
    return frozenset(each.name for each in fields(item_type) if each.metadata.get("spare", False))


def _cell(name: str, row: Row, timed: AbstractSet[str], context: RenderContext) -> str:
    value = row.get(name + _MS) if name in timed else row.get(name)
    if value is None:
        return "-"
    return moment(value, context) if name in timed and isinstance(value, int) else cell(value)
