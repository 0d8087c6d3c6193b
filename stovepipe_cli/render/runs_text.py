"""Operator runs for people: the list, one in full, what was done to one, and the SQL that takes one back."""

from collections.abc import Iterator, Mapping, Sequence

from stovepipe_cli.instants import format_age
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.fields import fields_block
from stovepipe_cli.render.flow import Chunk, flow
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted, moment
from stovepipe_cli.render.projection import cell
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import JsonValue, RunChangeReport, RunReport, RunsReport, RunUndoReport
from stovepipe_cli.reports.runs import RunItem

_MINUTE_MS = 60_000
_TONES: Mapping[str, Tone] = {
    "COMPLETED": "plain",
    "RUNNING": "warn",
    "abandoned": "bad",
    "FAILED": "bad",
    "CANCELLED": "faint",
}


def runs_text(report: RunsReport, context: RenderContext) -> Iterator[str]:
    """A line a run; nothing at all for an empty page."""
    if report.items:
        heads = (f"started ({context.zone_name})", "run", "kind", "status", "took", "by", "counts", "why")
        yield grid(heads, [_line(item, context) for item in report.items], context)


def runs_hints(report: RunsReport) -> tuple[str, ...]:
    """The notes, what to do about abandoned runs, and how to see the next page."""
    abandoned = [item for item in report.items if item.abandoned]
    hints = list(report.notes)
    if abandoned:
        one = abandoned[0].run_id
        hints.append(f"{counted(len(abandoned), 'run')} of these nobody works at: stovepipe runs show {one}")
    if report.next_cursor is not None:
        hints.append(f"next page: the same command with --cursor {report.next_cursor}")
    return tuple(hints)


def run_text(report: RunReport, context: RenderContext) -> Iterator[str]:
    """Everything about one run; events and rows where they were asked for; its status as the last line."""
    yield fields_block(_about(report, context), context)
    for title, lines in (("events", _events(report, context)), ("rows", _rows(report))):
        if lines is not None:
            yield "\n"
            yield flow([Ink(title, "strong")], context)
            for line in lines:
                yield flow(line, context, head=[Ink("  ")], hang=4)
    yield "\n"
    yield flow([_state(report, context)], context)


def run_hints(report: RunReport) -> tuple[str, ...]:
    """What can be done about a run that has not ended."""
    if not report.abandoned:
        return report.notes
    name = f"-q {report.queue} {report.run_id}"
    if not report.steps:
        return (*report.notes, f"next: start it anew, or 'stovepipe runs cancel {name}' to take it off the list")
    return (*report.notes, f"next: stovepipe runs resume {name}", f"or: stovepipe runs cancel {name}")


def change_text(report: RunChangeReport, context: RenderContext) -> Iterator[str]:
    """What was done, and the run afterwards."""
    word = report.did if report.changed else f"{report.did} already" if report.did != "released" else "not held"
    yield flow([Ink(report.run.run_id), Ink(report.run.kind), prose(word, "strong")], context)
    if report.hold is not None:
        yield flow([(Ink("held by", "faint"), Ink(report.hold.actor)), prose(report.hold.reason)], context)


def undo_text(report: RunUndoReport, _context: RenderContext) -> Iterator[str]:
    """The script alone, so that it can be piped on."""
    yield report.sql


def undo_hints(report: RunUndoReport) -> tuple[str, ...]:
    """How many rows it is about, and that nothing has run it."""
    return (f"{counted(report.rows, 'inserted row')}; nothing has run this script, and only you can",)


def _line(item: RunItem, context: RenderContext) -> list[str]:
    why = item.stopped_because or "; ".join(item.failures[:1])
    return [
        moment(item.started_at_ms, context),
        item.run_id,
        item.kind,
        _word(item),
        _took(item),
        item.actor,
        _counts(item.counts),
        "; ".join(part for part in (item.reason, why) if part),
    ]


def _word(item: RunItem) -> str:
    return "abandoned" if item.abandoned else item.status


def _took(item: RunItem) -> str:
    if item.finished_at_ms is None:
        return "-"
    ms = max(item.finished_at_ms - item.started_at_ms, 0)
    return f"{ms / 1000:.1f} s" if ms < _MINUTE_MS else format_age(ms)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


def _about(report: RunReport, context: RenderContext) -> list[tuple[str, Sequence[Chunk]]]:
    return [*_header(report, context), *_work(report, context), *_left(report)]


