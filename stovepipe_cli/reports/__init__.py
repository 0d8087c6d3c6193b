"""Frozen results that logic returns and render shows. Field names are the keys of the JSON document."""

from stovepipe_cli.reports.backfill import BackfillReport
from stovepipe_cli.reports.base import Report, Verdict
from stovepipe_cli.reports.database import DatabaseCheckReport, DatabaseInitReport, DatabasePingReport, DriftItem
from stovepipe_cli.reports.demo import DemoReport, Explained
from stovepipe_cli.reports.finding import Finding, Read, Severity, Subject
from stovepipe_cli.reports.fixtures import FixturesLoadReport
from stovepipe_cli.reports.history import HistoryEntry, HistoryReport, Mark, RequestView
from stovepipe_cli.reports.json_form import JsonValue, canonical_json, json_form
from stovepipe_cli.reports.listing import ListReport, OpenIssueItem, QueueItem, SettingItem
from stovepipe_cli.reports.repair import ApplyReport, Evidence, PlanEntry, PlanTarget, Receipt, RepairPlan, Written
from stovepipe_cli.reports.verify import Coverage, VerifyReport

__all__ = [
    "ApplyReport",
    "BackfillReport",
    "Coverage",
    "DatabaseCheckReport",
    "DatabaseInitReport",
    "DatabasePingReport",
    "DemoReport",
    "DriftItem",
    "Evidence",
    "Explained",
    "Finding",
    "FixturesLoadReport",
    "HistoryEntry",
    "HistoryReport",
    "JsonValue",
    "ListReport",
    "Mark",
    "OpenIssueItem",
    "PlanEntry",
    "PlanTarget",
    "QueueItem",
    "Read",
    "Receipt",
    "RepairPlan",
    "Report",
    "RequestView",
    "SettingItem",
    "Severity",
    "Subject",
    "Verdict",
    "VerifyReport",
    "Written",
    "canonical_json",
    "json_form",
]
