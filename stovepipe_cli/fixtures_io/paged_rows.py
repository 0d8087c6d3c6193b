"""A table read page by page, each page in a short snapshot of its own that is taken again where it was lost."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.contract import AuditReader, AuditSnapshot, StatementTimeout, StorageUnavailable
from stovepipe_cli.storage.contract.rows import Key, RequestRow, Row

T = TypeVar("T")
Visit = Callable[[AuditSnapshot, Sequence[Row]], T]

PAGE_ROWS = 1000

_TRIES = 4
_PAUSE_SECONDS = 1.0


class PagedRows:
    """Where to read, and how patiently."""

    def __init__(self, reader: AuditReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._size = PAGE_ROWS

    def has(self, table: str) -> bool:
        """Whether the table is there."""
        return self._reader.view(table) is not None

    def read(self, work: Callable[[AuditSnapshot], T]) -> T:
        """The answer of `work`, done again in a fresh snapshot where the connection was lost.

        `StorageUnavailable` after the last try. Pages are smaller once a statement took too long.
        """
        for failures in range(1, _TRIES):
            try:
                with self._reader.snapshot() as snapshot:
                    return work(snapshot)
            except StorageUnavailable as error:
                if not error.retryable:
                    raise
                if isinstance(error, StatementTimeout):
                    self._size = max(self._size // 4, 1)
                self._clock.sleep(_PAUSE_SECONDS * failures)
        with self._reader.snapshot() as snapshot:
            return work(snapshot)

    def pages(self, row_type: type[Row], visit: Visit[T]) -> Iterator[T]:
        """What `visit` makes of each page, in key order; it is called inside the page's snapshot."""
        after: Key | None = None
        # Any row type stands for all of them: a page is of the type that is asked for.
        asked = cast("type[RequestRow]", row_type)

        def one_page(snapshot: AuditSnapshot) -> tuple[T, Key | None]:
            page = snapshot.page(asked, after=after, limit=self._size)
            return visit(snapshot, page.rows), page.next_after

        while True:
            made, after = self.read(one_page)
            yield made
            if after is None:
                return
