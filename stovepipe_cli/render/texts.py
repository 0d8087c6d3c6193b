"""Which text and which hints belong to which kind of report; the module of a text is loaded when one is written."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from stovepipe_cli import reports
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.history_hints import history_hints
from stovepipe_cli.reports import Report

# Each function takes the kind of report that it stands beside, which the key cannot tell the type checker.
_Text = Callable[[Any, RenderContext], Iterator[str]]
_Hints = Callable[[Any], tuple[str, ...]]

# Classes and functions by name, since to name them otherwise is to load them all.
TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "ApplyReport": "apply_text.apply_text",
        "BackfillReport": "apply_text.backfill_text",
        "CompletionReport": "plain_text.completion_text",
        "DatabaseCheckReport": "database_text.check_text",
        "DatabaseInitReport": "database_text.init_text",
        "DatabasePingReport": "database_text.ping_text",
        "DemoReport": "demo_text.demo_text",
        "FixturesCheckReport": "fixtures_text.check_text",
        "FixturesDumpReport": "fixtures_text.dump_text",
        "FixturesLoadReport": "database_text.fixtures_text",
        "HistoryReport": "timeline.timeline",
        "IssueReport": "look_text.issue_text",
        "LedgerCheckReport": "ledger_text.check_text",
        "LedgerInitReport": "ledger_text.init_text",
        "LedgerPruneReport": "ledger_text.prune_text",
        "LedgerUpgradeReport": "ledger_text.upgrade_text",
        "ListReport": "listing_text.listing_text",
        "QueueReport": "look_text.queue_text",
        "QueuesReport": "queues_text.queues_text",
        "RepairPlan": "plan_text.plan_text",
        "RequestReport": "look_text.request_text",
        "RunChangeReport": "runs_text.change_text",
        "RunReport": "runs_text.run_text",
        "RunUndoReport": "runs_text.undo_text",
        "RunsReport": "runs_text.runs_text",
        "SchemaReport": "plain_text.schema_text",
        "VerifyReport": "verify_text.verify_text",
    }
)
_OF_FIELDS = "fields.fields_text"
HINTS: Mapping[str, str] = MappingProxyType(
    {
        "ApplyReport": "apply_text.apply_hints",
        "BackfillReport": "apply_text.backfill_hints",
        "DemoReport": "demo_text.demo_hints",
        "LedgerPruneReport": "ledger_text.prune_hints",
        "ListReport": "listing_text.listing_hints",
        "QueueReport": "look_text.queue_hints",
        "QueuesReport": "queues_text.queues_hints",
        "RepairPlan": "plan_text.plan_hints",
        "RunReport": "runs_text.run_hints",
        "RunUndoReport": "runs_text.undo_hints",
        "RunsReport": "runs_text.runs_hints",
        "VerifyReport": "verify_text.verify_hints",
    }
)


def text_of(report: Report, context: RenderContext) -> Iterator[str]:
    """The answer for people; a kind of report without a text of its own is its fields, one under the other."""
    text: _Text = _named(TEXTS.get(type(report).__name__, _OF_FIELDS))
    return text(report, context)


def hints_of(report: Report, context: RenderContext) -> tuple[str, ...]:
    """What to do next, a line each."""
    if isinstance(report, reports.HistoryReport):
        return history_hints(report, context)
    place = HINTS.get(type(report).__name__)
    if place is None:
        return ()
    lines: _Hints = _named(place)
    return lines(report)


def _named(place: str) -> Any:  # noqa: ANN401 - what the caller's annotation says
    module, _, name = place.partition(".")
    return getattr(import_module(f"stovepipe_cli.render.{module}"), name)
