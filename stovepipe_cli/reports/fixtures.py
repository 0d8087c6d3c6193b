"""What was loaded, generated or found in a fixture file."""

from collections.abc import Mapping
from dataclasses import dataclass

from stovepipe_cli.reports.base import Report


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
