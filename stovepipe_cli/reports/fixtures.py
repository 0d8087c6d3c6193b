"""What a fixture load did."""

from dataclasses import dataclass

from stovepipe_cli.reports.base import Report


@dataclass(frozen=True, slots=True)
class FixturesLoadReport(Report):
    """Rows inserted and rows that were there already, byte for byte; `digest` identifies the file's content."""

    file: str
    digest: str
    created: int
    unchanged: int
