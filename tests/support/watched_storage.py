"""A storage whose audit reads are watched, slowed or broken on the way; what they answer is the real thing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from stovepipe_cli.storage.contract import AuditPage, AuditReader, AuditSnapshot, Storage, TableView
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row

R = TypeVar("R", bound=Row)


@dataclass
class Watch:
    """What was read: (table, rows) of every page and multi-get, and how many snapshots were open at most."""

    pages: list[tuple[str, int]] = field(default_factory=list)
    gets: list[tuple[str, int]] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    before_page: Callable[[str, int], None] = lambda _table, _number: None
    before_view: Callable[[str], None] = lambda _table: None
    collations: dict[str, str] = field(default_factory=dict)


class WatchedSnapshot(AuditSnapshot):
    def __init__(self, watch: Watch, real: AuditSnapshot) -> None:
        self.watch, self.real = watch, real

    def now_ms(self) -> int:
        return self.real.now_ms()

    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        table = TABLE_OF[row_type].name
        self.watch.before_page(table, sum(name == table for name, _ in self.watch.pages))
        page = self.real.page(row_type, after=after, upto=upto, limit=limit)
        self.watch.pages.append((table, len(page.rows)))
        return page

    def multi_get(self, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        rows = self.real.multi_get(row_type, keys)
        self.watch.gets.append((TABLE_OF[row_type].name, len(rows)))
        return rows


class WatchedReader(AuditReader):
    def __init__(self, watch: Watch, real: AuditReader) -> None:
        self.watch, self.real = watch, real

    def view(self, table: str) -> TableView | None:
        self.watch.before_view(table)
        view = self.real.view(table)
        if view is None or table not in self.watch.collations:
            return view
        return replace(view, key_collations=dict.fromkeys(view.key_collations, self.watch.collations[table]))

    @contextmanager
    def snapshot(self) -> Iterator[AuditSnapshot]:
        self.watch.open += 1
        self.watch.most_open = max(self.watch.most_open, self.watch.open)
        try:
            with self.real.snapshot() as real:
                yield WatchedSnapshot(self.watch, real)
        finally:
            self.watch.open -= 1


def watched(storage: Storage) -> tuple[Storage, Watch]:
    """The same queue, and the watch over what is read of it."""
    watch = Watch()
    return replace(storage, audit=WatchedReader(watch, storage.audit)), watch
