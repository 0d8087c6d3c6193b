"""Which queues there are; the only read that is not scoped to one."""

from abc import ABC, abstractmethod


class QueueDirectory(ABC):
    """Names of queues, found by key walks only."""

    @abstractmethod
    def list_after(self, name: str | None, limit: int) -> tuple[str, ...]:
        """At most `limit` (positive) names in byte order after `name`, from the queue and request tables together."""