def _header(report: RunReport, context: RenderContext) -> list[tuple[str, Sequence[Chunk]]]:
    ended = report.finished_at_ms
    target = [Ink(part) for part in (report.target.get("host", ""), report.target.get("database", "")) if part]
    return [
        ("run", [Ink(report.run_id)]),
        ("queue", [Ink(report.queue)]),
        ("kind", [Ink(report.kind)]),
        ("profile", [Ink(report.profile)] if report.profile else []),
        ("database", [tuple(target)] if target else []),
        ("identity", [Ink(identity)] if (identity := report.target.get("identity")) else []),
        ("by", [Ink(report.actor)]),
        ("reason", [prose(report.reason)] if report.reason else []),
        ("started", [Ink(moment(report.started_at_ms, context)), Ink(context.zone_name, "faint")]),
        ("ended", [] if ended is None else [Ink(moment(ended, context)), prose(f"after {_took(report)}", "faint")]),
        ("options", _pairs(report.options)),
        ("rests on", _pairs(report.revisions)),
        ("parent", [Ink(each) for each in report.ancestors]),
        ("children", [Ink(each) for each in report.children]),
    ]


def _work(report: RunReport, context: RenderContext) -> list[tuple[str, Sequence[Chunk]]]:
    workers: list[tuple[str, Sequence[Chunk]]] = [
        ("worker", [Ink(each.worker), prose(f"step {each.step_index}, until {moment(each.lease_until_ms, context)}")])
        for each in report.workers
    ]
    failed: list[tuple[str, Sequence[Chunk]]] = [
        ("step", [(Ink(f"{each.step_index}"), Ink(each.status, "bad")), prose(each.reason or "")])
        for each in report.failed_steps
    ]
    hold = report.hold
    held: list[Chunk] = [] if hold is None else [prose(hold.reason, "warn"), (Ink("by", "faint"), Ink(hold.actor))]
    return [
        ("steps", [(Ink(_step_word(status, report)), Ink(f"{count:,}")) for status, count in report.steps.items()]),
        *workers,
        *failed,
        ("held", held),
        ("throttle", _pairs(report.throttle or {})),
    ]


def _left(report: RunReport) -> list[tuple[str, Sequence[Chunk]]]:
    failures: list[tuple[str, Sequence[Chunk]]] = [("failed", [prose(each, "bad")]) for each in report.failures]
    return [
        ("counts", [(Ink(name), Ink(f"{count:,}")) for name, count in report.counts.items()]),
        ("left", _pairs(report.result)),
        *failures,
    ]


def _pairs(values: Mapping[str, JsonValue]) -> list[Chunk]:
    return [(Ink(name, "faint"), Ink(cell(value))) for name, value in values.items() if value is not None]


def _events(report: RunReport, context: RenderContext) -> Iterator[list[Chunk]] | None:
    if report.events is None:
        return None
    return (
        [
            Ink(moment(event.at_ms, context)),
            (Ink(event.event), *([] if event.step_index is None else [Ink(f"step {event.step_index}")])),
            *([Ink(event.worker, "faint")] if event.worker else []),
            *([Ink(cell(event.body), "faint")] if event.body else []),
        ]
        for event in report.events
    )


def _rows(report: RunReport) -> Iterator[list[Chunk]] | None:
    if report.rows is None:
        return None
    return (
        [
            (prose("inserted" if row.before is None else "updated" if row.is_certain else "perhaps"), Ink(row.table)),
            Ink(" ".join(cell(part) for part in row.key.values())),
            *([] if row.is_certain else [prose("perhaps: its attempt died", "warn")]),
        ]
        for row in report.rows
    )


def _state(report: RunReport, context: RenderContext) -> tuple[Ink, ...]:
    word = _word(report)
    verdict = report.result.get("verdict")
    tail = ""
    if report.abandoned:
        tail = f"nobody works at it; it started {moment(report.started_at_ms, context)}"
    elif word == "RUNNING":
        tail = f"{counted(len(report.workers), 'worker')} at it" if report.steps else "its process is at it"
    if report.stopped_because:
        tail = f"{tail}; {report.stopped_because}" if tail else report.stopped_because
    elif verdict and not tail:
        tail = f"its verdict was {verdict}"
    return (Ink(word, _TONES.get(word, "plain")), *([prose(tail)] if tail else []))


def _step_word(status: str, report: RunReport) -> str:
    """Nobody does a step of a run that has ended: one that was begun by then was left in the middle."""
    return "left undone" if status == "running" and report.finished_at_ms is not None else status
