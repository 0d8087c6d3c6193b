"""How to go on from a history."""

from shlex import quote

from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.reports import HistoryReport


def history_hints(report: HistoryReport, context: RenderContext) -> tuple[str, ...]:
    """The commands that mend what is missing; where the report names none, the one that plans it."""
    commands = report.repairs
    if report.gaps and not commands and context.queue:
        commands = (f"stovepipe repair plan -q {quote(context.queue)} --request {quote(report.request_id)}",)
    return tuple(f"next: {command}" for command in commands)
