"""The outcome of verifying several queues."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.reports.base import Report, Verdict
from stovepipe_cli.reports.verify import Coverage

WORST_FIRST: tuple[Verdict, ...] = ("error", "findings", "incomplete", "clean")

# Findings, then incomplete: what a run of several queues ends with where none of them failed.
_CODES_WORST_FIRST = (3, 4)


@dataclass(frozen=True, slots=True)
class QueueVerdict:
    """How the verify of one queue ended; `error` says in a sentence why it failed, and is None where it did not."""

    queue: str
    verdict: Verdict
    exit_code: int
    counts: Mapping[str, int]
    coverage: Mapping[str, Coverage]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class QueuesReport(Report):
    """Verdicts in the order in which the queues were looked at, and the worst of them. `notes` are for stderr."""

    queues: tuple[QueueVerdict, ...]
    worst: Verdict
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})

    @property
    def verdict(self) -> Verdict:
        """An error outranks findings, and findings outrank incomplete."""
        return self.worst

    @property
    def exit_code(self) -> int:
        """That of the first queue that failed, else findings, else incomplete, as the queues' own codes have it."""
        failed = [each.exit_code for each in self.queues if each.verdict == "error"]
        if failed:
            return failed[0]
        codes = {each.exit_code for each in self.queues}
        return next((code for code in _CODES_WORST_FIRST if code in codes), 0)


def worst_of(queues: tuple[QueueVerdict, ...]) -> Verdict:
    """The worst verdict; clean where there is none."""
    verdicts = {each.verdict for each in queues}
    return next((verdict for verdict in WORST_FIRST if verdict in verdicts), "clean")
