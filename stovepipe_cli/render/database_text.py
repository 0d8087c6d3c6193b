"""Answers about the database and about fixtures, for people."""

from collections.abc import Iterator

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import flow
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import (
    DatabaseCheckReport,
    DatabaseInitReport,
    DatabasePingReport,
    DriftItem,
    FixturesLoadReport,
)


def init_text(report: DatabaseInitReport, context: RenderContext) -> Iterator[str]:
    """Tables created, and those left as they were."""
    yield fields_block(
        [
            ("created", [Ink(name) for name in report.created]),
            ("kept as is", [Ink(name) for name in report.existing]),
        ],
        context,
    )
    yield "\n"
    done = f"{counted(len(report.created), 'table')} created" if report.created else "every table was there already"
    yield flow([prose(done)], context)


def check_text(report: DatabaseCheckReport, context: RenderContext) -> Iterator[str]:
    """Differences in two groups, those that stop a command first; the verdict is the last line."""
    for title, items in (
        ("stops a command", [item for item in report.items if not item.harmless]),
        ("harmless", [item for item in report.items if item.harmless]),
    ):
        if items:
            yield flow([Ink(title, "warn" if title == "harmless" else "bad")], context)
            yield grid(("kind", "table", "column", "expected", "found"), [_drift(item) for item in items], context)
            yield "\n"
    yield fields_block(
        [
            ("backend", [Ink(report.backend)]),
            ("server", [Ink(report.server_version)]),
            ("schema", [Ink(report.schema_fingerprint)]),
        ],
        context,
    )
    yield "\n"
    stopping = sum(1 for item in report.items if not item.harmless)
    if stopping:
        yield flow(
            [(Ink("findings:", "bad"), prose(f"{counted(stopping, 'difference')} would stop a command"))], context
        )
        return
    tail = f"with {counted(len(report.items), 'harmless difference')}" if report.items else ""
    yield flow([(Ink("clean", "good"), *([prose(tail)] if tail else []))], context)


def ping_text(report: DatabasePingReport, context: RenderContext) -> Iterator[str]:
    """Who answered, and how fast."""
    yield fields_block(
        [
            ("database", [Ink(f"{report.host}/{report.database}" if report.host else report.database)]),
            ("backend", [Ink(report.backend), (Ink("driver", "faint"), Ink(report.driver))]),
            ("server", [Ink(report.server_version)]),
            ("identity", [Ink(report.identity)]),
            ("writes", [prose("refused: the server is read-only", "warn") if report.read_only else Ink("possible")]),
            ("its time", [Ink(moment(report.server_time_ms, context)), Ink(context.zone_name, "faint")]),
            ("answered", [prose(f"in {report.round_trip_ms:.1f} ms")]),
        ],
        context,
    )


def fixtures_text(report: FixturesLoadReport, context: RenderContext) -> Iterator[str]:
    """Rows inserted and rows that were there."""
    yield fields_block([("file", [Ink(report.file)]), ("digest", [Ink(report.digest)])], context)
    yield flow([prose(f"{counted(report.created, 'row')} inserted, {report.unchanged:,} there already")], context)


def _drift(item: DriftItem) -> tuple[str, ...]:
    return (item.kind, item.table, item.column, item.expected, item.found)
