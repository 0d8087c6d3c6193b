"""When queues were last verified as a whole, and where their history was seen to begin."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities.verified_queue import VerifiedQueue


class VerifiedQueueStore(ABC):
    """One row a database that the queue was seen in."""

    @abstractmethod
    def put(self, verified: VerifiedQueue) -> VerifiedQueue:
        """Store the latest; what is on record afterwards.

        A later `verified_at_ms` replaces an earlier one and never the other way round. The boundary on record stays
        unless the new one is lower or the record had none.
        """

    @abstractmethod
    def of(self, target: str) -> VerifiedQueue | None:
        """The record of the queue in this database."""
