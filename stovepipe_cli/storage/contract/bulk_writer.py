"""Bulk creation for fixtures, generators and benchmarks; no business logic runs through it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from stovepipe_cli.storage.contract.rows import Row


class BulkWriter(ABC):
    """Create-only writes of many rows of the bound queue."""

    @property
    def most_at_once(self) -> int:
        """How many inserts of different rows may run at a time to good effect, each in a thread of its own."""
        return 1

    @abstractmethod
    def insert(self, rows: Sequence[Row]) -> None:
        """Insert all rows in one transaction, or none: `AlreadyExists` where any key is taken.

        Rows are written as they are, also damaged ones, as long as every value fits its column (`InvalidEntity`
        otherwise); an absent column is left out, an absent table is `SchemaMismatch`.
        """
