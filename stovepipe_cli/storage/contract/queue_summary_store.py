"""The read model of the bound queue."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import QueueSummary


class QueueSummaryStore(ABC):
    """One row a queue, projected from its log; enablement sequence, projection version and row version are three."""

    @abstractmethod
    def create(self, summary: QueueSummary) -> None:
        """Insert; `AlreadyExists` where the queue has one."""

    @abstractmethod
    def get(self) -> QueueSummary:
        """The row, else `NotFound`."""

    @abstractmethod
    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        """Write all fields and `new_version` where the row still has `old_version`, else `VersionMismatch`."""
