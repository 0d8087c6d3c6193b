"""The coordination row of the bound queue."""

from abc import ABC, abstractmethod

from stovepipe_cli.entities import Queue


class QueueStore(ABC):
    """One row a queue: coordination fields and internal enablement with its own sequence."""

    @abstractmethod
    def get_or_create(self) -> Queue:
        """The row, inserted with version 1 and all other fields unknown where it was missing."""

    @abstractmethod
    def get(self) -> Queue:
        """The row, else `NotFound`."""

    @abstractmethod
    def update(self, queue: Queue, *, old_version: int, new_version: int) -> None:
        """Write all fields but the name and set `new_version` where the row still has `old_version`.

        `VersionMismatch` where it has another one or is missing. Fields whose column is absent are not written.
        """
