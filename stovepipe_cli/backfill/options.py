"""What a backfill is asked to do."""

from dataclasses import dataclass

from stovepipe_cli.errors import UsageError

DEFAULT_BATCH = 1000
LARGEST_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class BackfillOptions:
    """`apply` False writes nothing. `batch` requests are read and mapped at a time; `rate` bounds rows a second."""

    apply: bool = False
    batch: int = DEFAULT_BATCH
    rate: float | None = None

    def validate(self) -> None:
        """Raise `UsageError` for a batch or a rate that cannot be."""
        if not 1 <= self.batch <= LARGEST_BATCH:
            raise UsageError(f"a batch of {self.batch} requests cannot be", hint=f"give 1 to {LARGEST_BATCH}")
        if self.rate is not None and not self.rate > 0:
            raise UsageError(f"a rate of {self.rate:g} rows a second never ends", hint="give a positive rate")
