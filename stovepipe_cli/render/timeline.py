"""A request's history as a timeline: what is retained, and in place what is missing or contradictory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from stovepipe_cli.instants import format_age
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import NARROW, Chunk, sentence
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import counted, day_and_time, moment
from stovepipe_cli.render.timeline_entry import (
    Clock,
    Columns,
    are_alike,
    details_of,
    entry_lines,
    gap_lines,
    is_brief,
    mark_lines,
    name_cells,
    run_details,
)
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark, RequestView

_ROOMY = 120
_SHORTEST_RUN = 5
_REPAIRED = "repaired"


def timeline(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    """The request, its entries and gaps in the report's order, and the legend with the zone."""
    yield _head(report, context)
    yield "\n"
    yield from _rows(report, context)
    yield "\n"
    yield _legend(report, context)


def _head(report: HistoryReport, context: RenderContext) -> str:
    return fields_block(
        [
            ("request", [Ink(report.request_id, "strong")]),
            ("queue", [Ink(context.queue)] if context.queue else []),
            ("uri", [Ink(report.uri)] if report.uri else []),
            *_request_fields(report.request),
        ],
        context,
    )


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


def _rows(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    entries = report.entries
    clock = _clock(entries, context)
    columns = _columns(entries, clock, context)
    gaps: defaultdict[int, list[Mark]] = defaultdict(list)
    for position, gap in zip(report.gap_positions, report.gaps, strict=True):
        gaps[min(position, len(entries))].append(_in_place(gap, report.request_id, context))
    marks: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in _remarks(report):
        marks[mark.log_id].append(_in_place(mark, report.request_id, context))
    base_uri = report.request.base_uri if report.request else None
    day = clock[0].day if clock else ""
    if day:
        yield sentence(Ink(day, "faint"), context)
    index = 0
    while index < len(entries):
        entry = entries[index]
        yield from (gap_lines(gap, columns, context) for gap in gaps.get(index, ()))
        if clock[index].day != day:
            day = clock[index].day
            yield sentence(Ink(day, "faint"), context)
        run = _run_length(entries, index, gaps, marks) if is_brief(context) else 1
        last = entries[index + run - 1]
        details = details_of(entry, base_uri, context) if run == 1 else run_details(entry, last, run, context)
        yield entry_lines(entry, clock[index], tuple(details), columns, context)
        yield from (mark_lines(mark, entry, columns, context) for mark in marks.pop(entry.log_id, ()))
        index += run
    if not entries:
        yield sentence(prose("no entry is retained", "warn"), context)
    yield from (gap_lines(gap, columns, context) for gap in gaps.get(len(entries), ()))
    yield from (mark_lines(mark, None, columns, context) for rest in marks.values() for mark in rest)


def _in_place(mark: Mark, request_id: str, context: RenderContext) -> Mark:
    """The mark without the name of the request, which the timeline's head has told already."""
    if not is_brief(context):
        return mark
    own = f"request '{request_id}'"
    return replace(mark, message=mark.message.replace(f" of {own}", "").replace(own, "the request"))


def _remarks(report: HistoryReport) -> list[Mark]:
    """The marks but those of repairs, which the entry itself shows."""
    return [mark for mark in report.marks if mark.code != _REPAIRED]


def _clock(entries: Sequence[HistoryEntry], context: RenderContext) -> list[Clock]:
    """Times and the distance to the entry that is the earlier one, whichever way the entries are ordered."""
    times = [entry.timestamp_ms for entry in entries]
    is_reversed = bool(times) and times[0] > times[-1]
    found = []
    for index, time in enumerate(times):
        earlier = index + 1 if is_reversed else index - 1
        since = f"+{format_age(time - times[earlier])}" if 0 <= earlier < len(times) else ""
        day, text = day_and_time(time, context) if is_brief(context) else ("", moment(time, context))
        found.append(Clock(day, text, since))
    return found


def _columns(entries: Sequence[HistoryEntry], clock: Sequence[Clock], context: RenderContext) -> Columns:
    is_roomy = not context.is_terminal or context.width >= _ROOMY
    return Columns(
        time=max((len(point.time) for point in clock), default=0),
        since=max((len(point.since) for point in clock), default=0),
        name=max((name_cells(entry, context) for entry in entries), default=0) if is_roomy else 0,
        is_stacked=context.is_terminal and context.width < NARROW,
    )


def _run_length(
    entries: Sequence[HistoryEntry],
    start: int,
    gaps: Mapping[int, Sequence[Mark]],
    marks: Mapping[str, Sequence[Mark]],
) -> int:
    end = start
    while (
        end < len(entries)
        and are_alike(entries[start], entries[end])
        and entries[end].log_id not in marks
        and (end == start or end not in gaps)
    ):
        end += 1
    return end - start if end - start >= _SHORTEST_RUN else 1


def _legend(report: HistoryReport, context: RenderContext) -> str:
    parts = [counted(len(report.entries), "entry", "entries")]
    if report.gaps:
        parts.append(f"{len(report.gaps):,} missing")
    remarks = len(_remarks(report))
    if remarks:
        parts.append(counted(remarks, "remark"))
    return sentence(
        prose(f"{', '.join(parts)}; times in {context.zone_name}, + since the entry before", "faint"), context
    )
