"""How to go on from a history."""

from shlex import quote

from stovepipe_cli.keys import is_text
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.reports import HistoryReport
from stovepipe_cli.reports.history import REPAIRED

_SHOWN_CODES = 3


def history_hints(report: HistoryReport, context: RenderContext) -> tuple[str, ...]:
    """The commands that mend what is missing; where the report names none, the one that plans it.

    Where the request may be older than the history of its queue, the one that finds out; where nothing can be mended,
    those that explain what is wrong.
    """
    if report.repairs:
        return tuple(f"next: {command}" for command in report.repairs)
    if report.is_legacy and not report.total:
        return ("the request is older than the history of its queue, and nothing is missing of it",)
    # Bytes that are not UTF-8 cannot be typed as an argument.
    if not report.gaps or not context.queue or not is_text(context.queue) or not is_text(report.request_id):
        return _explanations(report)
    whom = f"-q {quote(context.queue)} --request {quote(report.request_id)}"
    if report.is_legacy is None:
        return (
            "nothing is missing if the request is older than the history of its queue, which verify finds out",
            f"next: stovepipe verify {whom}",
        )
    is_mendable = any(gap.is_mendable for gap in report.gaps)
    return (f"next: stovepipe repair plan {whom}",) if is_mendable else _explanations(report)


def _explanations(report: HistoryReport) -> tuple[str, ...]:
    codes = dict.fromkeys(mark.code for mark in (*report.gaps, *report.marks) if mark.code != REPAIRED)
    return tuple(f"next: stovepipe rules explain {code}" for code in [*codes][:_SHOWN_CODES])
