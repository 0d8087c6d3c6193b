"""Comparisons of composite keys in dictionary order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ColumnElement


@dataclass(frozen=True, slots=True)
class Bound:
    """One part of a key, the value to compare it with, and its direction."""

    column: ColumnElement[Any]
    value: ColumnElement[Any]
    is_descending: bool = False

    @property
    def order(self) -> ColumnElement[Any]:
        """The part as an ordering term."""
        return self.column.desc() if self.is_descending else self.column

    def behind(self) -> ColumnElement[bool]:
        """The part lies behind the value."""
        return self.column < self.value if self.is_descending else self.column > self.value

    def ahead(self) -> ColumnElement[bool]:
        """The part lies ahead of the value."""
        return self.column > self.value if self.is_descending else self.column < self.value

    def not_ahead(self) -> ColumnElement[bool]:
        """The part lies behind the value or is equal."""
        return self.column <= self.value if self.is_descending else self.column >= self.value

    def not_behind(self) -> ColumnElement[bool]:
        """The part lies ahead of the value or is equal."""
        return self.column >= self.value if self.is_descending else self.column <= self.value


def beyond(key: Sequence[Bound], *, by_row: bool) -> ColumnElement[bool]:
    """Keys behind the bound, which all its parts make together."""
    if by_row and len(key) > 1 and _one_way(key):
        columns, values = _as_rows(key)
        return columns < values if key[0].is_descending else columns > values
    condition = key[-1].behind()
    for part in reversed(key[:-1]):
        condition = sa.or_(part.behind(), sa.and_(part.column == part.value, condition))
    # Implied by the alternatives, and what a range of the index starts from.
    return condition if len(key) == 1 else sa.and_(key[0].not_ahead(), condition)


def up_to(key: Sequence[Bound], *, by_row: bool) -> ColumnElement[bool]:
    """Keys ahead of the bound or equal to it in all its parts."""
    if by_row and len(key) > 1 and _one_way(key):
        columns, values = _as_rows(key)
        return columns >= values if key[0].is_descending else columns <= values
    condition = key[-1].not_behind()
    for part in reversed(key[:-1]):
        condition = sa.or_(part.ahead(), sa.and_(part.column == part.value, condition))
    return condition if len(key) == 1 else sa.and_(key[0].not_behind(), condition)


def _one_way(key: Sequence[Bound]) -> bool:
    return len({part.is_descending for part in key}) == 1


def _as_rows(key: Sequence[Bound]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return sa.tuple_(*(part.column for part in key)), sa.tuple_(*(part.value for part in key))
