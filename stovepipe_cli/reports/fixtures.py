"""What was loaded, generated or found in a fixture file."""

from collections.abc import Mapping
from dataclasses import dataclass

from stovepipe_cli.reports.base import Report, Verdict


@dataclass(frozen=True, slots=True)
class FixturesLoadReport(Report):
    """Rows inserted and rows that were there already, byte for byte; `digest` identifies the file's content."""

    file: str
    digest: str
    created: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class FixturesCheckReport(Report):
    """A scenario that would load: its rows by table, and how many findings it expects."""

    file: str
    digest: str
    queue: str
    rows: Mapping[str, int]
    expected_findings: int


@dataclass(frozen=True, slots=True)
class FixturesGenerateReport(Report):
    """A generated queue: rows inserted, damage planted by code, and the file that lists it (None: no file)."""

    queue: str
    requests: int
    seed: int
    rows: int
    planted: Mapping[str, int]
    planted_file: str | None


@dataclass(frozen=True, slots=True)
class FixturesDumpReport(Report):
    """A queue written to a file: the queue's name in it, its rows by table, and the digest of its content.

    `requests` are the chosen ones as they are stored, None where the whole queue was dumped. `unloadable` counts rows
    that no load takes; they stand in the file as comments.
    """

    file: str
    digest: str
    queue: str
    rows: Mapping[str, int]
    requests: tuple[str, ...] | None
    anonymized: bool
    unloadable: int

    @property
    def verdict(self) -> Verdict:
        """Incomplete where rows had to stay comments."""
        return "incomplete" if self.unloadable else "clean"
