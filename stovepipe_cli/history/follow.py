"""What is new in a history between one look and the next, by the set of its log ids: late entries are found too."""

from dataclasses import dataclass, replace

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.reports import HistoryEntry, HistoryReport, Mark

NEW, LATE = "new", "late"


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a history.

    `whole` is all of it, with what came since the first look told as `fresh`. `news` is what nobody was shown before:
    entries, and gaps and contradictions that two looks in a row have seen.
    """

    whole: HistoryReport
    news: HistoryReport

    @property
    def has_news(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.news.entries or self.news.gaps or self.news.marks)


class Follower:
    """Remembers what was shown. The histories it is given are whole, in order and of one request."""

    def __init__(self) -> None:
        self._ids: set[str] | None = None
        self._last: tuple[int, bytes] | None = None
        self._fresh: dict[str, str] = {}
        self._suspected: set[tuple[str, str, str]] = set()
        self._told: set[tuple[str, str, str]] = set()

    def take(self, report: HistoryReport) -> Look:
        """The next look; everything is news in the first."""
        is_first = self._ids is None
        known = self._ids or set()
        arrived = [entry for entry in report.entries if entry.log_id not in known]
        if not is_first:
            self._fresh |= {entry.log_id: self._when(entry) for entry in arrived}
        self._ids = known | {entry.log_id for entry in arrived}
        self._last = max([*map(_order, arrived), *([self._last] if self._last else [])], default=None)
        ids = {entry.log_id for entry in arrived}
        gaps = self._settled(report.gaps)
        marks = [mark for mark in report.marks if mark.log_id in ids]
        marks += self._settled(tuple(mark for mark in report.marks if mark.log_id not in ids))
        self._told |= {_identity(mark) for mark in (*gaps, *marks)}
        self._suspected = {_identity(mark) for mark in (*report.gaps, *report.marks)}
        late = [
            Mark(LATE, entry.log_id, "it came after later entries had been shown")
            for entry in arrived
            if self._fresh.get(entry.log_id) == LATE
        ]
        news = replace(
            report,
            entries=tuple(arrived),
            gaps=tuple(gaps),
            gap_positions=(len(arrived),) * len(gaps),
            marks=(*late, *marks),
            entries_total=len(arrived),
            remarks_total=None,
            fresh=dict(self._fresh),
        )
        return Look(replace(report, fresh=dict(self._fresh)), news)

    def _when(self, entry: HistoryEntry) -> str:
        return LATE if self._last is not None and _order(entry) < self._last else NEW

    def _settled(self, marks: tuple[Mark, ...]) -> list[Mark]:
        """Those that the look before had seen as well: the service writes a row and its entry one after the other."""
        return [mark for mark in marks if _identity(mark) in self._suspected and _identity(mark) not in self._told]


def _identity(mark: Mark) -> tuple[str, str, str]:
    return (mark.code, mark.log_id, mark.message)


def _order(entry: HistoryEntry) -> tuple[int, bytes]:
    return RequestLog("", "", entry.log_id, entry.timestamp_ms).order
