"""The rows that one queue has in one table, in key order."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from typing import Generic, TypeVar

from stovepipe_cli.storage.contract.rows import Row

StoredKey = tuple[bytes | int | float, ...]

R = TypeVar("R", bound=Row)


class Partition(Generic[R]):
    """An ordered map from stored keys to rows."""

    def __init__(self, rows: Iterable[tuple[StoredKey, R]] = ()) -> None:
        self._rows: dict[StoredKey, R] = dict(rows)
        self._order = sorted(self._rows)
        # A frozen partition belongs to a snapshot as well: who writes works on a copy.
        self.frozen = False

    def copy(self) -> "Partition[R]":
        """The same rows, not frozen."""
        return Partition(self._rows.items())

    def get(self, key: StoredKey) -> R | None:
        """The row of a whole key."""
        return self._rows.get(key)

    def put(self, key: StoredKey, row: R) -> None:
        """Set the row of a key, new or not."""
        if key not in self._rows:
            insort(self._order, key)
        self._rows[key] = row

    def put_all(self, rows: dict[StoredKey, R]) -> None:
        """Set the rows of many keys, all of them new."""
        self._rows.update(rows)
        self._order.extend(rows)
        self._order.sort()

    def remove(self, key: StoredKey) -> None:
        """Drop the row of a key that is there."""
        del self._rows[key]
        del self._order[bisect_left(self._order, key)]

    def page(self, after: StoredKey | None, upto: StoredKey | None, limit: int) -> tuple[R, ...]:
        """The first `limit` rows with after < key <= upto, where a bound is compared with the parts it has."""
        start = 0 if after is None else self._behind(after)
        stop = len(self._order) if upto is None else self._behind(upto)
        return tuple(self._rows[key] for key in self._order[start : min(stop, start + limit)])

    def within(self, prefix: StoredKey, after: StoredKey | None, limit: int) -> tuple[R, ...]:
        """The first `limit` rows whose key begins with `prefix`, behind the key that `after` makes with it."""
        start = bisect_left(self._order, prefix) if after is None else self._behind((*prefix, *after))
        stop = self._behind(prefix)
        return tuple(self._rows[key] for key in self._order[start : min(stop, start + limit)])

    def starting_with(self, prefix: StoredKey) -> tuple[R, ...]:
        """Every row whose key begins with these parts, in key order."""
        keys = self._order[bisect_left(self._order, prefix) : self._behind(prefix)]
        return tuple(self._rows[key] for key in keys)

    def between(self, lowest: StoredKey, below: StoredKey) -> tuple[R, ...]:
        """Every row with lowest <= key < below, in key order, where a shorter key sorts before a longer one."""
        keys = self._order[bisect_left(self._order, lowest) : bisect_left(self._order, below)]
        return tuple(self._rows[key] for key in keys)

    def _behind(self, bound: StoredKey) -> int:
        size = len(bound)
        return bisect_right(self._order, bound, key=lambda key: key[:size])
