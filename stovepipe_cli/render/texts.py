"""Which text and which hints belong to which kind of report."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from stovepipe_cli.render.apply_text import apply_hints, apply_text, backfill_hints, backfill_text
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.database_text import check_text, fixtures_text, init_text, ping_text
from stovepipe_cli.render.demo_text import demo_hints, demo_text
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.ink import prose
from stovepipe_cli.render.listing_text import listing_hints, listing_text
from stovepipe_cli.render.plan_text import plan_hints, plan_text
from stovepipe_cli.render.projection import cell, project
from stovepipe_cli.render.timeline import timeline, timeline_hints
from stovepipe_cli.render.verify_text import verify_hints, verify_text
from stovepipe_cli.reports import (
    ApplyReport,
    BackfillReport,
    DatabaseCheckReport,
    DatabaseInitReport,
    DatabasePingReport,
    DemoReport,
    FixturesLoadReport,
    HistoryReport,
    ListReport,
    RepairPlan,
    Report,
    VerifyReport,
)

# Each function takes the kind of report that it stands beside, which the key cannot tell the type checker.
_Text = Callable[[Any, RenderContext], Iterator[str]]
_Hints = Callable[[Any], tuple[str, ...]]

_TEXTS: Mapping[type[Report], _Text] = MappingProxyType(
    {
        ApplyReport: apply_text,
        BackfillReport: backfill_text,
        DatabaseCheckReport: check_text,
        DatabaseInitReport: init_text,
        DatabasePingReport: ping_text,
        DemoReport: demo_text,
        FixturesLoadReport: fixtures_text,
        HistoryReport: timeline,
        ListReport: listing_text,
        RepairPlan: plan_text,
        VerifyReport: verify_text,
    }
)
_HINTS: Mapping[type[Report], _Hints] = MappingProxyType(
    {
        ApplyReport: apply_hints,
        BackfillReport: backfill_hints,
        DemoReport: demo_hints,
        ListReport: listing_hints,
        RepairPlan: plan_hints,
        VerifyReport: verify_hints,
    }
)


def text_of(report: Report, context: RenderContext) -> Iterator[str]:
    """The answer for people; a kind of report without a text of its own is its fields, one under the other."""
    text = _TEXTS.get(type(report))
    if text:
        return text(report, context)
    rows = project(report)
    return (fields_block([(name, [prose(cell(row[name]))]) for name in rows.columns], context) for row in rows.rows)


def hints_of(report: Report, context: RenderContext) -> tuple[str, ...]:
    """What to do next, a line each."""
    if isinstance(report, HistoryReport):
        return timeline_hints(report, context)
    lines = _HINTS.get(type(report))
    return lines(report) if lines else ()
