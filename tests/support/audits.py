"""Verifies for tests: a queue in memory with a clock that stands, and what was found in few words."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, Unpack

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.reports import Severity, VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.lifecycles import LONG_AFTER_MS, QUEUE, Life, put


@dataclass
class StandingClock:
    """Time moves only by sleeping; `on_sleep` happens meanwhile."""

    current_ms: int = LONG_AFTER_MS
    on_sleep: Callable[[], None] = lambda: None
    slept: list[float] = field(default_factory=list)

    def now_ms(self) -> int:
        return self.current_ms

    def monotonic(self) -> float:
        return self.current_ms / 1000

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        # Never nothing: whoever waits for the rest of a millisecond would wait for ever.
        self.current_ms += math.ceil(seconds * 1000)
        self.on_sleep()


def queue_of(*lives: Life, now_ms: int = LONG_AFTER_MS, queue: str = QUEUE, queue_row: bool = True) -> Storage:
    """A queue in memory that holds these lives, in a database whose clock stands at `now_ms`."""
    storage = MemoryFactory(clock=lambda: now_ms).for_queue(queue)
    put(storage, *lives, queue_row=queue_row)
    return storage


class Chosen(TypedDict, total=False):
    """The options of a verify that tests set."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: Severity
    request_ids: tuple[str, ...]
    last: int
    since_ms: int
    until_ms: int
    settle_ms: int
    min_age_ms: int
    history_since: str
    require_history_since: bool
    clock_skew_ms: int
    max_builds: int
    max_findings: int
    expect_tables: tuple[str, ...]
    allow_empty: bool
    show_pending: bool
    exit_zero: bool
    run_time_ms: int
    findings_file: Path
    recorded_boundary: tuple[int, str]


def check(storage: Storage, *, clock: StandingClock | None = None, **options: Unpack[Chosen]) -> VerifyReport:
    """Verify with these options; the first read is trusted unless `settle_ms` says otherwise."""
    options.setdefault("settle_ms", 0)
    return verify(storage, VerifyOptions(**options), clock=clock or StandingClock())


def found(*lives: Life, now_ms: int = LONG_AFTER_MS, **options: Unpack[Chosen]) -> list[tuple[str, str | None]]:
    """Code and request of every finding in a queue of these lives, in report order."""
    return names(check(queue_of(*lives, now_ms=now_ms), **options))


def names(report: VerifyReport) -> list[tuple[str, str | None]]:
    """Code and request of every finding shown."""
    return sorted((finding.code, finding.request_id) for finding in report.findings)


def codes(report: VerifyReport) -> list[str]:
    """The codes shown, each as often as it comes."""
    return sorted(finding.code for finding in report.findings)
