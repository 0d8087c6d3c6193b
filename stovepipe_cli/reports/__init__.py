"""Frozen results that logic returns and render shows. Field names are the keys of the JSON document.

A kind of report is loaded when one of its names is first used, so that a command pays for its own answer alone.
"""

from typing import TYPE_CHECKING

from stovepipe_cli.late_names import late_names
from stovepipe_cli.reports.base import Report, Verdict
from stovepipe_cli.reports.json_form import JsonValue, canonical_json, json_form

if TYPE_CHECKING:
    from stovepipe_cli.reports.backfill import BackfillReport
    from stovepipe_cli.reports.completion import CompletionReport
    from stovepipe_cli.reports.database import DatabaseCheckReport, DatabaseInitReport, DatabasePingReport, DriftItem
    from stovepipe_cli.reports.demo import DemoReport, Explained
    from stovepipe_cli.reports.finding import Finding, Read, Severity, Subject
    from stovepipe_cli.reports.fixtures import (
        FixturesCheckReport,
        FixturesDumpReport,
        FixturesGenerateReport,
        FixturesLoadReport,
    )
    from stovepipe_cli.reports.history import Fold, HistoryEntry, HistoryReport, Mark, RequestView
    from stovepipe_cli.reports.ledger import (
        LedgerCheckReport,
        LedgerInitReport,
        LedgerPruneReport,
        LedgerUpgradeReport,
    )
    from stovepipe_cli.reports.listing import ListReport, OpenIssueItem, QueueItem, SettingItem
    from stovepipe_cli.reports.look import IssueReport, QueueReport, RequestReport
    from stovepipe_cli.reports.queues import QueuesReport, QueueVerdict, worst_of
    from stovepipe_cli.reports.repair import ApplyReport, Evidence, PlanEntry, PlanTarget, Receipt, RepairPlan, Written
    from stovepipe_cli.reports.runs import (
        EventView,
        RunChangeReport,
        RunItem,
        RunReport,
        RunsReport,
        RunUndoReport,
        WrittenRow,
    )
    from stovepipe_cli.reports.schema import SchemaItem, SchemaReport
    from stovepipe_cli.reports.verify import Coverage, VerifyReport
else:
    __getattr__ = late_names(
        __name__,
        {
            "backfill": ("BackfillReport",),
            "completion": ("CompletionReport",),
            "database": ("DatabaseCheckReport", "DatabaseInitReport", "DatabasePingReport", "DriftItem"),
            "demo": ("DemoReport", "Explained"),
            "finding": ("Finding", "Read", "Severity", "Subject"),
            "fixtures": ("FixturesCheckReport", "FixturesDumpReport", "FixturesGenerateReport", "FixturesLoadReport"),
            "history": ("Fold", "HistoryEntry", "HistoryReport", "Mark", "RequestView"),
            "ledger": ("LedgerCheckReport", "LedgerInitReport", "LedgerPruneReport", "LedgerUpgradeReport"),
            "listing": ("ListReport", "OpenIssueItem", "QueueItem", "SettingItem"),
            "look": ("IssueReport", "QueueReport", "RequestReport"),
            "queues": ("QueuesReport", "QueueVerdict", "worst_of"),
            "repair": ("ApplyReport", "Evidence", "PlanEntry", "PlanTarget", "Receipt", "RepairPlan", "Written"),
            "runs": (
                "EventView",
                "RunChangeReport",
                "RunItem",
                "RunReport",
                "RunUndoReport",
                "RunsReport",
                "WrittenRow",
            ),
            "schema": ("SchemaItem", "SchemaReport"),
            "verify": ("Coverage", "VerifyReport"),
        },
    )

__all__ = [
    "ApplyReport",
    "BackfillReport",
    "CompletionReport",
    "Coverage",
    "DatabaseCheckReport",
    "DatabaseInitReport",
    "DatabasePingReport",
    "DemoReport",
    "DriftItem",
    "EventView",
    "Evidence",
    "Explained",
    "Finding",
    "FixturesCheckReport",
    "FixturesDumpReport",
    "FixturesGenerateReport",
    "FixturesLoadReport",
    "Fold",
    "HistoryEntry",
    "HistoryReport",
    "IssueReport",
    "JsonValue",
    "LedgerCheckReport",
    "LedgerInitReport",
    "LedgerPruneReport",
    "LedgerUpgradeReport",
    "ListReport",
    "Mark",
    "OpenIssueItem",
    "PlanEntry",
    "PlanTarget",
    "QueueItem",
    "QueueReport",
    "QueueVerdict",
    "QueuesReport",
    "Read",
    "Receipt",
    "RepairPlan",
    "Report",
    "RequestReport",
    "RequestView",
    "RunChangeReport",
    "RunItem",
    "RunReport",
    "RunUndoReport",
    "RunsReport",
    "SchemaItem",
    "SchemaReport",
    "SettingItem",
    "Severity",
    "Subject",
    "Verdict",
    "VerifyReport",
    "Written",
    "WrittenRow",
    "canonical_json",
    "json_form",
    "worst_of",
]
