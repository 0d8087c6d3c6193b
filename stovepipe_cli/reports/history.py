"""A request's history with what is missing or contradictory in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.reports.base import Report

# The mark of an entry that a repair wrote; every other mark has the code of a rule.
REPAIRED = "repaired"


@dataclass(frozen=True, slots=True)
class RequestView:
    """The request row."""

    id: str
    uri: str
    state: str
    version: int
    build_strategy: str
    base_uri: str
    terminal_build_id: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One retained entry. `metadata` is the stored JSON text where it is not an object of strings."""

    log_id: str
    timestamp_ms: int
    time: str
    state: str
    event: str
    request_version: int
    outcome_reason: str
    metadata: Mapping[str, str] | str


@dataclass(frozen=True, slots=True)
class Mark:
    """A gap or a contradiction: rule code, the log id that is missing or concerned, and one sentence.

    `is_mendable`: stored rows prove some of what a repair would write.
    """

    code: str
    log_id: str
    message: str
    is_mendable: bool = field(default=False, metadata={"json": False})


@dataclass(frozen=True, slots=True)
class Fold:
    """`count` entries that repeat the first `period` of them over and over.

    `start` is the index of the first among those shown; only the first cycle and the last one are.
    """

    start: int
    period: int
    count: int

    @property
    def shown(self) -> int:
        """How many of its entries are there."""
        return 2 * self.period

    @property
    def end(self) -> int:
        """The index behind its last entry."""
        return self.start + self.shown


@dataclass(frozen=True, slots=True)
class HistoryReport(Report):
    """Entries by (time, log id); `gaps` are missing entries and rows, `marks` contradictions of present entries.

    `gap_positions` gives, for each gap, the index of the entry it stands before. `entries_total` counts what is
    retained, also where `folds` or the wish for the last entries alone keep some of it out of `entries`: folded ones
    stand inside, all others are the earliest. `is_reversed` says that the newest come first.

    `is_legacy`: histories began after this request, so nothing is called missing of it; None where that is not known.

    `may_fold` and `is_detailed` are what the reader asked for. `fresh` tells of entries that came while somebody was
    looking, by log id: `new`, or `late` where entries after it had been shown.
    """

    request_id: str
    uri: str | None
    request: RequestView | None
    entries: tuple[HistoryEntry, ...]
    gaps: tuple[Mark, ...]
    marks: tuple[Mark, ...] = ()
    gap_positions: tuple[int, ...] = field(default=(), metadata={"json": False})
    repairs: tuple[str, ...] = field(default=(), metadata={"json": False})
    is_legacy: bool | None = field(default=False, metadata={"json": False})
    entries_total: int | None = None
    folds: tuple[Fold, ...] = field(default=(), metadata={"json": False})
    is_reversed: bool = field(default=False, metadata={"json": False})
    may_fold: bool = field(default=True, metadata={"json": False})
    is_detailed: bool = field(default=False, metadata={"json": False})
    fresh: Mapping[str, str] = field(default_factory=dict, metadata={"json": False})
    remarks_total: int | None = field(default=None, metadata={"json": False})

    @property
    def total(self) -> int:
        """How many entries are retained."""
        return len(self.entries) if self.entries_total is None else self.entries_total

    @property
    def remarks(self) -> int:
        """How many marks there are but those of repairs, those of entries that are not shown included."""
        if self.remarks_total is not None:
            return self.remarks_total
        return sum(mark.code != REPAIRED for mark in self.marks)

    @property
    def folded(self) -> int:
        """How many entries are counted by a fold and not shown."""
        return sum(fold.count - fold.shown for fold in self.folds)

    @property
    def earlier(self) -> int:
        """How many entries from before the first one shown are left out."""
        return self.total - len(self.entries) - self.folded
