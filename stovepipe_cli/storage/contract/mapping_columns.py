"""Many acceptance mappings of one queue as two columns, since an object for each costs more than writing it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from stovepipe_cli.entities import RequestAcceptance


@dataclass(frozen=True, slots=True)
class MappingColumns(Sequence[tuple[int, str]]):
    """A sequence of pairs (accepted_at_ms, request id), all of `queue`."""

    queue: str
    accepted_at_ms: Sequence[int] = ()
    request_ids: Sequence[str] = ()

    @classmethod
    def of(cls, queue: str, pairs: Iterable[tuple[int, str]]) -> "MappingColumns":
        """The columns of pairs."""
        times, ids = [*zip(*pairs, strict=True)] or [(), ()]
        return cls(queue, times, ids)

    def __len__(self) -> int:
        return len(self.request_ids)

    @overload
    def __getitem__(self, place: int) -> tuple[int, str]: ...

    @overload
    def __getitem__(self, place: slice) -> "MappingColumns": ...

    def __getitem__(self, place: int | slice) -> "tuple[int, str] | MappingColumns":
        if isinstance(place, slice):
            return MappingColumns(self.queue, self.accepted_at_ms[place], self.request_ids[place])
        return (self.accepted_at_ms[place], self.request_ids[place])

    def acceptances(self) -> list[RequestAcceptance]:
        """An entity for each."""
        return [RequestAcceptance(self.queue, *pair) for pair in self]
