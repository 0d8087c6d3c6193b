"""The lines of one entry, of a run of like ones, of one gap or one contradiction of a timeline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import Chunk, chunk_cells, flow
from stovepipe_cli.render.ink import Ink, Tone, pad, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.symbols import symbols
from stovepipe_cli.reports import Fold, HistoryEntry, Mark

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
_TONES: dict[str, Tone] = {"succeeded": "good", "failed": "bad"}


@dataclass(frozen=True, slots=True)
class Clock:
    """When: the time, the day where it stands apart, how long after the entry before, and how long ago.

    `took` is how long a build ran that this entry says the end of.
    """

    day: str
    time: str
    since: str
    age: str = ""
    took: str = ""


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths before an entry's text; `name` 0 where what follows the name is not aligned, `age` 0 for no such column.

    Stacked columns put the time on a line of its own.
    """

    time: int
    since: int
    name: int
    is_stacked: bool
    age: int = 0

    @property
    def body(self) -> int:
        """The column at which states start."""
        if self.is_stacked:
            return STEP
        return self.time + self.since + 2 * STEP + (self.age + STEP if self.age else 0)


def entry_lines(
    entry: HistoryEntry, clock: Clock, details: Sequence[Chunk], columns: Columns, context: RenderContext
) -> str:
    """Time and distance from the entry before, then the name and the details."""
    return _lines(_name([entry], context), _indent(entry), clock, details, columns, context)


def fold_lines(
    entries: Sequence[HistoryEntry], fold: Fold, clocks: Sequence[Clock], columns: Columns, context: RenderContext
) -> str:
    """Entries that repeat, as one: their names, how often, the first and the last of them."""
    first, last = entries[0], entries[-1]
    is_same_day = bool(clocks[0].day) and clocks[0].day == clocks[-1].day
    until = clocks[-1].time if is_same_day else moment(last.timestamp_ms, context)
    times: list[Chunk] = [Ink(f"x {fold.count // fold.period:,}", "strong")]
    if fold.period > 1:
        times.append(prose(counted(fold.count, "entry", "entries"), "faint"))
    details: list[Chunk] = [
        *times,
        Ink(first.log_id),
        (Ink(symbols(context).ellipsis), Ink(last.log_id)),
        (Ink("until", "faint"), Ink(until)),
    ]
    clock = replace(clocks[0], took="")
    return _lines(_name(entries[: fold.period], context), _indent(first), clock, details, columns, context)


def gap_lines(gap: Mark, columns: Columns, context: RenderContext) -> str:
    """What is missing, at the place where it would stand."""
    start = columns.body + (STEP if gap.log_id.startswith("event/") else 0)
    missing = (Ink(symbols(context).gap, "bad"), Ink("missing", "bad"))
    what = [Ink(gap.log_id)] if gap.log_id else []
    chunks: list[Chunk] = [missing, *what, (Ink(gap.code, "bad"), prose(gap.message))]
    return flow(chunks, context, head=[Ink(" " * start)], hang=start + STEP)


def mark_lines(
    mark: Mark, entry: HistoryEntry | None, columns: Columns, context: RenderContext, *, is_of_many: bool = False
) -> str:
    """What contradicts, under its entry; without one, with the id that it is about. `is_of_many`: under a fold."""
    start = columns.body + (_indent(entry) + STEP if entry else 0)
    subject: list[Chunk] = [Ink(mark.log_id)] if mark.log_id and entry is None else []
    head = [Ink(" " * start), Ink(symbols(context).remark + " ", "warn")]
    problem = f"{mark.message}, and alike in each" if is_of_many else mark.message
    return flow([*subject, (Ink(mark.code, "warn"), prose(problem))], context, head=head, hang=start + STEP)


def remedy_lines(command: str, columns: Columns, context: RenderContext) -> str:
    """The command that goes on from what stands above it."""
    arrow = Ink(f"{symbols(context).arrow} ", "faint")
    start = columns.body + STEP
    return flow([prose(command)], context, head=[Ink(" " * start), arrow], hang=start + arrow.cells)


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


def is_brief(context: RenderContext) -> bool:
    """Whether repetition may be left out: on a terminal, unless all was asked for."""
    return context.is_terminal and not context.detail


def name_cells(entry: HistoryEntry, context: RenderContext) -> int:
    """The width of an entry's name with its indent."""
    return _indent(entry) + chunk_cells(_name([entry], context))


def _lines(
    name: tuple[Ink, ...],
    indent: int,
    clock: Clock,
    details: Sequence[Chunk],
    columns: Columns,
    context: RenderContext,
) -> str:
    start = columns.body + indent
    took: list[Chunk] = [(Ink("took", "faint"), Ink(clock.took))] if clock.took else []
    chunks: list[Chunk] = [_padded(name, columns.name - indent), *took, *details]
    if columns.is_stacked:
        stamp = flow([Ink(clock.time), *([Ink(clock.since, "faint")] if clock.since else [])], context)
        return stamp + flow(chunks, context, head=[Ink(" " * start)], hang=start + STEP)
    gap = Ink(" " * STEP)
    head = [Ink(clock.time.ljust(columns.time)), gap, Ink(clock.since.rjust(columns.since), "faint"), gap]
    if columns.age:
        head += [Ink(clock.age.rjust(columns.age), "faint"), gap]
    return flow(chunks, context, head=[*head, Ink(" " * indent)], hang=start + STEP)


def _name(entries: Sequence[HistoryEntry], context: RenderContext) -> tuple[Ink, ...]:
    marks = symbols(context)
    first = entries[0]
    if first.state:
        reason = (Ink(first.outcome_reason),) if first.outcome_reason else ()
        return (Ink(marks.state, _TONES.get(first.state, "plain")), Ink(first.state, "strong"), *reason)
    words = [each.event or "neither state nor event" for each in entries]
    return (Ink(marks.event), *(Ink(f"{word},") for word in words[:-1]), Ink(words[-1]))


def _indent(entry: HistoryEntry) -> int:
    return 0 if entry.state else STEP


def _padded(name: tuple[Ink, ...], cells: int) -> tuple[Ink, ...]:
    *front, last = name
    return (*front, pad(last, last.cells + cells - chunk_cells(name)))
