"""The rules of verify, as they are listed and explained."""

from dataclasses import dataclass

from stovepipe_cli.reports.base import Report
from stovepipe_cli.reports.finding import Severity


@dataclass(frozen=True, slots=True)
class RuleItem:
    """One rule; `repaired_by` names the commands that can mend what it finds, None where nothing does."""

    code: str
    name: str
    severity: Severity
    repaired_by: str | None


@dataclass(frozen=True, slots=True)
class RuleReport(Report):
    """One rule in full. `tables` are those it reads; without one of them it is not checked."""

    code: str
    name: str
    severity: Severity
    explanation: str
    repaired_by: str | None
    tables: tuple[str, ...]
