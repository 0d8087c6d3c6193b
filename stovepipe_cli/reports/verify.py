"""The outcome of a verify."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.reports.base import Report, Verdict
from stovepipe_cli.reports.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one pass read: rows checked, parts skipped (unreadable, no rights, out of time), table absent."""

    checked: int
    skipped: int
    absent: bool


@dataclass(frozen=True, slots=True)
class VerifyReport(Report):
    """What was looked at and what was found.

    `scope` is None for the whole queue, else the narrowing in words; `findings` holds at most the asked number, worst
    first, of `findings_total`; `counts` counts all of them by code. `notes` are sentences on what is absent,
    skipped or could not be judged; `blocking` those that alone make the verify incomplete.

    `known` counts, by code, those of `counts` that the baseline expects, and `known_severities` by severity: they do
    not decide the verdict. `known_findings` gives the baseline's reason for those that are listed, by id.

    `boundary` is the number and id of the request at which the whole queue's history was seen to begin, None where
    that was told, or not seen.
    """

    run_id: str | None
    scope: str | None
    coverage: Mapping[str, Coverage]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    findings_total: int
    legacy_requests: int
    pending: int
    history_since: str | None
    notes: tuple[str, ...]
    blocking: tuple[str, ...]
    pending_findings: tuple[Finding, ...] = ()
    severities: Mapping[Severity, int] = field(default_factory=dict)
    fail_on: Severity = "error"
    known: Mapping[str, int] = field(default_factory=dict)
    known_findings: Mapping[str, str] = field(default_factory=dict)
    known_severities: Mapping[Severity, int] = field(default_factory=dict, metadata={"json": False})
    is_forced_zero: bool = field(default=False, metadata={"json": False})
    boundary: tuple[int, str] | None = field(default=None, metadata={"json": False})

    @property
    def verdict(self) -> Verdict:
        """Findings outrank incomplete; both stay visible."""
        order: tuple[Severity, ...] = ("error", "warning", "info")
        counted = order[: order.index(self.fail_on) + 1]
        if any(self.severities.get(each, 0) > self.known_severities.get(each, 0) for each in counted):
            return "findings"
        if self.is_incomplete:
            return "incomplete"
        return "clean"

    @property
    def is_incomplete(self) -> bool:
        """Whether anything that should have been read was not."""
        return bool(self.blocking) or any(part.skipped for part in self.coverage.values())

    @property
    def exit_code(self) -> int:
        """0 clean, 3 findings, 4 incomplete; with `is_forced_zero` findings alone give 0, or 4 when incomplete."""
        if self.verdict == "findings" and self.is_forced_zero:
            return 4 if self.is_incomplete else 0
        return {"clean": 0, "findings": 3, "incomplete": 4, "error": 1}[self.verdict]
