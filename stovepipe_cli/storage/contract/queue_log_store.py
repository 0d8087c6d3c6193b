"""Retained changes of a queue's enablement."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import QueueLog


class QueueLogStore(ABC):
    """Immutable occurrences, each with its sequence in its identity."""

    @abstractmethod
    def create(self, entry: QueueLog) -> None:
        """Insert; `AlreadyExists` where the sequence is taken."""

    @abstractmethod
    def get(self, log_id: str) -> QueueLog:
        """The occurrence with exactly this identity, else `NotFound`."""

    @abstractmethod
    def list_after(self, sequence: int, limit: int) -> tuple[QueueLog, ...]:
        """At most `limit` (positive) occurrences of a higher sequence, ascending by sequence, gaps passed over.

        Keys sort as text, so each call walks the queue's whole log in key order and holds `limit` of it; a queue
        changes its enablement rarely.
        """
