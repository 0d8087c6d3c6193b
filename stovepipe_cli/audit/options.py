"""What a verify is asked to look at, how long it may take and what it reports."""

from dataclasses import dataclass
from pathlib import Path

from stovepipe_cli.audit.baseline import KnownFinding
from stovepipe_cli.errors import UsageError
from stovepipe_cli.history.consistency import DEFAULT_CLOCK_SKEW_MS
from stovepipe_cli.reports import Severity

DEFAULT_SETTLE_MS = 5_000
DEFAULT_MIN_AGE_MS = 15 * 60 * 1000
DEFAULT_MAX_BUILDS = 64
DEFAULT_MAX_FINDINGS = 1_000
NO_BOUNDARY = "none"


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Times are milliseconds.

    `select` and `ignore` hold rule codes or prefixes. `request_ids`, `last`, `since_ms` (inclusive), `until_ms`
    (exclusive), `select` and `ignore` narrow the scope. `history_since` is the first request that must have history,
    `none` for all of them, None to detect it. `expect_tables` must be there. `settle_ms` 0 trusts the first read,
    `min_age_ms` 0 takes nothing for pending. `findings_file` receives every finding, one JSON object a line.
    `known` is the baseline, of any number of queues. `recorded_boundary` is the number and id of the first request that
    an earlier look at the whole queue saw to have a first entry.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity = "error"
    request_ids: tuple[str, ...] = ()
    last: int | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    settle_ms: int = DEFAULT_SETTLE_MS
    min_age_ms: int = DEFAULT_MIN_AGE_MS
    history_since: str | None = None
    require_history_since: bool = False
    clock_skew_ms: int = DEFAULT_CLOCK_SKEW_MS
    max_builds: int = DEFAULT_MAX_BUILDS
    max_findings: int = DEFAULT_MAX_FINDINGS
    expect_tables: tuple[str, ...] = ()
    allow_empty: bool = False
    show_pending: bool = False
    exit_zero: bool = False
    run_time_ms: int | None = None
    findings_file: Path | None = None
    known: tuple[KnownFinding, ...] = ()
    recorded_boundary: tuple[int, str] | None = None

    def validate(self) -> None:
        """Raise `UsageError` where the options contradict themselves."""
        if self.require_history_since and self.history_since is None:
            raise UsageError(
                "no history_since is set, and detecting it was refused",
                hint="set history_since in the profile, or give --history-since",
            )
        if self.last is not None and self.last < 1:
            raise UsageError(f"--last {self.last} names no request", hint="give a positive number")
        if self.request_ids and (self.last is not None or self.since_ms is not None or self.until_ms is not None):
            raise UsageError(
                "requests named one by one cannot be narrowed further",
                hint="give either --request, or --last, --since and --until",
            )
        if self.last is not None and (self.since_ms is not None or self.until_ms is not None):
            raise UsageError("--last and a time window exclude each other", hint="give one of them")
        if self.since_ms is not None and self.until_ms is not None and self.since_ms >= self.until_ms:
            raise UsageError("the time window is empty", hint="--since must lie before --until")
        for name, value in (
            ("settle", self.settle_ms),
            ("min_age", self.min_age_ms),
            ("clock_skew_ms", self.clock_skew_ms),
            ("max_findings", self.max_findings),
            ("max_builds", self.max_builds),
        ):
            if value < 0:
                raise UsageError(f"{name} is {value}", hint="use zero or more")
