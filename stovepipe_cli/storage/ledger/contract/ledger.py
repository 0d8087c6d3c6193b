"""The queue-scoped aggregate and the open ledger that resolves it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from stovepipe_cli.storage.ledger.contract.hold_store import HoldStore
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin
from stovepipe_cli.storage.ledger.contract.run_store import RunStore
from stovepipe_cli.storage.ledger.contract.step_store import StepStore
from stovepipe_cli.storage.ledger.contract.verified_queue_store import VerifiedQueueStore


@dataclass(frozen=True, slots=True)
class QueueLedger:
    """Every store of one queue."""

    queue: str
    runs: RunStore
    steps: StepStore
    holds: HoldStore
    verified: VerifiedQueueStore


class Ledger(ABC):
    """An open ledger. Close it, or use it as a context manager, to give its connections back.

    Before its first read or write it looks at the ledger's version: `LedgerTooNew` where this version of the tool may
    not do that, `LedgerTooOld` for a write to a server's ledger that wants its upgrade. A private file is made when it
    is first written to, and upgraded then, after a copy; for reading, an absent one is an empty ledger.
    """

    @abstractmethod
    def for_queue(self, name: str) -> QueueLedger:
        """The stores bound to this queue; `InvalidEntity` or `IdentifierTooLong` for a name that cannot be one."""

    @property
    @abstractmethod
    def admin(self) -> LedgerAdmin:
        """Creation, inspection, upgrade and pruning."""

    @property
    @abstractmethod
    def is_private(self) -> bool:
        """Whether it is a file of this host, which other hosts cannot share."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, as messages name it."""

    @abstractmethod
    def close(self) -> None:
        """Give every connection back. Repeatable."""

    def __enter__(self) -> Self:
        """The ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()
