"""Rows written or to be written: counted a table, and spelled out field by field."""

from collections import Counter
from collections.abc import Iterable, Mapping

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk
from stovepipe_cli.render.ink import Ink
from stovepipe_cli.render.moments import moment
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.symbols import symbols
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import JsonValue, PlanEntry, Written
from stovepipe_cli.reports.repair import Action

_TABLES: Mapping[Action, str] = {
    "create-log": "request_log",
    "create-summary": "request_summary",
    "advance-summary": "request_summary",
    "create-acceptance": "request_acceptance",
    "create-uri": "request_uri",
    "advance-queue-summary": "queue_summary",
}
_TIME_WITHOUT_UNIT = "created_at"


def table_of(action: Action) -> str:
    """The table that an action writes to."""
    return _TABLES[action]


def writes_table(writes: Iterable[PlanEntry | Written], context: RenderContext) -> str:
    """INSERTs and UPDATEs a table."""
    counted = Counter((table_of(each.action), each.is_update) for each in writes)
    inserts = {table: number for (table, is_update), number in counted.items() if not is_update}
    updates = {table: number for (table, is_update), number in counted.items() if is_update}
    rows = [[name, f"{inserts.get(name, 0):,}", f"{updates.get(name, 0):,}"] for name in {**inserts, **updates}]
    return grid(("table", "insert", "update"), rows, context, right=("insert", "update"))


def field_chunks(row: Mapping[str, JsonValue], context: RenderContext) -> list[Chunk]:
    """The fields of a row; metadata as its keys."""
    chunks: list[Chunk] = []
    for name, value in row.items():
        if isinstance(value, Mapping) and tuple(value) != ("base64",):
            chunks += field_chunks(value, context)
        else:
            chunks.append((Ink(name, "faint"), Ink(_value(name, value, context))))
    return chunks


def change_chunks(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue], context: RenderContext
) -> list[Chunk]:
    """The fields that an update changes, each with both values."""
    arrow = Ink(symbols(context).arrow)
    return [
        (Ink(name, "faint"), Ink(_value(name, before.get(name), context)), arrow, Ink(_value(name, value, context)))
        for name, value in after.items()
        if before.get(name) != value
    ]


def _value(name: str, value: JsonValue, context: RenderContext) -> str:
    if (name.endswith("_ms") or name == _TIME_WITHOUT_UNIT) and isinstance(value, int) and value > 0:
        return moment(value, context)
    return "(empty)" if value in ("", None) else cell(value)
