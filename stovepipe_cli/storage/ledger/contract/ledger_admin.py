"""Creation, inspection, upgrade and pruning of a whole ledger."""

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LedgerState:
    """What is there. The versions are 0 where no ledger is; `is_private` is an SQLite file, for one host.

    `can_read` and `can_write` say what this version of the tool may do with it, `refusal` in one sentence why not.
    """

    backend: str
    place: str
    identity: str
    is_private: bool
    schema_version: int
    min_reader: int
    min_writer: int
    tool_schema_version: int
    absent_tables: tuple[str, ...]
    can_read: bool
    can_write: bool
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed, or would remove."""

    runs: int
    events: int
    steps: int
    invocations: int
    run_ids: tuple[tuple[str, str], ...]


class LedgerAdmin(ABC):
    """Operations on the ledger as such. Nothing prunes or upgrades a server's ledger by itself."""

    @abstractmethod
    def state(self) -> LedgerState:
        """What is there; `StorageUnavailable` where nobody answers. An SQLite file that is absent is no error."""

    @abstractmethod
    def init(self) -> tuple[str, ...]:
        """Create every table that is absent; the names created. Repeatable. `LedgerTooNew` for a newer ledger."""

    @abstractmethod
    def upgrade(self) -> tuple[int, int, str | None]:
        """Bring an older ledger to this version: from, to, and where the copy of a private file lies, if one was made.

        Nothing to do is (n, n, None). `LedgerTooNew` for a newer one.
        """

    @abstractmethod
    def prune(self, *, finished_before_ms: int, limit: int, dry_run: bool) -> Pruned:
        """Remove events, steps and invocations of runs, of any queue, that completed before then, oldest first.

        Headers and ends of all runs stay, and everything of runs that wrote to a Stovepipe database (all kinds but
        verify and repair-plan). At most `limit` runs at a time; `run_ids` are their (queue, run id).
        """
