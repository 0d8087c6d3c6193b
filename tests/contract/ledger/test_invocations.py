"""`record_invocation` owns the attempts of a run, one row each."""

from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.entities.invocation import InvocationStatus
from stovepipe_cli.entities.run import RunStatus
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import ForeignQueue, NotFound
from stovepipe_cli.storage.ledger.contract import InvocationConflict, QueueLedger, RunEnded
from tests.contract.ledger.samples import NOON_MS, a_run, an_attempt, an_end

LOCKED = ("SUCCEEDED", "FAILED", "CANCELLED")
PAGES = (1, 2, 3, 100)


def recorded(book: QueueLedger, **fields: object) -> QueueLedger:
    book.runs.save(a_run(book.queue))
    book.runs.record_invocation(an_attempt(book.queue, "i1", **fields))
    return book


def test_an_attempt_is_read_back_whole(book: QueueLedger) -> None:
    recorded(book, finished_at_ms=NOON_MS + 1)
    assert book.runs.invocations_of("r1", limit=9) == (an_attempt(book.queue, finished_at_ms=NOON_MS + 1),)


@pytest.mark.parametrize("status", ["IN_FLIGHT", *LOCKED])
def test_an_attempt_in_flight_is_rewritten_whole(book: QueueLedger, status: InvocationStatus) -> None:
    recorded(book)
    other = an_attempt(
        book.queue,
        status=status,
        step_index=4,
        attempt=2,
        worker="w2",
        started_at_ms=NOON_MS + 1,
        finished_at_ms=NOON_MS + 2,
        document={},
    )
    book.runs.record_invocation(other)
    assert book.runs.invocations_of("r1", limit=9) == (other,)


@pytest.mark.parametrize("status", LOCKED)
def test_an_equal_write_of_a_locked_attempt_replays(book: QueueLedger, status: InvocationStatus) -> None:
    recorded(book, status=status)
    book.runs.record_invocation(an_attempt(book.queue, status=status))
    assert book.runs.invocations_of("r1", limit=9) == (an_attempt(book.queue, status=status),)


@pytest.mark.parametrize(
    "fields",
    [
        {"document": {"rows": [1, 3]}},
        {"worker": "w2"},
        {"attempt": 2},
        {"step_index": 1},
        {"finished_at_ms": NOON_MS},
        {"started_at_ms": NOON_MS + 1},
        {"status": "IN_FLIGHT"},
    ],
)
@pytest.mark.parametrize("status", LOCKED)
def test_any_other_write_of_a_locked_attempt_is_a_conflict(
    book: QueueLedger, status: InvocationStatus, fields: dict[str, Any]
) -> None:
    locked = an_attempt(book.queue, status=status)
    recorded(book, status=status)
    with pytest.raises(InvocationConflict):
        book.runs.record_invocation(replace(locked, **fields))
    assert book.runs.invocations_of("r1", limit=9) == (locked,)


def test_a_locked_attempt_does_not_move_to_another_terminal_status(book: QueueLedger) -> None:
    recorded(book, status="FAILED")
    with pytest.raises(InvocationConflict):
        book.runs.record_invocation(an_attempt(book.queue, status="SUCCEEDED"))


def test_a_write_to_one_attempt_touches_no_other(book: QueueLedger) -> None:
    recorded(book)
    others = (an_attempt(book.queue, "I1"), an_attempt(book.queue, "i1 "), an_attempt(book.queue, "í1"))
    for other in others:
        book.runs.record_invocation(other)
    book.runs.record_invocation(an_attempt(book.queue, status="SUCCEEDED"))
    found = {each.invocation_id: each for each in book.runs.invocations_of("r1", limit=9)}
    assert found == {"i1": an_attempt(book.queue, status="SUCCEEDED"), **{each.invocation_id: each for each in others}}


def test_an_attempt_leaves_the_header_and_its_version(book: QueueLedger) -> None:
    recorded(book)
    book.runs.record_invocation(an_attempt(book.queue, status="SUCCEEDED"))
    assert book.runs.find("r1") == a_run(book.queue, version=1)


def test_an_attempt_without_a_run_is_not_found(book: QueueLedger) -> None:
    with pytest.raises(NotFound):
        book.runs.record_invocation(an_attempt(book.queue))
    assert book.runs.invocations_of("r1", limit=9) == ()


@pytest.mark.parametrize("status", ["COMPLETED", "FAILED", "CANCELLED"])
def test_an_ended_run_takes_no_attempt_not_even_an_equal_one(book: QueueLedger, status: RunStatus) -> None:
    recorded(book, status="SUCCEEDED")
    book.runs.transition("r1", an_end(status))
    for attempt in (an_attempt(book.queue, status="SUCCEEDED"), an_attempt(book.queue, "i2")):
        with pytest.raises(RunEnded):
            book.runs.record_invocation(attempt)
    assert book.runs.invocations_of("r1", limit=9) == (an_attempt(book.queue, status="SUCCEEDED"),)


def test_a_foreign_attempt_is_refused(book: QueueLedger) -> None:
    with pytest.raises(ForeignQueue):
        book.runs.record_invocation(an_attempt(book.queue.upper()))


def test_an_attempt_that_is_no_json_is_refused(book: QueueLedger) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.record_invocation(an_attempt(book.queue, document={"x": {1}}))


@pytest.mark.parametrize("limit", PAGES)
def test_attempts_page_in_plan_order(book: QueueLedger, limit: int) -> None:
    book.runs.save(a_run(book.queue))
    places = [(0, 1, "z"), (0, 2, "a"), (0, 2, "b"), (1, 1, "A"), (1, 1, "c"), (9, 1, "0"), (10, 1, "0a")]
    for step, attempt, name in reversed(places):
        book.runs.record_invocation(an_attempt(book.queue, name, step_index=step, attempt=attempt))
    found: list[tuple[int, int, str]] = []
    while page := book.runs.invocations_of("r1", limit=limit, after=found[-1] if found else None):
        assert len(page) <= limit
        found += [(each.step_index, each.attempt, each.invocation_id) for each in page]
    assert found == places
