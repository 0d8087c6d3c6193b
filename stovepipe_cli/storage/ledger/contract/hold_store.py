"""Operators' holds on runs."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities.run_hold import RunHold


class HoldStore(ABC):
    """At most one hold a run; every worker of the run looks at it before each batch."""

    @abstractmethod
    def put(self, run_id: str, *, reason: str, actor: str) -> RunHold:
        """Hold the run, by the ledger's clock; the hold on record, which may be an earlier one. `NotFound`: no run."""

    @abstractmethod
    def lift(self, run_id: str) -> bool:
        """Whether there was a hold to lift."""

    @abstractmethod
    def of(self, run_id: str) -> RunHold | None:
        """The hold of a run."""
