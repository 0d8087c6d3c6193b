"""Whether tables hold the pairs that they should, in memory that does not grow: what one side lacks shows.

Each side adds a digest of 64 bits a pair to the cell of its request; where both hold the same, all cells are even. An
uneven cell tells that one of its requests, or more, have to be looked at by key. A difference goes unseen only where
digests cancel each other, by a chance of one in 2^64; they are keyed anew in each process.
"""

from array import array
from collections.abc import Iterable
from operator import xor

# A million requests are four a cell, so that one difference leads to few requests without any; two megabytes in all.
CELLS = 1 << 18
_MASK = CELLS - 1


def cell_of(request_id: str) -> int:
    """The cell of a request."""
    return hash(request_id) & _MASK


class Balance:
    """Pairs of any number of tables; which side a pair comes from does not matter.

    With fewer `cells`, a power of two of them, each is what all cells with the same rest hold together.
    """

    def __init__(self, cells: int = CELLS) -> None:
        self._cells = array("q", bytes(8 * cells))

    def add(self, request_ids: Iterable[str], *pairs: Iterable[tuple[object, ...]]) -> None:
        """Take a pair of each request, or one of each kind, from a page that will not be read again."""
        digests = map(hash, pairs[0])
        for kind in pairs[1:]:
            digests = map(xor, digests, map(hash, kind))
        cells, mask = self._cells, len(self._cells) - 1
        for place, digest in zip(map(hash, request_ids), digests, strict=True):
            cells[place & mask] ^= digest

    @property
    def digests(self) -> bytes:
        """Those of all cells, for a process whose `hash` gives the same."""
        return self._cells.tobytes()

    @property
    def uneven(self) -> frozenset[int]:
        """The cells in which the sides differ."""
        if not any(self._cells):
            return frozenset()
        return frozenset(place for place, digest in enumerate(self._cells) if digest)
