"""A request's history as a timeline: what is retained, and in place what is missing or contradictory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from stovepipe_cli.instants import format_age
from stovepipe_cli.keys import is_text
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import NARROW, sentence
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import ago, counted, day_and_time, moment
from stovepipe_cli.render.same_place import in_same_place
from stovepipe_cli.render.timeline_entry import (
    Clock,
    Columns,
    details_of,
    entry_lines,
    fold_lines,
    gap_lines,
    is_brief,
    mark_lines,
    name_cells,
    remedy_lines,
)
from stovepipe_cli.render.timeline_folds import folded
from stovepipe_cli.render.timeline_head import head, legend
from stovepipe_cli.reports import Fold, HistoryEntry, HistoryReport, Mark
from stovepipe_cli.reports.history import REPAIRED

_ROOMY = 120


def timeline(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    """The request, its entries and gaps in the report's order, and the legend with the zone."""
    context = replace(context, detail=context.detail or report.is_detailed)
    shown = folded(report) if is_brief(context) else report
    yield head(shown, context)
    yield "\n"
    yield from _Timeline(shown, context).lines()
    yield "\n"
    yield legend(shown, context)


def timeline_lines(report: HistoryReport, context: RenderContext) -> Iterator[str]:
    """The entries and gaps alone, none folded, to go on with a timeline whose head has been shown."""
    return _Timeline(report, replace(context, detail=context.detail or report.is_detailed)).lines(goes_on=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """What stands at one index of the entries: gaps before it, and perhaps a fold that begins with it."""

    gaps: Sequence[Mark]
    fold: Fold | None


class _Timeline:
    """One pass over the entries, with what stands beside each."""

    def __init__(self, report: HistoryReport, context: RenderContext) -> None:
        self.report, self.context = report, context
        self.clock = _clock(report, context)
        self.columns = _columns(report.entries, self.clock, context)
        self.marks: defaultdict[str, list[Mark]] = defaultdict(list)
        for mark in report.marks:
            if mark.code != REPAIRED:
                # An entry shows by itself that it was repaired.
                self.marks[mark.log_id].append(mark)

    def lines(self, *, goes_on: bool = False) -> Iterator[str]:
        report, context = self.report, self.context
        entries, places = report.entries, _places(report)
        if report.earlier and not report.is_reversed:
            yield self._earlier()
        day = ""
        index = 0
        while index < len(entries):
            if not day and self.clock[index].day:
                # What is missing at the very beginning stands under the first day, too.
                day = self.clock[index].day
                yield self._day(index)
            yield from self._gaps(places[index].gaps)
            if self.clock[index].day != day:
                day = self.clock[index].day
                yield self._day(index)
            fold = places[index].fold
            yield from self._entry(index) if fold is None else self._fold(fold)
            index = fold.end if fold else index + 1
        if report.earlier and report.is_reversed:
            yield self._earlier()
        if not report.total and not goes_on:
            yield sentence(prose("no entry is retained", "warn"), context)
        yield from self._gaps(places[len(entries)].gaps)
        yield from (mark_lines(mark, None, self.columns, context) for rest in self.marks.values() for mark in rest)

    def _entry(self, index: int) -> Iterator[str]:
        report, context = self.report, self.context
        entry = report.entries[index]
        base_uri = report.request.base_uri if report.request else None
        details = [*details_of(entry, base_uri, context)]
        if entry.log_id in report.fresh:
            details.insert(0, Ink(report.fresh[entry.log_id], "good"))
        yield entry_lines(entry, self.clock[index], details, self.columns, context)
        yield from self._marks(entry)

    def _fold(self, fold: Fold) -> Iterator[str]:
        entries = self.report.entries[fold.start : fold.end]
        clocks = self.clock[fold.start : fold.end]
        yield fold_lines(entries, fold, clocks, self.columns, self.context)
        said: set[tuple[str, str]] = set()
        for index, entry in enumerate(entries):
            # Each of the others has the same to be said of it.
            for mark in self.marks.pop(entry.log_id, ()):
                if index < fold.period and (mark.code, mark.message) not in said:
                    said.add((mark.code, mark.message))
                    yield mark_lines(self._in_place(mark), entry, self.columns, self.context, is_of_many=True)

    def _marks(self, entry: HistoryEntry) -> Iterator[str]:
        for mark in self.marks.pop(entry.log_id, ()):
            yield mark_lines(self._in_place(mark), entry, self.columns, self.context)
            if mark.is_mendable:
                yield from self._remedy()

    def _gaps(self, gaps: Sequence[Mark]) -> Iterator[str]:
        yield from (gap_lines(self._in_place(gap), self.columns, self.context) for gap in gaps)
        if any(gap.is_mendable for gap in gaps):
            yield from self._remedy()

    def _remedy(self) -> Iterator[str]:
        queue, request_id = self.context.queue, self.report.request_id
        # Bytes that are not UTF-8 cannot be typed as an argument.
        if queue and is_text(queue) and is_text(request_id):
            command = f"stovepipe repair plan -q {quote(queue)} --request {quote(request_id)}"
            yield remedy_lines(in_same_place(command, self.context.place), self.columns, self.context)

    def _in_place(self, mark: Mark) -> Mark:
        """The mark without the name of the request, which the timeline's head has told already."""
        if not is_brief(self.context):
            return mark
        own = f"request '{self.report.request_id}'"
        return replace(mark, message=mark.message.replace(f" of {own}", "").replace(own, "the request"))

    def _day(self, index: int) -> str:
        age = ago(self.report.entries[index].timestamp_ms, self.context)
        return sentence(Ink(f"{self.clock[index].day}  {age}".rstrip(), "faint"), self.context)

    def _earlier(self) -> str:
        ellipsis = "..." if self.context.ascii_only else "…"
        earlier = counted(self.report.earlier, "earlier entry", "earlier entries")
        return sentence(prose(f"{ellipsis} {earlier} not shown", "faint"), self.context)


def _places(report: HistoryReport) -> list[_Place]:
    """A place for every entry and one for the end; what is missing inside a fold stands before it."""
    size = len(report.entries)
    starts: Mapping[int, Fold] = {fold.start: fold for fold in report.folds}
    inside = {index: fold.start for fold in report.folds for index in range(fold.start, fold.end)}
    gaps: defaultdict[int, list[Mark]] = defaultdict(list)
    for position, gap in zip(report.gap_positions, report.gaps, strict=True):
        gaps[inside.get(position, min(position, size))].append(gap)
    return [_Place(gaps.get(index, ()), starts.get(index)) for index in range(size + 1)]


def _clock(report: HistoryReport, context: RenderContext) -> list[Clock]:
    """Times and the distance to the entry that is the earlier one, whichever way the entries are ordered."""
    entries = report.entries
    triggered = {_occurrence(entry): entry.timestamp_ms for entry in entries if entry.event == "build_triggered"}
    found = []
    for index, entry in enumerate(entries):
        time = entry.timestamp_ms
        earlier = index + 1 if report.is_reversed else index - 1
        since = f"+{format_age(time - entries[earlier].timestamp_ms)}" if 0 <= earlier < len(entries) else ""
        day, text = day_and_time(time, context) if is_brief(context) else ("", moment(time, context))
        started = triggered.get(_occurrence(entry)) if entry.event == "build_finished" else None
        took = format_age(time - started) if started is not None and time >= started else ""
        found.append(Clock(day, text, since, ago(time, context), took))
    return found


def _occurrence(entry: HistoryEntry) -> str:
    return entry.log_id.rpartition(f"event/{entry.event}/")[2]


def _columns(entries: Sequence[HistoryEntry], clock: Sequence[Clock], context: RenderContext) -> Columns:
    is_roomy = not context.is_terminal or context.width >= _ROOMY
    is_stacked = context.is_terminal and context.width < NARROW
    return Columns(
        time=max((len(point.time) for point in clock), default=0),
        since=max((len(point.since) for point in clock), default=0),
        name=max((name_cells(entry, context) for entry in entries), default=0) if is_roomy else 0,
        is_stacked=is_stacked,
        age=max((len(point.age) for point in clock), default=0) if is_roomy and context.is_terminal else 0,
    )
