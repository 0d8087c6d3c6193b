"""Which requests a list keeps, and the first of them along a bounded scan."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.reports.look import RequestItem

# How many mappings or numbers one page looks at before it ends short, with a cursor that goes on from there.
MOST_LOOKED_AT = 20_000

# By acceptance the time and the id, by number the number and the id; an empty id is behind all ids.
Position = tuple[int, str]


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """`state` empty keeps every state; the half-open window [since_ms, until_ms) is of acceptance times.

    `asked` is the window in the user's words. A cursor is bound to them and carries the times, so that a window which
    is relative to now stays that of the first page.
    """

    state: str = ""
    since_ms: int = 0
    until_ms: int = MAX_INT64
    asked: str = ""

    @property
    def is_windowed(self) -> bool:
        """Whether acceptance times matter at all."""
        return self.since_ms > 0 or self.until_ms < MAX_INT64

    @property
    def name(self) -> str:
        """What a cursor is bound to."""
        return f"state={self.state};{self.asked}"

    def within(self, since_ms: int, until_ms: int) -> Self:
        """The filter of the page before."""
        return replace(self, since_ms=since_ms, until_ms=until_ms)

    def keeps(self, item: RequestItem) -> bool:
        """Whether a request belongs into the list; one of unknown acceptance is in no window."""
        if self.state and item.state != self.state:
            return False
        if not self.is_windowed:
            return True
        return item.accepted_at_ms is not None and self.since_ms <= item.accepted_at_ms < self.until_ms

    def cannot_place(self, item: RequestItem) -> bool:
        """Whether a request would be kept, were it known when it was accepted."""
        return self.is_windowed and item.accepted_at_ms is None and self.state in {"", item.state}


@dataclass(frozen=True, slots=True)
class Kept:
    """The items of one page. `behind` is where the next one goes on, None at the end.

    `is_cut`: the page ended because it had looked at enough. `unplaced` counts what `cannot_place`.
    """

    items: tuple[RequestItem, ...]
    behind: Position | None
    looked_at: int
    unplaced: int
    is_cut: bool = False


def first_kept(scan: Iterable[tuple[Position, RequestItem | None]], chosen: RequestFilter, limit: int) -> Kept:
    """The first `limit` requests that are kept; there is a next page only where one more was seen, or too many were."""
    items: list[RequestItem] = []
    behind: Position | None = None
    looked_at = unplaced = 0
    for position, item in scan:
        is_kept = item is not None and chosen.keeps(item)
        if is_kept and len(items) == limit:
            return Kept(tuple(items), behind, looked_at, unplaced)
        looked_at += 1
        behind = position
        if item is not None and is_kept:
            items.append(item)
        elif item is not None and chosen.cannot_place(item):
            unplaced += 1
        if looked_at >= MOST_LOOKED_AT:
            return Kept(tuple(items), behind, looked_at, unplaced, is_cut=True)
    return Kept(tuple(items), None, looked_at, unplaced)
