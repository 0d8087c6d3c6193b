"""Folds entries that repeat one another, as they arrive: what is kept does not grow with the repetitions."""

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from stovepipe_cli.reports import Fold

Item = TypeVar("Item")

# How many entries have to repeat before they fold: of one kind, and of a cycle of so many kinds.
LEAST_ALIKE = 5
LEAST_CYCLES = 3
LONGEST_CYCLE = 4


class Folder(Generic[Item]):
    """Takes items one after the other and keeps those that a reader needs.

    Of a run of like items, or of a cycle of up to four kinds such as start and end of build after build, the first
    and the last cycle are kept. `kept` and `folds` are whole after `finish`.
    """

    def __init__(self) -> None:
        self.kept: list[Item] = []
        self.folds: list[Fold] = []
        self._recent: deque[tuple[Item, Hashable]] = deque()
        self._run: _Run[Item] | None = None

    def add(self, item: Item, kind: Hashable | None) -> None:
        """The next item; items of equal kinds are alike, and one without a kind stands alone."""
        if self._run is not None:
            if kind is not None and self._run.goes_on_with(kind):
                self._run.take(item, kind)
                return
            self._end_run()
        if kind is None:
            self.cut()
            self.kept.append(item)
            return
        self._recent.append((item, kind))
        self._begin_run()
        if len(self._recent) > LEAST_CYCLES * LONGEST_CYCLE:
            self.kept.append(self._recent.popleft()[0])

    def cut(self) -> None:
        """Nothing before this place folds with what comes after it."""
        if self._run is not None:
            self._end_run()
        self.kept += [item for item, _ in self._recent]
        self._recent.clear()

    def finish(self) -> None:
        """There are no more items."""
        self.cut()

    def _begin_run(self) -> None:
        recent = self._recent
        for period in range(1, LONGEST_CYCLE + 1):
            count = LEAST_ALIKE if period == 1 else LEAST_CYCLES * period
            if len(recent) < count:
                return
            start = len(recent) - count
            if all(recent[at][1] == recent[at + period][1] for at in range(start, len(recent) - period)):
                self.kept += [recent.popleft()[0] for _ in range(start)]
                self._run = _Run(list(recent)[:period])
                for item, kind in recent:
                    self._run.take(item, kind)
                recent.clear()
                return

    def _end_run(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        rest = run.count % run.period
        last = list(run.last)
        whole = last[: len(last) - rest]
        self.folds.append(Fold(len(self.kept), run.period, run.count - rest))
        self.kept += [item for item, _ in run.first]
        self.kept += [item for item, _ in whole[-run.period :]]
        self._recent.extend(last[len(last) - rest :])


class _Run(Generic[Item]):
    def __init__(self, first: list[tuple[Item, Hashable]]) -> None:
        self.first = first
        self.period = len(first)
        self.count = 0
        # A whole cycle and the beginning of another, whenever the run ends.
        self.last: deque[tuple[Item, Hashable]] = deque(maxlen=2 * self.period)

    def goes_on_with(self, kind: Hashable) -> bool:
        return self.first[self.count % self.period][1] == kind

    def take(self, item: Item, kind: Hashable) -> None:
        self.last.append((item, kind))
        self.count += 1
