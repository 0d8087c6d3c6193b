"""An issue, a request and a queue, for people."""

from collections.abc import Iterator, Mapping

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import moment
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import IssueReport, JsonValue, QueueReport, RequestReport

_MS = "_ms"
_TONES: Mapping[str, Tone] = {"green": "good", "broken": "bad", "unknown": "warn"}


def issue_text(report: IssueReport, context: RenderContext) -> Iterator[str]:
    """Whether it is open, then its transitions by time."""
    state = (
        [Ink("not open")]
        if report.first_seen_build_id is None
        else [Ink("open", "bad"), Ink(f"first seen in build {report.first_seen_build_id}")]
    )
    yield fields_block(
        [
            ("task", [Ink(report.task_id)]),
            ("unit", [Ink(report.unit_id)] if report.unit_id else [prose("(the whole task)", "faint")]),
            ("state", state),
        ],
        context,
    )
    if report.transitions:
        yield "\n"
        rows = [(moment(each.timestamp_ms, context), each.event, each.build_id) for each in report.transitions]
        yield grid((f"time ({context.zone_name})", "event", "build"), rows, context)
    if not report.is_whole:
        yield flow([prose("there are more transitions than these")], context)


def request_text(report: RequestReport, context: RenderContext) -> Iterator[str]:
    """The request row, what stands beside it, and the verdict of its commit."""
    request = report.request
    fields: list[tuple[str, list[Chunk]]] = [("request", [Ink(report.request_id, "strong")])]
    if request is None:
        fields.append(("state", [Ink("no request row", "bad")]))
    else:
        fields += [
            ("uri", [Ink(request.uri)]),
            ("state", [Ink(request.state, "strong"), Ink(f"version {request.version}")]),
            ("strategy", [Ink(request.build_strategy)] if request.build_strategy else []),
            ("base", [Ink(request.base_uri)] if request.base_uri else []),
            ("decided by", [Ink(request.terminal_build_id)] if request.terminal_build_id else []),
        ]
    fields += [
        ("commit", [Ink(report.verdict_of_commit, _TONES[report.verdict_of_commit])]),
        ("commit leads to", [Ink(report.uri_request_id or "no request")]),
        ("builds", [Ink(f"{build.id} {build.status}") for build in report.builds]),
        ("entries", [Ink(str(report.entries))]),
    ]
    yield fields_block(fields, context)
    yield "\n"
    yield from _section("summary", report.summary, context)


def queue_text(report: QueueReport, context: RenderContext) -> Iterator[str]:
    """The answer first, then what it rests on, and what disagrees last."""
    yield flow([prose(report.why, "strong")], context)
    yield "\n"
    yield fields_block(
        [
            ("last green", _request_at(report.last_green_request_id, report.last_green_at_ms, context)),
            ("", [Ink(report.last_green_uri)] if report.last_green_uri else []),
            ("newest", _request_at(report.newest_request_id, report.newest_accepted_at_ms, context)),
            ("", [Ink(report.newest_state)] if report.newest_state else []),
            (
                "newest verdict",
                [
                    Ink(report.newest_verdict, _TONES[report.newest_verdict]),
                    *([Ink(report.newest_verdict_request_id)] if report.newest_verdict_request_id else []),
                ],
            ),
        ],
        context,
    )
    yield "\n"
    if report.unfinished:
        rows = [
            (each.request_id, each.state, "-" if each.since_ms is None else moment(each.since_ms, context))
            for each in report.unfinished
        ]
        yield grid(("unfinished", "state", f"since ({context.zone_name})"), rows, context)
    else:
        yield flow([prose(f"nothing is unfinished among the newest {report.looked_back} numbers")], context)
    yield "\n"
    yield from _section("coordination", report.coordination, context)
    yield from _section("queue summary", report.summary, context)
    for each in report.disagreements:
        yield flow([Ink("disagrees", "bad"), prose(each)], context, hang=11)
    if not report.disagreements:
        yield flow([prose("nothing disagrees")], context)


def _request_at(request_id: str | None, at_ms: int | None, context: RenderContext) -> list[Chunk]:
    if request_id is None:
        return [prose("none on record", "faint")]
    return [Ink(request_id), *([] if at_ms is None else [Ink(moment(at_ms, context))])]


def _section(title: str, values: Mapping[str, JsonValue] | None, context: RenderContext) -> Iterator[str]:
    if values is None:
        yield flow([Ink(title, "faint"), prose("no row")], context)
        return
    yield flow([Ink(title, "strong")], context)
    shown: list[tuple[str, list[Chunk]]] = []
    for name, value in values.items():
        is_time = name.endswith(_MS) and isinstance(value, int) and value > 0
        text = moment(value, context) if is_time and isinstance(value, int) else cell(value)
        shown.append((name.removesuffix(_MS) if is_time else name, [Ink(text or "-")]))
    yield fields_block(shown, context, indent=2)
    yield "\n"
