"""What stands above and below a timeline: the request, when it began and ended, and the legend."""

from collections.abc import Iterator, Sequence

from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.instants import format_age
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, sentence
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import ago, counted, moment
from stovepipe_cli.reports import HistoryEntry, HistoryReport, RequestView


def head(report: HistoryReport, context: RenderContext) -> str:
    """The request row and its times."""
    return fields_block(
        [
            ("request", [Ink(report.request_id, "strong")]),
            ("queue", [Ink(context.queue)] if context.queue else []),
            ("uri", [Ink(report.uri)] if report.uri else []),
            *_request_fields(report.request),
            *_times(report, context),
        ],
        context,
    )


def legend(report: HistoryReport, context: RenderContext) -> str:
    """Counts, the zone, and what the signs before a length of time mean."""
    parts = [counted(report.total, "entry", "entries")]
    if report.folded:
        parts[0] += f" ({report.folded:,} folded, --all shows each)"
    if report.gaps:
        parts.append(f"{len(report.gaps):,} missing")
    if report.remarks:
        parts.append(counted(report.remarks, "remark"))
    text = f"{', '.join(parts)}; times in {context.zone_name}, + since the entry before"
    return sentence(prose(text, "faint"), context)


def _request_fields(request: RequestView | None) -> list[tuple[str, Sequence[Chunk]]]:
    if request is None:
        return [("state", [prose("unknown: there is no such request row", "warn")])]
    strategy: list[Chunk] = [Ink(request.build_strategy)] if request.build_strategy else [Ink("not chosen", "faint")]
    if request.base_uri:
        strategy.append((Ink("from", "faint"), Ink(request.base_uri)))
    build = request.terminal_build_id
    return [
        ("state", [Ink(request.state, "strong"), (Ink("version", "faint"), Ink(str(request.version)))]),
        ("strategy", strategy),
        ("decided by", [(Ink("build", "faint"), Ink(build))] if build else []),
    ]


def _times(report: HistoryReport, context: RenderContext) -> Iterator[tuple[str, Sequence[Chunk]]]:
    """When it was accepted and when it ended, as far as entries tell; of one under way, when it last moved."""
    states = [entry for entry in report.entries if entry.state]
    accepted = next((entry for entry in states if entry.state == "accepted" and entry.request_version == 1), None)
    if accepted is not None:
        yield "accepted", _at(accepted, context)
    request = report.request
    if request is None or not report.entries:
        return
    if request.state in TERMINAL_STATES:
        end = next(
            (each for each in states if (each.state, each.request_version) == (request.state, request.version)), None
        )
        if end is not None:
            took = end.timestamp_ms - accepted.timestamp_ms if accepted is not None else -1
            after = [(Ink("after", "faint"), Ink(format_age(took)))] if took >= 0 else []
            yield "ended", [*_at(end, context), *after]
        return
    yield "last entry", _at(max(report.entries, key=lambda entry: entry.timestamp_ms), context)


def _at(entry: HistoryEntry, context: RenderContext) -> list[Chunk]:
    age = ago(entry.timestamp_ms, context)
    return [Ink(moment(entry.timestamp_ms, context)), *([prose(age, "faint")] if age else [])]
