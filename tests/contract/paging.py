"""Walks over pages as a caller does it: from the last key on, until a page is empty."""

from collections.abc import Callable
from typing import TypeVar

from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, Row

E = TypeVar("E")
C = TypeVar("C")
R = TypeVar("R", bound=Row)

MANY_PAGES = 1_000


def walk(read: Callable[[C | None, int], tuple[E, ...]], cursor_of: Callable[[E], C], size: int) -> list[E]:
    """Everything that pages of `size` give; each page but the last two is full."""
    listed: list[E] = []
    after: C | None = None
    for _ in range(MANY_PAGES):
        page = read(after, size)
        assert len(page) <= size
        if not page:
            return listed
        assert len(listed) % size == 0, "a page in the middle was short"
        listed.extend(page)
        after = cursor_of(page[-1])
    raise AssertionError("the pages do not end")


def walk_audit(
    snapshot: AuditSnapshot, row_type: type[R], size: int, *, after: Key | None = None, upto: Key | None = None
) -> list[R]:
    """Every row that audit pages of `size` give."""
    listed: list[R] = []
    for _ in range(MANY_PAGES):
        page = snapshot.page(row_type, after=after, upto=upto, limit=size)
        assert len(page.rows) + len(page.foreign) <= size
        listed.extend(page.rows)
        if page.next_after is None:
            return listed
        assert page.next_after != after, "the pages do not move on"
        after = page.next_after
    raise AssertionError("the pages do not end")
