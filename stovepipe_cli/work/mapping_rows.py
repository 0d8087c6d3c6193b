"""Acceptance mappings in the record of an attempt, in short: a step writes thousands of them.

Each is a pair of acceptance time and request id. `mapped` were inserted, `learned` are summaries that were told their
time first, `intended` was about to be written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from stovepipe_cli.storage.contract.mapping_columns import MappingColumns

Pair = tuple[int, str]
# The times of a batch in one text and its ids in another, which take a tenth of the time that a list a pair takes; a
# list of ids where one of them holds what stands between.
Batch = Sequence[object]

_BETWEEN = "\x1e"
_MAPPED, _LEARNED, _INTENDED = "mapped", "learned", "intended_mappings"


@dataclass(frozen=True, slots=True)
class MappingRows:
    """What an attempt left on record, in batches."""

    mapped: tuple[Batch, ...] = ()
    learned: tuple[Batch, ...] = ()
    intended: tuple[Batch, ...] = ()

    def document(self) -> dict[str, object]:
        """As an attempt's document holds them; JSON values alone."""
        return {_MAPPED: [*self.mapped], _LEARNED: [*self.learned], _INTENDED: [*self.intended]}

    @classmethod
    def of(cls, document: Mapping[str, object]) -> "MappingRows":
        """Those in a document; none in one of another kind of work."""
        return cls(*(_batches(document.get(name)) for name in (_MAPPED, _LEARNED, _INTENDED)))


def batch_of(mappings: MappingColumns) -> Batch:
    """The short form of mappings that were handled together."""
    ids = mappings.request_ids
    text = _BETWEEN.join(ids)
    times = " ".join(map(str, mappings.accepted_at_ms))
    return (times, text if text.count(_BETWEEN) == len(ids) - 1 else [*ids])


def pairs(batches: Iterable[Batch]) -> tuple[Pair, ...]:
    """The pairs of all batches, in their order."""
    return tuple(chain.from_iterable(map(_pairs, batches)))


def _pairs(batch: Batch) -> Iterable[Pair]:
    times, ids = batch
    if not times:
        return ()
    listed = ids.split(_BETWEEN) if isinstance(ids, str) else ids
    return zip(map(int, str(times).split(" ")), listed, strict=True) if isinstance(listed, Sequence) else ()


def _batches(value: object) -> tuple[Batch, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()
