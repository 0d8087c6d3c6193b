"""A page that is compared at once is called plain only where no row of it differs in anything."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest

from stovepipe_cli.audit.course import Course, usual_courses
from stovepipe_cli.audit.whole_page import WholePages
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.history.identity import fact_occurrence
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, log_texts
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestRow, RequestSummaryRow

REQUESTS = 25
# Of each column, values that are wrong wherever they stand.
OTHER: dict[str, Sequence[Any]] = {
    "request_id": ("", "0", "1 ", "99999", BETWEEN_ENTRIES),
    "log_id": ("", "state/4", "event/build_finished/b", "STATE/1", f"a{BETWEEN_ENTRIES}b"),
    "timestamp_ms": (0, -1),
    "state": ("Accepted", "accepted ", "x", BETWEEN_ENTRIES),
    "event": ("build_started", " ", "x"),
    "request_version": (-1, 4, 10),
    "outcome_reason": ("x", " ", "timed_out"),
    "metadata": ("", "null", "[]", '{"build_id": ""}', '{"a":"b"}', " {}"),
}


Page = tuple[list[RequestRow], list[RequestSummaryRow], list[RequestLogRow]]


@cache
def healthy() -> Page:
    """Requests of every usual course, in the order of their ids."""
    page: Page = ([], [], [])
    courses = [*usual_courses().values()]
    for number in range(100, 100 + REQUESTS):
        add(page, courses[number % len(courses)], str(number))
    return page


def add(page: Page, course: Course, request_id: str) -> None:
    requests, summaries, log = page
    uri, base = f"git://r/{request_id}", f"git://r/base{request_id}"
    build = f"b-{request_id}" if course.has_build else ""
    degree = "0" if course.state == "succeeded" else "1"
    values = ([build], [fact_occurrence(uri)], [degree], [base])
    texts = [pattern.filled(values, 1)[0].split(BETWEEN_ENTRIES) for pattern in course.columns]
    times = [1_000 + place for place in range(len(course.entries))]
    for (log_id, state, event, version, reason, metadata), at in zip(zip(*texts, strict=True), times, strict=True):
        log.append(RequestLogRow(request_id, log_id, at, state, event, int(version), reason, metadata))
    requests.append(RequestRow(request_id, uri, course.state, "full", base, course.version, build))
    ends, begins = times[course.states[-1]], times[course.states[0]]
    summaries.append(
        RequestSummaryRow(request_id, uri, base, course.state, course.version, ends, 2, begins, course.reason, 0, 0, 0)
    )


def with_value(row: Any, column: str, value: object) -> Any:  # noqa: ANN401 - a row of any table
    return row._replace(**{column: value})


def is_plain(
    requests: Sequence[RequestRow], log: Sequence[RequestLogRow], summaries: Sequence[RequestSummaryRow] | None = None
) -> bool:
    return WholePages().marks(requests, summaries, log_texts(log)) is not None


def generated() -> Page:
    """Rows as `fixtures generate` makes them."""
    rows = [row for batch in SyntheticQueue("q/main", REQUESTS, seed=4).batches() for row in batch]
    return (
        sorted((row for row in rows if isinstance(row, RequestRow)), key=lambda row: key_bytes(row.id)),
        [row for row in rows if isinstance(row, RequestSummaryRow)],
        sorted(
            (row for row in rows if isinstance(row, RequestLogRow)),
            key=lambda row: (key_bytes(row.request_id), key_bytes(row.log_id)),
        ),
    )


@pytest.mark.parametrize("page", [healthy, generated])
def test_every_request_of_a_healthy_page_is_marked(page: Callable[[], Page]) -> None:
    requests, summaries, log = page()
    marks = WholePages().marks(requests, summaries, log_texts(log))
    assert marks is not None
    assert sorted(marks.ids) == sorted(row.id for row in requests)
    of_request = {row.id: row for row in requests}
    accepted = {row.request_id: row.timestamp_ms for row in log if row.state == "accepted"}
    for request_id, uri, build, outcome, at in zip(
        marks.ids, marks.uris, marks.builds, marks.outcomes, marks.accepted_at_ms, strict=True
    ):
        request = of_request[request_id]
        assert (uri, build, outcome) == (request.uri, request.terminal_build_id, request.state)
        assert at == accepted[request_id]


@pytest.mark.parametrize(("column", "value"), [(name, value) for name, some in OTHER.items() for value in some])
def test_an_entry_with_another_value_anywhere_is_seen(column: str, value: object) -> None:
    requests, _, log = healthy()
    for place, row in enumerate(log):
        if getattr(row, column) != value:
            changed = [*log[:place], with_value(row, column, value), *log[place + 1 :]]
            assert not is_plain(requests, changed), row


def test_an_entry_that_lacks_or_is_there_twice_is_seen() -> None:
    requests, _, log = healthy()
    for place, row in enumerate(log):
        assert not is_plain(requests, [*log[:place], *log[place + 1 :]])
        assert not is_plain(requests, [*log[:place], row, *log[place:]])


def test_two_entries_that_changed_places_are_seen() -> None:
    requests, _, log = healthy()
    for place in range(len(log) - 1):
        changed = [*log]
        changed[place : place + 2] = changed[place : place + 2][::-1]
        assert not is_plain(requests, changed)


def test_a_separator_in_one_value_does_not_make_up_for_one_that_is_lost_in_another() -> None:
    requests, _, log = healthy()
    for first, second in product(range(0, len(log), 7), range(1, len(log), 5)):
        if first == second:
            continue
        changed = [*log]
        changed[first] = changed[first]._replace(metadata=changed[first].metadata + BETWEEN_ENTRIES)
        del changed[second]
        assert not is_plain(requests, changed)


@pytest.mark.parametrize("column", ["uri", "state", "base_uri", "version", "terminal_build_id"])
def test_a_request_with_another_value_anywhere_is_seen(column: str) -> None:
    requests, summaries, log = healthy()
    value: object = 1 if column == "version" else 'other"'
    for place, row in enumerate(requests):
        changed = [*requests[:place], with_value(row, column, value), *requests[place + 1 :]]
        assert not is_plain(changed, log, summaries), row


@pytest.mark.parametrize("column", RequestSummaryRow._fields)
def test_a_summary_with_another_value_anywhere_is_seen(column: str) -> None:
    requests, summaries, log = healthy()
    for place, row in enumerate(summaries):
        old = getattr(row, column)
        value = "other" if isinstance(old, str) else old + 1
        changed = [*summaries[:place], with_value(row, column, value), *summaries[place + 1 :]]
        # Its own version counts how often it was written, which is nobody's to foretell.
        assert is_plain(requests, log, changed) == (column == "version"), row


def test_a_summary_that_lacks_is_seen() -> None:
    requests, summaries, log = healthy()
    for place in range(len(summaries)):
        assert not is_plain(requests, log, [*summaries[:place], *summaries[place + 1 :]])


def test_texts_that_are_odd_are_not_looked_at() -> None:
    requests, _, log = healthy()
    assert WholePages().marks(requests, None, dataclasses.replace(log_texts(log), is_odd=True)) is None


def test_no_requests_are_not_a_plain_page() -> None:
    assert not is_plain((), ())
    assert not is_plain((), healthy()[2])


def test_after_pages_that_differ_it_rests_ever_longer_and_begins_anew_after_one_that_does_not() -> None:
    requests, _, log = healthy()
    good, bad = log_texts(log), log_texts(log[1:])
    pages = WholePages()

    def rest_after(text: Any) -> int:  # noqa: ANN401 - either of the two
        pages.marks(requests, None, text)
        rested = 0
        while not pages.is_worth_it():
            rested += 1
        return rested

    assert [rest_after(bad) for _ in range(3)] == [0, 2, 6]
    assert rest_after(good) == 0
    assert rest_after(bad) == 0
    assert max(rest_after(bad) for _ in range(9)) == 63
