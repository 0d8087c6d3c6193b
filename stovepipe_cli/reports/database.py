"""Answers of `db init`, `db check` and `db ping`."""

from dataclasses import dataclass

from stovepipe_cli.reports.base import Report, Verdict


@dataclass(frozen=True, slots=True)
class DatabaseInitReport(Report):
    """Tables created now, and those that existed and were left as they are."""

    created: tuple[str, ...]
    existing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DriftItem:
    """One difference; `column` is empty where the whole table differs, `harmless` where every command still works."""

    kind: str
    table: str
    column: str
    expected: str
    found: str
    harmless: bool


@dataclass(frozen=True, slots=True)
class DatabaseCheckReport(Report):
    """Every difference between the database and the tables this tool knows."""

    backend: str
    server_version: str
    schema_fingerprint: str
    items: tuple[DriftItem, ...]

    @property
    def verdict(self) -> Verdict:
        """Findings where a difference stops a command."""
        return "findings" if any(not item.harmless for item in self.items) else "clean"


@dataclass(frozen=True, slots=True)
class DatabasePingReport(Report):
    """Who answered, and how fast."""

    backend: str
    driver: str
    host: str
    database: str
    server_version: str
    identity: str
    read_only: bool
    server_time_ms: int
    server_time: str
    round_trip_ms: float
