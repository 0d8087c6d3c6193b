"""Databases and walks for tests of the commands that look."""

from collections.abc import Callable

from stovepipe_cli.look.request_filter import RequestFilter
from stovepipe_cli.look.requests_by_acceptance import list_by_acceptance
from stovepipe_cli.look.requests_by_number import list_by_number
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.look import RequestItem
from stovepipe_cli.storage.contract import Storage
from tests.support.audits import StandingClock

EVERYTHING = RequestFilter()

Page = Callable[[int, str | None], ListReport[RequestItem]]
Order = Callable[..., Page]


def by_number(storage: Storage, chosen: RequestFilter = EVERYTHING) -> Page:
    return lambda limit, cursor: list_by_number(storage, chosen, StandingClock(), limit=limit, cursor=cursor)


def by_acceptance(storage: Storage, chosen: RequestFilter = EVERYTHING) -> Page:
    return lambda limit, cursor: list_by_acceptance(storage, chosen, StandingClock(), limit=limit, cursor=cursor)


def walked(page: Page, limit: int) -> list[str]:
    """The ids of every page, of which none but the last may be short without saying so."""
    ids: list[str] = []
    cursor: str | None = None
    while True:
        report = page(limit, cursor)
        ids += [item.request_id for item in report.items]
        if report.next_cursor is None:
            return ids
        assert report.next_cursor != cursor, "the cursor stands still"
        cursor = report.next_cursor
