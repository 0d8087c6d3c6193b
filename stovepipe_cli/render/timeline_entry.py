"""The lines of one entry, one gap or one contradiction of a timeline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk, chunk_cells, flow
from stovepipe_cli.render.ink import Ink, pad, prose
from stovepipe_cli.render.moments import moment
from stovepipe_cli.render.symbols import symbols
from stovepipe_cli.reports import HistoryEntry, Mark

STEP = 2
_NOTABLE = (
    "build_id",
    "base_uri",
    "fact_degree",
    "project_fact_count",
    "broken_project_fact_count",
    "superseded_by_request_id",
)
_REPAIRED = "repair_run_id"


@dataclass(frozen=True, slots=True)
class Clock:
    """When: the time, the day where it stands apart, and how long after the entry before."""

    day: str
    time: str
    since: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths before an entry's text; `name` 0 where what follows the name is not aligned.

    Stacked columns put the time on a line of its own.
    """

    time: int
    since: int
    name: int
    is_stacked: bool

    @property
    def body(self) -> int:
        """The column at which states start."""
        return STEP if self.is_stacked else self.time + self.since + 2 * STEP


def entry_lines(
    entry: HistoryEntry, clock: Clock, details: Sequence[Chunk], columns: Columns, context: RenderContext
) -> str:
    """Time and distance from the entry before, then the name and the details."""
    indent = _indent(entry)
    start = columns.body + indent
    chunks: list[Chunk] = [_padded(_name(entry, context), columns.name - indent), *details]
    if columns.is_stacked:
        stamp = flow([Ink(clock.time), *([Ink(clock.since, "faint")] if clock.since else [])], context)
        return stamp + flow(chunks, context, head=[Ink(" " * start)], hang=start + STEP)
    gap = Ink(" " * STEP)
    head = [
        Ink(clock.time.ljust(columns.time)),
        gap,
        Ink(clock.since.rjust(columns.since), "faint"),
        gap,
        Ink(" " * indent),
    ]
    return flow(chunks, context, head=head, hang=start + STEP)


def gap_lines(gap: Mark, columns: Columns, context: RenderContext) -> str:
    """What is missing, at the place where it would stand."""
    start = columns.body + (STEP if gap.log_id.startswith("event/") else 0)
    missing = (Ink(symbols(context).gap, "bad"), Ink("missing", "bad"))
    what = [Ink(gap.log_id)] if gap.log_id else []
    chunks: list[Chunk] = [missing, *what, (Ink(gap.code, "bad"), prose(gap.message))]
    return flow(chunks, context, head=[Ink(" " * start)], hang=start + STEP)


def mark_lines(mark: Mark, entry: HistoryEntry | None, columns: Columns, context: RenderContext) -> str:
    """What contradicts, under its entry; without one, with the id that it is about."""
    start = columns.body + (_indent(entry) + STEP if entry else 0)
    subject: list[Chunk] = [Ink(mark.log_id)] if mark.log_id and entry is None else []
    head = [Ink(" " * start), Ink(symbols(context).remark + " ", "warn")]
    return flow([*subject, (Ink(mark.code, "warn"), prose(mark.message))], context, head=head, hang=start + STEP)


def details_of(entry: HistoryEntry, base_uri: str | None, context: RenderContext) -> Iterator[Chunk]:
    """Log id, version where the id does not tell it, metadata and repair.

    A brief answer has the metadata that the service is known to write, less what the entry's id or `base_uri`, the
    request's own, says already.
    """
    yield Ink(entry.log_id)
    if entry.request_version and entry.log_id != f"state/{entry.request_version}":
        yield (Ink("version", "faint"), Ink(str(entry.request_version)))
    if isinstance(entry.metadata, str):
        yield (Ink("metadata", "warn"), Ink(entry.metadata))
        return
    metadata = dict(entry.metadata)
    repair = metadata.pop(_REPAIRED, None)
    if is_brief(context):
        if metadata.get("base_uri") == base_uri:
            metadata.pop("base_uri", None)
        if f"event/{entry.event}/{metadata.get('build_id')}" == entry.log_id:
            metadata.pop("build_id")
    others = [key for key in metadata if key not in _NOTABLE]
    for key in (*_NOTABLE, *([] if is_brief(context) else others)):
        if key in metadata:
            yield (Ink(key, "faint"), Ink(metadata[key]))
    if others and is_brief(context):
        yield prose(f"{len(others)} more metadata keys" if len(others) > 1 else "1 more metadata key", "faint")
    if repair is not None:
        yield (Ink("repaired by", "good"), Ink(repair))


def run_details(first: HistoryEntry, last: HistoryEntry, length: int, context: RenderContext) -> Iterator[Chunk]:
    """A folded run of like entries."""
    yield Ink(f"x {length:,}", "strong")
    yield Ink(first.log_id)
    yield (Ink(symbols(context).ellipsis), Ink(last.log_id))
    yield (Ink("until", "faint"), Ink(moment(last.timestamp_ms, context)))


def is_brief(context: RenderContext) -> bool:
    """Whether repetition may be left out: on a terminal, unless all was asked for."""
    return context.is_terminal and not context.detail


def name_cells(entry: HistoryEntry, context: RenderContext) -> int:
    """The width of an entry's name with its indent."""
    return _indent(entry) + chunk_cells(_name(entry, context))


def are_alike(one: HistoryEntry, other: HistoryEntry) -> bool:
    """Whether two entries say the same but for ids, times and build."""
    return _kind(one) == _kind(other)


def _kind(entry: HistoryEntry) -> tuple[object, ...]:
    repair = entry.metadata.get(_REPAIRED) if not isinstance(entry.metadata, str) else entry.metadata
    return (entry.state, entry.event, entry.request_version, entry.outcome_reason, repair)


def _name(entry: HistoryEntry, context: RenderContext) -> tuple[Ink, ...]:
    marks = symbols(context)
    if entry.state:
        reason = (Ink(entry.outcome_reason),) if entry.outcome_reason else ()
        return (Ink(marks.state), Ink(entry.state, "strong"), *reason)
    return (Ink(marks.event), Ink(entry.event or "neither state nor event"))


def _indent(entry: HistoryEntry) -> int:
    return 0 if entry.state else STEP


def _padded(name: tuple[Ink, ...], cells: int) -> tuple[Ink, ...]:
    *front, last = name
    return (*front, pad(last, last.cells + cells - chunk_cells(name)))
