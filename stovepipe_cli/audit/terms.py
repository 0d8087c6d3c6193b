"""What rules need to know beside the rows: the queue, the limits, and which columns the database has."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """`columns` maps a table to the columns it has; a table that is absent is not in it. Times are milliseconds."""

    queue: str
    clock_skew_ms: int
    max_builds: int
    min_age_ms: int
    columns: Mapping[str, frozenset[str]]

    def has_column(self, table: str, column: str) -> bool:
        """Whether the database has this column, so that an unknown value is the row's and not the schema's."""
        return column in self.columns.get(table, frozenset())
