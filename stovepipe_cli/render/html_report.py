"""A verify as one HTML file: verdict, coverage, counts, and each finding with the timeline of its request."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.html_page import bars, fields, page, table, text
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.verify_text import severity_counts
from stovepipe_cli.reports import Finding, HistoryReport, Mark, VerifyReport

# Entries of one timeline; more would drown the rest of the page.
MOST_ENTRIES = 200


def html_text(runs: Sequence[AuditRun], context: RenderContext) -> str:
    """The document; a section a queue."""
    names = ", ".join(run.queue for run in runs) if len(runs) == 1 else counted(len(runs), "queue")
    return page(f"stovepipe verify: {names}", _body(runs, context))


def _body(runs: Sequence[AuditRun], context: RenderContext) -> Iterator[str]:
    yield "<h1>stovepipe verify</h1>"
    target = context.target
    if target is not None:
        profile, server = target.profile or "", target.server_version or ""
        asked = [("profile", profile), ("host", target.host), ("database", target.database), ("server", server)]
        yield fields(asked)
    if len(runs) > 1:
        rows = [(run.queue, run.verdict, sum(run.report.counts.values()) if run.report else 0) for run in runs]
        yield table(("queue", "verdict", "findings"), rows)
    for place, run in enumerate(runs):
        yield from _run(run, f"q{place}", context)


def _run(run: AuditRun, anchor: str, context: RenderContext) -> Iterator[str]:
    yield f'<h2>{text(run.queue)} <span class="badge {run.verdict}">{run.verdict}</span></h2>'
    report = run.report
    if report is None:
        error = run.error
        yield fields(
            [
                ("time", moment(run.at_ms, context)),
                ("scope", run.scope),
                ("error", error.message if error else "it did not finish"),
                ("hint", (error.hint or "") if error else ""),
            ]
        )
        return
    yield fields(_account(run, report, context))
    yield "<h3>What was read</h3>"
    yield table(
        ("pass", "checked", "skipped", "table"),
        [(name, part.checked, part.skipped, "absent" if part.absent else "") for name, part in report.coverage.items()],
    )
    if not report.counts:
        return
    yield "<h3>Findings by rule</h3>"
    counts = [(f"{code} {RULES[code].name}", RULES[code].severity, count) for code, count in report.counts.items()]
    yield bars("Findings by rule", counts)
    yield "<h3>Findings</h3>"
    yield from _findings(run, report, anchor, context)


def _account(run: AuditRun, report: VerifyReport, context: RenderContext) -> list[tuple[str, str]]:
    known = sum(report.known.values())
    legacy = counted(report.legacy_requests, "request")
    return [
        ("time", moment(run.at_ms, context)),
        ("run", report.run_id or ""),
        ("scope", run.scope or "the whole queue"),
        ("found", severity_counts(report.severities) or "nothing"),
        ("known", f"{known:,} of them are expected by the baseline" if known else ""),
        ("pending", f"{report.pending:,} about steps too young to judge" if report.pending else ""),
        ("legacy", f"{legacy} from before history" if report.legacy_requests else ""),
        *[("note", note) for note in report.notes if note not in report.blocking],
        *[("incomplete", reason) for reason in report.blocking],
    ]


def _findings(run: AuditRun, report: VerifyReport, anchor: str, context: RenderContext) -> Iterator[str]:
    timelines = {each.request_id: each for each in run.timelines}
    told: dict[str, str] = {}
    for code, group in groupby(report.findings, key=lambda finding: finding.code):
        members = list(group)
        total = report.counts.get(code, len(members))
        rule = RULES[code]
        yield f'<details open><summary><b class="s-{rule.severity}">{code}</b> {text(rule.name)}, {total:,}</summary>'
        yield f'<p class="faint">{text(rule.explanation)}</p>'
        for finding in members:
            yield from _finding(finding, report, context)
            yield from _timeline_of(finding, timelines, told, anchor, context)
            yield "</details>"
        if total > len(members):
            yield f"<p>{total - len(members):,} more are not listed here.</p>"
        yield "</details>"


def _finding(finding: Finding, report: VerifyReport, context: RenderContext) -> Iterator[str]:
    known = report.known_findings.get(finding.id, "")
    yield f"<details><summary>{text(finding.message)}{' <i>(known)</i>' if known else ''}</summary>"
    yield fields(
        [
            ("request", finding.request_id or ""),
            ("subject", f"{finding.subject.table} {cell({**finding.subject.key})}"),
            ("expected", cell(finding.expected)),
            ("found", cell(finding.found)),
            *[(f"read {moment(each.at_ms, context)}", cell(each.found)) for each in finding.reads],
            ("known because", known),
            ("repair", finding.repair or ""),
            ("id", finding.id),
        ]
    )


def _timeline_of(
    finding: Finding,
    timelines: Mapping[str, HistoryReport],
    told: dict[str, str],
    anchor: str,
    context: RenderContext,
) -> Iterator[str]:
    """The timeline of the finding's request, the first time; later a link to it."""
    history = timelines.get(finding.request_id or "")
    if history is None:
        return
    if history.request_id in told:
        yield f'<p><a href="#{told[history.request_id]}">timeline of this request: above</a></p>'
        return
    place = told[history.request_id] = f"{anchor}-{len(told)}"
    yield f'<h4 id="{place}">Timeline of {text(history.request_id)}</h4>'
    yield '<table class="timeline"><thead><tr><th>time</th><th>entry</th><th>what</th></tr></thead><tbody>'
    yield from _entries(history, context)
    yield "</tbody></table>"


def _entries(history: HistoryReport, context: RenderContext) -> Iterator[str]:
    marks: dict[str, list[Mark]] = {}
    for mark in history.marks:
        marks.setdefault(mark.log_id, []).append(mark)
    gaps: dict[int, list[Mark]] = {}
    for position, gap in zip(history.gap_positions, history.gaps, strict=True):
        gaps.setdefault(position, []).append(gap)
    for place, entry in enumerate(history.entries[:MOST_ENTRIES]):
        yield from (_remark("gap", gap) for gap in gaps.pop(place, ()))
        words = [entry.state or entry.event]
        if entry.outcome_reason:
            words.append(entry.outcome_reason)
        metadata = entry.metadata if isinstance(entry.metadata, str) else cell({**entry.metadata})
        yield _row("", moment(entry.timestamp_ms, context), entry.log_id, " ".join([*words, metadata]).strip())
        yield from (_remark("mark", mark) for mark in marks.pop(entry.log_id, ()))
    if len(history.entries) > MOST_ENTRIES:
        yield _row("", "", "", f"and {len(history.entries) - MOST_ENTRIES:,} more entries")
    yield from (_remark("gap", gap) for rest in gaps.values() for gap in rest)
    yield from (_remark("mark", mark) for mark in marks.get("", ()))


def _remark(kind: str, mark: Mark) -> str:
    return _row(kind, "missing" if kind == "gap" else "", mark.log_id, f"{mark.code} {mark.message}")


def _row(kind: str, *values: str) -> str:
    cells = "".join(f'<td class="v">{text(value)}</td>' for value in values)
    return f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>"
