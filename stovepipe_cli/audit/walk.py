"""Reads in short snapshots: one piece of work, or a whole table in primary-key order, a snapshot a page."""

from collections.abc import Callable
from typing import TypeVar

from stovepipe_cli.audit.pace import LARGEST, Deadline, PageSize
from stovepipe_cli.audit.span import WHOLE, Span
from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.contract import (
    AuditPage,
    AuditReader,
    AuditSnapshot,
    BarePage,
    StatementTimeout,
    StorageUnavailable,
)
from stovepipe_cli.storage.contract.rows import Key, Row

R = TypeVar("R", bound=Row)
T = TypeVar("T")
Visit = Callable[[AuditSnapshot, Key | None, AuditPage[R]], int]
BareVisit = Callable[[AuditSnapshot, Key | None, BarePage], T]

# The storage library redoes what it can; what is lost inside a snapshot is redone here, as a whole.
TRIES = 4
PAUSE_SECONDS = 1.0


class Snapshots:
    """Where to read, and how patiently; walks read `span` of their table."""

    def __init__(self, reader: AuditReader, clock: Clock, span: Span = WHOLE) -> None:
        self.reader = reader
        self.clock = clock
        self.span = span

    def read(
        self,
        work: Callable[[AuditSnapshot], T],
        failed: Callable[[StorageUnavailable], None] = lambda _: None,
    ) -> T:
        """The answer of `work`, done again in a fresh snapshot where the connection was lost.

        `work` must bear repetition; `failed` hears of each loss that is tried again. `StorageUnavailable` after the
        last try.
        """
        for failures in range(1, TRIES):
            try:
                with self.reader.snapshot() as snapshot:
                    return work(snapshot)
            except StorageUnavailable as error:
                if not error.retryable:
                    raise
                failed(error)
                self.clock.sleep(PAUSE_SECONDS * failures)
        with self.reader.snapshot() as snapshot:
            return work(snapshot)


def walk(
    snapshots: Snapshots,
    row_type: type[R],
    visit: Visit[R],
    deadline: Deadline,
    done: Callable[[int], None] = lambda _: None,
) -> bool:
    """Give `visit` every page, with the key it started after, inside the page's snapshot; then `done` its answer.

    True once the backend has answered that nothing remains; False where the deadline came first.
    """

    def read(snapshot: AuditSnapshot, after: Key | None, limit: int) -> tuple[int, Key | None]:
        page = snapshot.page(row_type, after=after, upto=snapshots.span.upto, limit=limit)
        return visit(snapshot, after, page), page.next_after

    return _walk(snapshots, read, deadline, done, LARGEST)


def walk_bare(
    snapshots: Snapshots,
    row_type: type[R],
    visit: BareVisit[T],
    deadline: Deadline,
    done: Callable[[T], None],
    most: int = LARGEST,
) -> bool:
    """The same with bare pages, of at most `most` rows; `done` may count on hearing of no page twice."""

    def read(snapshot: AuditSnapshot, after: Key | None, limit: int) -> tuple[T, Key | None]:
        page = snapshot.bare_page(row_type, after=after, upto=snapshots.span.upto, limit=limit, in_any_order=True)
        return visit(snapshot, after, page), page.next_after

    return _walk(snapshots, read, deadline, done, most)


def _walk(
    snapshots: Snapshots,
    read: Callable[[AuditSnapshot, Key | None, int], tuple[T, Key | None]],
    deadline: Deadline,
    done: Callable[[T], None],
    most: int,
) -> bool:
    size = PageSize(largest=most)
    after = snapshots.span.after

    def failed(error: StorageUnavailable) -> None:
        if isinstance(error, StatementTimeout):
            size.shrink()

    def once(snapshot: AuditSnapshot) -> tuple[T, Key | None]:
        return read(snapshot, after, size.rows)

    while not deadline.is_over:
        started = snapshots.clock.monotonic()
        found, after = snapshots.read(once, failed)
        size.adapt(snapshots.clock.monotonic() - started)
        done(found)
        if after is None:
            return True
    return False
