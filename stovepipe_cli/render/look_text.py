"""An issue, a request and a queue, for people."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from stovepipe_cli.entities import Queue, QueueSummary, RequestSummary
from stovepipe_cli.instants import format_age
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import IssueReport, QueueReport, RequestReport
from stovepipe_cli.reports.look import BuildItem

Field = tuple[str, Sequence[Chunk]]

_INDENT = 2
_MOST_ROWS = 20
_TONES: Mapping[str, Tone] = {"green": "good", "broken": "bad", "unknown": "warn"}


def issue_text(report: IssueReport, context: RenderContext) -> Iterator[str]:
    """Whether it is open, then its transitions by time."""
    state: list[Chunk] = [prose("not open", "good")]
    if report.first_seen_build_id is not None:
        seen = (prose("first seen in build", "faint"), Ink(report.first_seen_build_id))
        state = [Ink("open", "bad"), seen]
    unit: Chunk = Ink(report.unit_id) if report.unit_id else prose("the whole task", "faint")
    yield fields_block([("task", [Ink(report.task_id)]), ("unit", [unit]), ("state", state)], context)
    if report.transitions:
        yield "\n"
        rows = [(moment(each.timestamp_ms, context), each.event, each.build_id) for each in report.transitions]
        yield grid((f"time ({context.zone_name})", "event", "build"), rows, context)
    if not report.is_whole:
        sentence = f"only the first {len(report.transitions):,} by build were read; the newest may be among the others"
        yield flow([prose(sentence, "warn")], context)


def request_text(report: RequestReport, context: RenderContext) -> Iterator[str]:
    """The verdict of its commit, the request row, and what stands beside it."""
    request, fact = report.request, report.fact
    verdict: list[Chunk] = [Ink(report.verdict_of_commit, _TONES[report.verdict_of_commit])]
    if fact is None:
        verdict.append(prose("no repository fact", "faint"))
    else:
        verdict += [Ink(moment(fact.created_at_ms, context)), _named("by request", fact.request_id)]
    leads_to = prose("no request", "warn") if report.uri_request_id is None else Ink(report.uri_request_id)
    fields: list[Field] = [("request", [Ink(report.request_id, "strong")])]
    if request is None:
        fields.append(("state", [prose("no request row", "bad")]))
    else:
        fields += [
            ("uri", [Ink(request.uri)]),
            ("state", [Ink(request.state, "strong"), _named("version", str(request.version))]),
            ("strategy", _if(request.build_strategy)),
            ("base", _if(request.base_uri)),
            ("decided by", _if(request.terminal_build_id)),
        ]
    entries = prose("no history can be read", "warn") if report.entries is None else Ink(f"{report.entries:,}")
    fields += [
        ("commit is", verdict),
        ("commit leads to", [leads_to]),
        ("builds", [_build(build) for build in report.builds]),
        ("entries", [entries]),
        ("", [] if report.is_whole else [prose("there are more entries or builds than were read", "warn")]),
        *_summary_fields(report.summary, request.uri if request else None, context),
    ]
    yield fields_block(fields, context)


def queue_text(report: QueueReport, context: RenderContext) -> Iterator[str]:
    """The answer first, then what it rests on, and what disagrees last."""
    verdict = report.newest_verdict
    yield flow([prose(report.why, "strong" if verdict is None else _TONES[verdict.verdict])], context)
    yield "\n"
    fields = [*_bookmarks(report, context), *_rows_of_queue(report.coordination, report.summary, context)]
    yield fields_block(fields, context)
    yield "\n"
    yield from _unfinished(report, context)
    yield "\n"
    if report.disagreements:
        disagreements: list[Field] = [(each.code, [prose(each.message)]) for each in report.disagreements]
        yield flow([prose("what disagrees", "bad")], context)
        yield fields_block(disagreements, context, indent=_INDENT)
    else:
        yield flow([prose("nothing disagrees")], context)


def queue_hints(report: QueueReport) -> tuple[str, ...]:
    """Where to look next."""
    lines: list[str] = []
    if report.newest_verdict is not None and report.newest_verdict.verdict == "broken":
        lines.append(f"next: stovepipe facts list --uri {quote(report.newest_verdict.uri)}")
    if report.disagreements:
        lines.append("a write in progress can look like a disagreement: 'stovepipe verify' looks twice")
    return tuple(lines)


def _summary_fields(summary: RequestSummary | None, uri: str | None, context: RenderContext) -> list[Field]:
    if summary is None:
        return [("summary", [prose("no row", "warn")])]
    accepted = Ink(moment(summary.accepted_at_ms, context)) if summary.accepted_at_ms else prose("not known", "faint")
    fields: list[Field] = [
        ("summary", [Ink(summary.state), _named("of version", str(summary.request_version))]),
        ("", [Ink(summary.uri)] if summary.uri != uri else []),
        ("since", [Ink(moment(summary.state_timestamp_ms, context))]),
        ("accepted", [accepted]),
        ("outcome", _if(summary.outcome_reason)),
    ]
    if summary.project_results_completed_at_ms:
        counts = f"{counted(summary.project_fact_count, 'fact')}, {summary.broken_project_fact_count:,} broken"
        fields.append(("projects", [prose(counts), Ink(moment(summary.project_results_completed_at_ms, context))]))
    return fields


def _bookmarks(report: QueueReport, context: RenderContext) -> Iterator[Field]:
    if (green := report.last_green) is None:
        yield "last green", [prose("none", "faint")]
    else:
        yield "last green", [Ink(green.request_id or "-"), *_since(green.at_ms, green.age_ms, context)]
        yield "", _if(green.uri or "")
    if (newest := report.newest) is None:
        yield "newest", [prose("none", "faint")]
    else:
        accepted = _since(newest.accepted_at_ms, newest.age_ms, context)
        yield "newest", [Ink(newest.request_id), Ink(newest.state), *accepted]
        yield "", [Ink(newest.uri)]
    if (verdict := report.newest_verdict) is None:
        yield "newest verdict", [prose("none", "warn")]
    else:
        is_or_not = Ink(verdict.verdict, _TONES[verdict.verdict])
        yield "newest verdict", [Ink(verdict.request_id), is_or_not, *_since(verdict.at_ms, verdict.age_ms, context)]
    if (enablement := report.enablement) is not None:
        when = _since(enablement.since_ms, enablement.age_ms, context)
        yield "enablement", [Ink(enablement.state or "-"), _named("change", str(enablement.sequence)), *when]


def _rows_of_queue(row: Queue | None, summary: QueueSummary | None, context: RenderContext) -> Iterator[Field]:
    if row is None:
        yield "coordination", [prose("no row", "bad")]
    else:
        latest = [_named("latest", row.latest_request_id)] if row.latest_request_id else []
        load = _named("in flight", str(row.in_flight_count))
        yield "coordination", [load, *latest, _named("version", str(row.version))]
        if row.build_admission_not_before_ms:
            yield "", [_named("no build before", moment(row.build_admission_not_before_ms, context))]
    if summary is None:
        yield "queue summary", [prose("no row", "faint")]
    else:
        change = _named("change", str(summary.enablement_sequence))
        versions = (_named("projection", str(summary.projection_version)), _named("version", str(summary.version)))
        yield "queue summary", [Ink(summary.state), change, Ink(moment(summary.state_timestamp_ms, context)), *versions]


def _unfinished(report: QueueReport, context: RenderContext) -> Iterator[str]:
    among = "" if report.is_whole else f" among the newest {report.looked_back:,} numbers"
    if not report.unfinished:
        yield flow([prose(f"nothing is unfinished{among}")], context)
        return
    is_folded = context.is_terminal and len(report.unfinished) > _MOST_ROWS
    shown = report.unfinished[:_MOST_ROWS] if is_folded else report.unfinished
    rows = [
        (
            each.request_id,
            each.state,
            "-" if each.age_ms is None else format_age(each.age_ms),
            "-" if each.since_ms is None else moment(each.since_ms, context),
        )
        for each in shown
    ]
    yield grid(("unfinished", "state", "age", f"since ({context.zone_name})"), rows, context, right=("age",))
    counts = Counter(each.state for each in report.unfinished)
    tail = ", ".join(f"{number:,} {state}" for state, number in counts.items())
    rest = f"; the {len(shown)} oldest are shown, -o json has all" if is_folded else ""
    yield flow([prose(f"{tail}{among}{rest}", "faint")], context)


def _since(at_ms: int | None, age_ms: int | None, context: RenderContext) -> list[Chunk]:
    if at_ms is None or age_ms is None:
        return []
    return [prose(f"{format_age(age_ms)} ago"), (Ink(moment(at_ms, context)), Ink(context.zone_name, "faint"))]


def _named(name: str, value: str) -> Chunk:
    return (prose(name, "faint"), Ink(value))


def _if(value: str) -> list[Chunk]:
    return [Ink(value)] if value else []


def _build(build: BuildItem) -> Chunk:
    return (Ink(build.id), prose("has no row", "bad") if build.status is None else Ink(build.status, "faint"))
