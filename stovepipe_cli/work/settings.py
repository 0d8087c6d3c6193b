"""The numbers that durable work keeps to."""

from dataclasses import dataclass

from stovepipe_cli.errors import UsageError

DEFAULT_TTL_MS = 30_000


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """`ttl_ms` is how long a lease lasts; it is renewed at a third of that.

    A failing step is tried `max_attempts` times, with pauses that double from `first_backoff_ms` up to
    `longest_backoff_ms`. More than `max_failure_share` of the rows handled, or of the steps ended, in quarantine stops
    the work; it is not judged before `fewest_rows` or `fewest_steps`, and None never stops it. `poll_seconds` is how
    often somebody who has nothing to do asks the ledger, and how often it is asked for progress.
    """

    ttl_ms: int = DEFAULT_TTL_MS
    max_attempts: int = 5
    first_backoff_ms: int = 1_000
    longest_backoff_ms: int = 60_000
    max_failure_share: float | None = 0.05
    fewest_rows: int = 100
    fewest_steps: int = 5
    poll_seconds: float = 1.0

    def validate(self) -> None:
        """Raise `UsageError` for numbers that cannot be."""
        if self.ttl_ms <= 0:
            raise UsageError(f"a lease of {self.ttl_ms} ms is none", hint="give a positive time")
        if self.max_attempts < 1:
            raise UsageError(f"{self.max_attempts} attempts do nothing", hint="give a positive number")
        share = self.max_failure_share
        if share is not None and not 0 <= share <= 1:
            raise UsageError(f"a failure share of {share:g} cannot be", hint="give a share between 0 and 1")
