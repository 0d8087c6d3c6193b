"""Several queues as a table, a line each, and the worst verdict as the last line."""

from collections.abc import Iterator

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import flow
from stovepipe_cli.render.ink import Ink, Tone, prose
from stovepipe_cli.render.moments import counted
from stovepipe_cli.render.table import grid
from stovepipe_cli.reports import QueuesReport, QueueVerdict, Verdict

_TONES: dict[Verdict, Tone] = {"clean": "good", "findings": "bad", "incomplete": "warn", "error": "bad"}
_COLUMNS = ("queue", "verdict", "findings", "requests", "by rule")


def queues_text(report: QueuesReport, context: RenderContext) -> Iterator[str]:
    """The table and the verdict."""
    if report.queues:
        yield grid(_COLUMNS, [_row(each) for each in report.queues], context, right=("findings", "requests"))
        yield "\n"
    of = f"the worst of {counted(len(report.queues), 'queue')}"
    yield flow([(Ink(f"{report.worst}:", _TONES[report.worst]), prose(of))], context)


def queues_hints(report: QueuesReport) -> tuple[str, ...]:
    """The notes, and how to see what one queue's findings are."""
    failed = tuple(f"{each.queue}: {each.error}" for each in report.queues if each.error is not None)
    bad = next((each.queue for each in report.queues if each.verdict == "findings"), None)
    more = () if bad is None else ("next: the same command with -q QUEUE shows the findings of one queue",)
    return (*report.notes, *failed, *more)


def _row(each: QueueVerdict) -> list[str]:
    requests = each.coverage.get("requests")
    by_rule = ", ".join(f"{code} {count:,}" for code, count in each.counts.items())
    return [
        each.queue,
        each.verdict,
        f"{sum(each.counts.values()):,}",
        "-" if requests is None else f"{requests.checked:,}",
        by_rule,
    ]
