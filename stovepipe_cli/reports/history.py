"""A request's history with what is missing or contradictory in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.reports.base import Report


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
    """A gap or a contradiction: rule code, the log id that is missing or concerned, and one sentence."""

    code: str
    log_id: str
    message: str


@dataclass(frozen=True, slots=True)
class HistoryReport(Report):
    """Entries by (time, log id); `gaps` are missing entries and rows, `marks` contradictions of present entries.

    `gap_positions` gives, for each gap, the index of the entry it stands before.
    """

    request_id: str
    uri: str | None
    request: RequestView | None
    entries: tuple[HistoryEntry, ...]
    gaps: tuple[Mark, ...]
    marks: tuple[Mark, ...] = ()
    gap_positions: tuple[int, ...] = field(default=(), metadata={"json": False})
    repairs: tuple[str, ...] = field(default=(), metadata={"json": False})
