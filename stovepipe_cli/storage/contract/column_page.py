"""Rows of a key range folded into whole columns, so that reading them costs little more than one row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stovepipe_cli.storage.contract.rows import Row


@dataclass(frozen=True, slots=True)
class ColumnPage:
    """The listed columns of the rows, each in the rows' order, which is any order.

    `alike` holds the values that all rows have in the columns that were asked for as such; None where there is no row
    or they differ. `is_odd` tells that the rows themselves must be read, and the columns are empty: there are too many
    of them for one answer, or one is of another queue or holds a value that is not of its column's type.
    """

    columns: tuple[Sequence[Any], ...]
    alike: tuple[Any, ...] | None
    is_odd: bool = False


def column_page(
    rows: Sequence[Row], listed: Sequence[str], alike: Sequence[str] = (), *, at: Mapping[str, str]
) -> ColumnPage:
    """The page of rows that have the values `at`."""
    chosen = [row for row in rows if all(getattr(row, name) == value for name, value in at.items())]
    columns = tuple([getattr(row, name) for row in chosen] for name in listed)
    values = {tuple(getattr(row, name) for name in alike) for row in chosen}
    return ColumnPage(columns, values.pop() if len(values) == 1 else None)
