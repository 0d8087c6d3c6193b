"""Many items of one kind, kept as the plain rows that they were read as."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

Item = TypeVar("Item")


class StoredItems(Sequence[Item], Generic[Item]):
    """A sequence that makes each item, from the fields in its row, when it is asked for.

    It equals any sequence of equal items.
    """

    __slots__ = ("_make", "rows")

    def __init__(self, make: Callable[..., Item], rows: Sequence[tuple[Any, ...]]) -> None:
        self._make = make
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Item]:
        for row in self.rows:
            yield self._make(*row)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> "StoredItems[Item]": ...
    def __getitem__(self, place: int | slice) -> "Item | StoredItems[Item]":
        if isinstance(place, slice):
            return StoredItems(self._make, self.rows[place])
        return self._make(*self.rows[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    def __hash__(self) -> int:
        return hash(tuple(self))
