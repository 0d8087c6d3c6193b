"""Answers about scenario files, for people."""

from collections.abc import Iterator, Mapping

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import flow
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import counted
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import FixturesCheckReport, FixturesDumpReport


def check_text(report: FixturesCheckReport, context: RenderContext) -> Iterator[str]:
    """What a scenario holds, table by table."""
    fields = [("file", report.file), ("digest", report.digest), ("queue", report.queue)]
    yield fields_block([(name, [Ink(value)]) for name, value in fields], context)
    yield from _rows(report.rows, context)
    expected = counted(report.expected_findings, "finding")
    yield flow([prose(f"{counted(sum(report.rows.values()), 'row')}, {expected} expected")], context)


def dump_text(report: FixturesDumpReport, context: RenderContext) -> Iterator[str]:
    """What was written, table by table, and what stayed a comment."""
    chosen = [Ink(request_id) for request_id in report.requests or ()]
    yield fields_block(
        [
            ("file", [Ink(report.file)]),
            ("digest", [Ink(report.digest)]),
            ("queue", [Ink(report.queue), *([prose("under pseudonyms")] if report.anonymized else [])]),
            ("requests", chosen),
        ],
        context,
    )
    yield from _rows(report.rows, context)
    yield flow([prose(f"{counted(sum(report.rows.values()), 'row')} written")], context)
    if report.unloadable:
        left = f"{counted(report.unloadable, 'row')} that no load takes stayed a comment"
        yield flow([prose(left, "warn")], context)


def _rows(rows: Mapping[str, int], context: RenderContext) -> Iterator[str]:
    if rows:
        yield "\n"
        yield grid(
            ("table", "rows"), [[table, f"{count:,}"] for table, count in rows.items()], context, right=("rows",)
        )
        yield "\n"
