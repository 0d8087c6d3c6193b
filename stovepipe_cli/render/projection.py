"""Reports as rows: one projection a report type, shared by table, tsv, csv and ndjson so that they cannot drift."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import MappingProxyType

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

# Fields of a report whose items are lines of ndjson, with the kind of line; by name, so as to load none of them.
LINES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "DatabaseCheckReport": {"items": "item"},
        "HistoryReport": {"entries": "entry", "gaps": "gap", "marks": "mark"},
        "IssueReport": {"transitions": "transition"},
        "ListReport": {"items": "item"},
        "QueueReport": {"unfinished": "request"},
        "QueuesReport": {"queues": "queue-summary"},
        "RepairPlan": {"entries": "entry"},
        "RequestReport": {"builds": "build"},
        "RunReport": {"events": "event", "rows": "row"},
        "RunsReport": {"items": "item"},
        "VerifyReport": {"findings": "finding"},
    }
)


@dataclass(frozen=True, slots=True)
class Projection:
    """Named columns and the rows under them."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """What ndjson prints: items with their kind, read as they are printed, and the names of the fields they replace."""

    items: Iterable[tuple[str, JsonValue]]
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
        case reports.RunsReport() | reports.RunReport():
            return _of_runs(report)
        case _:
            row = _own_fields(report)
            columns, rows = tuple(row), (row,)
    return Projection(columns, rows)


def as_lines(report: Report) -> Lines:
    """The items that ndjson prints one a line."""
    kinds = LINES.get(type(report).__name__, {})
    # None stands for items that nobody asked for.
    given = [(kind, items) for field, kind in kinds.items() if (items := getattr(report, field)) is not None]
    return Lines(((kind, json_form(item)) for kind, items in given for item in items), frozenset(kinds))


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


def _of_runs(report: "reports.RunsReport | reports.RunReport") -> Projection:
    """Runs, or what was asked for of one: its rows, else its events, else itself."""
    if isinstance(report, reports.RunsReport):
        return _of_items(reports.RunItem, report.items)
    if report.rows is not None:
        return _of_items(reports.WrittenRow, report.rows)
    if report.events is not None:
        return _of_items(reports.EventView, report.events)
    row = _row(report)
    return Projection(tuple(row), (row,))


def _of_items(item_type: type[object], items: Sequence[object]) -> Projection:
    names = tuple(field.name for field in fields(item_type)) if is_dataclass(item_type) else ("value",)
    return Projection(names, tuple(_row(item) for item in items))


def _finding_row(finding: "reports.Finding") -> Row:
    return {**_row(finding), "table": finding.subject.table, "key": json_form(finding.subject.key)}


def _history_rows(report: "reports.HistoryReport") -> tuple[Row, ...]:
    """Entries with gaps in their place, and last the marks about anything that is not among the entries."""
    rows: list[Row] = []
    size = len(report.entries)
    gaps: dict[int, list[Row]] = {}
    for position, gap in zip(report.gap_positions, report.gaps, strict=True):
        gaps.setdefault(min(position, size), []).append(_mark_row(gap))
    marks: dict[str, list[reports.Mark]] = {}
    for mark in report.marks:
        marks.setdefault(mark.log_id, []).append(mark)
    for index, entry in enumerate(report.entries):
        rows.extend(gaps.get(index, ()))
        own = marks.pop(entry.log_id, ())
        codes = {"codes": ",".join(mark.code for mark in own), "message": "; ".join(mark.message for mark in own)}
        rows.append({**_row(entry), **codes})
    rows.extend(gaps.get(size, ()))
    rows.extend(_mark_row(mark) for rest in marks.values() for mark in rest)
    return tuple(rows)


def _issue_rows(report: "reports.IssueReport") -> tuple[Row, ...]:
    """A row a transition; one without a transition where there is none."""
    own = {name: value for name, value in _row(report).items() if name in ISSUE_COLUMNS}
    return tuple({**own, **_row(each)} for each in report.transitions) or (own,)


def _mark_row(mark: "reports.Mark") -> Row:
    return {"log_id": mark.log_id, "codes": mark.code, "message": mark.message}
