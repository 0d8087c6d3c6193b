"""One queue's verify as files for other programs need it: when it ran, how it ended, and also when it failed."""

from dataclasses import dataclass

from stovepipe_cli.render.context import ErrorView
from stovepipe_cli.reports import HistoryReport, Verdict, VerifyReport


@dataclass(frozen=True, slots=True)
class AuditRun:
    """`scope` is empty for the whole queue. A run without a report failed: `error` says of what.

    `timelines` are the histories of requests that have findings, as far as they are to be shown.
    """

    queue: str
    scope: str
    at_ms: int
    exit_code: int
    report: VerifyReport | None = None
    error: ErrorView | None = None
    timelines: tuple[HistoryReport, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The report's verdict, or error."""
        return "error" if self.report is None else self.report.verdict

    @property
    def is_whole(self) -> bool:
        """Whether everything that was asked for was looked at, whatever was found."""
        return self.report is not None and not self.report.is_incomplete
