"""Bounded reads for audits: pages in primary-key order and multi-gets, in short consistent snapshots."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from stovepipe_cli.storage.contract.column_page import ColumnPage, column_page
from stovepipe_cli.storage.contract.folding import MOST_FOLDED, MOST_LOGGED, FoldedPage, LogTexts, folded, log_texts
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, Row

R = TypeVar("R", bound=Row)

_ENTRIES_AT_ONCE = 5_000
_ROWS_AT_ONCE = 100_000
_ANYWHERE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AuditPage(Generic[R]):
    """Rows of the queue in primary-key order, and where the next page starts.

    `foreign` holds keys of rows whose queue is equal by collation only; they are no rows of this queue.
    `next_after` is None only after the backend answered with an explicit empty remainder, so a short or lost
    answer can never look like the end.
    """

    rows: tuple[R, ...]
    foreign: tuple[Key, ...]
    next_after: Key | None


@dataclass(frozen=True, slots=True)
class BarePage:
    """The same with bare tuples for rows."""

    rows: Sequence[tuple[Any, ...]]
    foreign: tuple[Key, ...]
    next_after: Key | None


@dataclass(frozen=True, slots=True)
class TableView:
    """What is there of a table: its columns, and whether its text keys compare as bytes.

    `key_collations` names the collation of each key column ("" for numbers and bytes), so that ranges over two
    tables are compared only where their orders agree. `is_queue_exact`: the column of the queue never takes another
    queue's name for this one's.
    """

    columns: frozenset[str]
    key_collations: Mapping[str, str]
    is_queue_exact: bool = True


class AuditSnapshot(ABC):
    """One consistent view of the queue. Open it for one page of work, never across a wait."""

    @abstractmethod
    def now_ms(self) -> int:
        """The database's clock in Unix milliseconds."""

    @abstractmethod
    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        """At most `limit` rows with `after` < key <= `upto`.

        Each bound is compared with as many leading key parts as it has: `after=("r1",)` skips all log entries of r1,
        and `upto=("r2",)` ends behind those of r2.

        Order and comparison are the table's own, which for text keys may be a collation; byte order is promised
        for binary keys and byte-exact tables. `SchemaMismatch` where the table is absent, `UnreadableRow` where a row
        holds a value that is not of its column's type; the same goes for `multi_get`.
        """

    def bare_page(
        self,
        row_type: type[R],
        *,
        after: Key | None = None,
        upto: Key | None = None,
        limit: int,
        in_any_order: bool = False,
    ) -> BarePage:
        """What `page` answers, its rows as plain tuples of the same fields.

        For loops over whole tables, in which a named tuple a row costs as much as reading it. `in_any_order`: so may
        the rows come, and `next_after` may be None with the last ones already.
        """
        del in_any_order  # That of the keys is one.
        page = self.page(row_type, after=after, upto=upto, limit=limit)
        return BarePage(page.rows, page.foreign, page.next_after)

    def key_behind(
        self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, rows: int
    ) -> Key | None:
        """The key that is the `rows`-th behind `after` in the table's own order; None where fewer are left."""
        page = self.bare_page(row_type, after=after, upto=upto, limit=rows)
        return page.next_after if len(page.rows) + len(page.foreign) == rows else None

    def histories(self, *, after: Key | None = None, upto: Key | None = None, limit: int) -> FoldedPage:
        """The entries of at most `limit` requests, folded, with `after` < request id <= `upto`; both have one part.

        Order and comparison are the table's own, as for `page`. Of an odd page the histories may be incomplete.
        """
        found: dict[str, tuple[int, list[RequestLogRow]]] = {}
        is_odd = False
        start = after
        while len(found) <= limit:
            page = self.page(RequestLogRow, after=start, upto=upto, limit=_ENTRIES_AT_ONCE)
            is_odd = is_odd or bool(page.foreign)
            for row in page.rows:
                entries, kept = found.get(row.request_id, (0, []))
                found[row.request_id] = (entries + 1, [*kept, row] if entries < MOST_FOLDED else kept)
            if page.next_after is None:
                break
            start = page.next_after
        whole = [folded(request_id, *of) for request_id, of in [*found.items()][:limit]]
        return FoldedPage(whole, is_odd=is_odd, next_after=(whole[-1].request_id,) if whole else None)

    def log_texts(self, *, after: Key | None = None, upto: Key | None = None) -> LogTexts:
        """The entries of all requests with `after` < request id <= `upto`, as whole texts; both have one part."""
        rows: list[RequestLogRow] = []
        while True:
            page = self.page(RequestLogRow, after=after, upto=upto, limit=_ENTRIES_AT_ONCE)
            rows += page.rows
            if page.foreign or len(rows) > MOST_LOGGED:
                return LogTexts(len(rows), (), "", is_odd=True)
            if page.next_after is None:
                return log_texts(rows)
            after = page.next_after

    def column_page(
        self,
        row_type: type[R],
        listed: Sequence[str],
        alike: Sequence[str] = (),
        *,
        at: Mapping[str, str] = _ANYWHERE,
        after: Key | None = None,
        upto: Key | None = None,
    ) -> ColumnPage:
        """The rows with `after` < key <= `upto` in whole columns, those alone whose key parts `at` are byte-equal.

        Bounds are those of `page`. Any number of rows may lie between them, and too many make the page odd.
        """
        page = self.page(row_type, after=after, upto=upto, limit=_ROWS_AT_ONCE)
        if page.foreign or len(page.rows) == _ROWS_AT_ONCE:
            return ColumnPage((), None, is_odd=True)
        return column_page(page.rows, listed, alike, at=at)

    @abstractmethod
    def multi_get(self, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        """The rows whose key starts with one of `keys` (whole keys or key prefixes), byte for byte, in no order.

        The caller bounds the keys; implementations split them over statements as needed.
        """


class AuditReader(ABC):
    """Reads for audits only, all of one queue."""

    @abstractmethod
    def view(self, table: str) -> TableView | None:
        """What is there of a table; None where a read proved it absent. `StorageUnavailable` is never None."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[AuditSnapshot]:
        """A fresh read-only snapshot, released at the end of the block."""
