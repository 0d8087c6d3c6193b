"""How much of a plan is applied, when it stops, and who is told meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, field

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.errors import UsageError
from stovepipe_cli.reports import Written

LARGEST_BATCH = 512


def _tell_nobody(_: Written) -> None:
    return


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Watch:
    """`heard` is told of each row right after it was written; `is_stopped` is asked before each step.

    With `is_durable` somebody begins the batch again after an outage, which then goes to the caller at once.
    """

    heard: Callable[[Written], None] = _tell_nobody
    is_stopped: Callable[[], bool] = _never
    is_durable: bool = False


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """`only` holds codes or request ids. `max_entries` None takes up to 10,000 and refuses more.

    `batch` bounds the requests written between two looks at the result. `dry_run` writes nothing and needs no rights
    to. `accept_failover` lets a plan of another database identity pass, `require_all_evidence` refuses the whole plan
    where one piece of evidence has changed. `verify` says how the result is looked at; its boundary is the plan's.
    """

    only: tuple[str, ...] = ()
    max_entries: int | None = None
    batch: int = LARGEST_BATCH
    dry_run: bool = False
    keep_going: bool = False
    accept_failover: bool = False
    require_all_evidence: bool = False
    verify: VerifyOptions = field(default_factory=VerifyOptions)

    def validate(self) -> None:
        """Raise `UsageError` for a number of entries that cannot be."""
        if self.max_entries is not None and self.max_entries < 1:
            raise UsageError(f"--max-entries {self.max_entries} takes nothing", hint="give a positive number")
        if self.batch < 1:
            raise UsageError(f"a batch of {self.batch} requests cannot be", hint="give a positive number")
