"""Reports as rows: one projection a report type, shared by table, tsv, csv and ndjson so that they cannot drift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

from stovepipe_cli import reports
from stovepipe_cli.reports import JsonValue, Report, canonical_json, json_form

Row = Mapping[str, JsonValue]

FINDING_COLUMNS: tuple[str, ...] = (
    "severity",
    "code",
    "request_id",
    "message",
    "repair",
    "name",
    "table",
    "key",
    "expected",
    "found",
    "id",
)
HISTORY_COLUMNS: tuple[str, ...] = (
    "time",
    "log_id",
    "state",
    "event",
    "request_version",
    "outcome_reason",
    "metadata",
    "codes",
    "message",
    "timestamp_ms",
)
ISSUE_COLUMNS: tuple[str, ...] = (
    "task_id",
    "unit_id",
    "first_seen_build_id",
    "event",
    "build_id",
    "time",
    "timestamp_ms",
)
PLAN_COLUMNS: tuple[str, ...] = (
    "status",
    "action",
    "code",
    "request_id",
    "log_id",
    "timestamp_source",
    "reason",
    "entry",
    "before",
    "evidence",
)


@dataclass(frozen=True, slots=True)
class Projection:
    """Named columns and the rows under them."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """What ndjson prints: items with their kind, and the names of the report's fields that they replace."""

    items: tuple[tuple[str, JsonValue], ...]
    replaced: frozenset[str]


def project(report: Report) -> Projection:
    """The rows of a report; a report without rows of its own is one row of its fields."""
    match report:
        case reports.HistoryReport():
            columns, rows = HISTORY_COLUMNS, _history_rows(report)
        case reports.ListReport():
            return _of_items(report.item_type, report.items)
        case reports.DatabaseCheckReport():
            return _of_items(reports.DriftItem, report.items)
        case reports.QueuesReport():
            return _of_items(reports.QueueVerdict, report.queues)
        case reports.VerifyReport():
            columns, rows = FINDING_COLUMNS, tuple(_finding_row(finding) for finding in report.findings)
        case reports.DemoReport():
            columns = (*FINDING_COLUMNS, "why")
            rows = tuple({**_finding_row(each.finding), "why": each.why} for each in report.left)
        case reports.IssueReport():
            columns, rows = ISSUE_COLUMNS, _issue_rows(report)
        case reports.RepairPlan():
            columns, rows = PLAN_COLUMNS, tuple(_row(entry) for entry in report.entries)
        case _:
            row = _own_fields(report)
            columns, rows = tuple(row), (row,)
    return Projection(columns, rows)


def as_lines(report: Report) -> Lines:
    """The items that ndjson prints one a line."""
    match report:
        case reports.HistoryReport():
            entries = [("entry", json_form(entry)) for entry in report.entries]
            gaps = [("gap", json_form(gap)) for gap in report.gaps]
            marks = [("mark", json_form(mark)) for mark in report.marks]
            return Lines(tuple(entries + gaps + marks), frozenset({"entries", "gaps", "marks"}))
        case reports.ListReport() | reports.DatabaseCheckReport():
            kind, items = "item", "items"
        case reports.VerifyReport():
            kind, items = "finding", "findings"
        case reports.QueuesReport():
            kind, items = "queue-summary", "queues"
        case reports.RepairPlan():
            kind, items = "entry", "entries"
        case reports.IssueReport():
            kind, items = "transition", "transitions"
        case reports.RequestReport():
            kind, items = "build", "builds"
        case reports.QueueReport():
            kind, items = "request", "unfinished"
        case _:
            return Lines((), frozenset())
    return Lines(tuple((kind, json_form(item)) for item in getattr(report, items)), frozenset({items}))


def cell(value: JsonValue) -> str:
    """A value as the text of one cell, before it is made visible."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Mapping) and tuple(value) == ("base64",):
        return f"base64:{value['base64']}"
    return canonical_json(value) if value else ""


def _row(value: object) -> Row:
    form = json_form(value)
    if not isinstance(form, Mapping):
        message = f"{type(value).__name__} has no fields"
        raise TypeError(message)
    return dict(form)


def _own_fields(report: Report) -> Row:
    row = _row(report)
    if isinstance(report, reports.ApplyReport):
        receipt = {"receipt": report.receipt.path, "remaining_findings": len(report.remaining_findings)}
        return {**row, **receipt}
    return row


def _of_items(item_type: type[object], items: Sequence[object]) -> Projection:
    names = tuple(field.name for field in fields(item_type)) if is_dataclass(item_type) else ("value",)
    return Projection(names, tuple(_row(item) for item in items))


def _finding_row(finding: "reports.Finding") -> Row:
    return {**_row(finding), "table": finding.subject.table, "key": json_form(finding.subject.key)}


def _history_rows(report: "reports.HistoryReport") -> tuple[Row, ...]:
    rows: list[Row] = []
    gaps = list(zip(report.gap_positions, report.gaps, strict=True))
    for index, entry in enumerate(report.entries):
        rows.extend(_gap_row(gap.code, gap.log_id, gap.message) for position, gap in gaps if position == index)
        marks = [mark for mark in report.marks if mark.log_id == entry.log_id]
        rows.append(
            {
                **_row(entry),
                "codes": ",".join(mark.code for mark in marks),
                "message": "; ".join(mark.message for mark in marks),
            }
        )
    end = len(report.entries)
    rows.extend(_gap_row(gap.code, gap.log_id, gap.message) for position, gap in gaps if position >= end)
    return tuple(rows)


def _issue_rows(report: "reports.IssueReport") -> tuple[Row, ...]:
    """A row a transition; one without a transition where there is none."""
    own = {name: value for name, value in _row(report).items() if name in ISSUE_COLUMNS}
    return tuple({**own, **_row(each)} for each in report.transitions) or (own,)


def _gap_row(code: str, log_id: str, message: str) -> Row:
    return {"log_id": log_id, "codes": code, "message": message}
