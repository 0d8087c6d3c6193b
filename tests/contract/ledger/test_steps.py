"""Reads of steps."""

import pytest

from stovepipe_cli.storage.ledger.contract import QueueLedger
from tests.contract.ledger.samples import LONG_MS, an_event, claimed, completed, expired, leased, started

NONE = {"pending": 0, "running": 0, "waiting": 0, "completed": 0, "failed": 0}


def one_of_each(book: QueueLedger) -> QueueLedger:
    """Steps 0 to 6: completed, failed, waiting, pending now, pending later, running, expired."""
    started(book)
    completed(book, 0)
    leased(book, "StepFailed", claimed(book, 1), {"reason": "poison", "is_final": True}, step_index=1)
    leased(book, "StepWaiting", claimed(book, 2), {"reason": "ask"}, step_index=2)
    for index, at in ((3, 0), (4, book.steps.now_ms() + LONG_MS)):
        body = {"reason": "busy", "not_before_ms": at}
        leased(book, "RetryScheduled", claimed(book, index), body, step_index=index)
    claimed(book, 5)
    expired(book, 6)
    return book


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_steps_page_by_index(book: QueueLedger, limit: int) -> None:
    one_of_each(book)
    found: list[int] = []
    while page := book.steps.steps("r1", limit=limit, after=found[-1] if found else -1):
        assert len(page) <= limit
        found += [step.step_index for step in page]
    assert found == [0, 1, 2, 3, 4, 5, 6]


def test_steps_of_one_status_page_by_index(book: QueueLedger) -> None:
    one_of_each(book)
    assert [step.step_index for step in book.steps.steps("r1", limit=9, status="pending")] == [3, 4]
    assert [step.step_index for step in book.steps.steps("r1", limit=1, after=5, status="running")] == [6]


def test_the_last_step_has_the_highest_index(book: QueueLedger) -> None:
    assert book.steps.last_step("r1") is None
    started(book)
    assert book.steps.last_step("r1") is None
    for index in range(12):
        completed(book, index)
    last = book.steps.last_step("r1")
    assert last is not None
    assert last == book.steps.step("r1", 11)


def test_claimable_are_the_steps_that_a_claim_would_be_granted_now(book: QueueLedger) -> None:
    one_of_each(book)
    assert [step.step_index for step in book.steps.claimable("r1", limit=9)] == [3, 6]
    assert [step.step_index for step in book.steps.claimable("r1", limit=1)] == [3]
    for step in book.steps.claimable("r1", limit=9):
        claimed(book, step.step_index, "w9")


def test_every_status_of_steps_is_counted_and_named(book: QueueLedger) -> None:
    assert book.steps.counts_by_status("r1") == NONE
    one_of_each(book)
    assert book.steps.counts_by_status("r1") == {
        "pending": 2, "running": 2, "waiting": 1, "completed": 1, "failed": 1
    }  # fmt: skip


@pytest.mark.parametrize("index", [-2, -1, 7, 2**31, 2**70])
def test_there_is_no_step_of_another_number(book: QueueLedger, index: int) -> None:
    one_of_each(book)
    assert book.steps.step("r1", index) is None
    assert not book.steps.take_over("r1", index, fencing=1, worker="w1")


@pytest.mark.parametrize("after", [2**31, 2**70])
def test_no_page_lies_behind_every_number(book: QueueLedger, after: int) -> None:
    one_of_each(book)
    assert book.steps.steps("r1", limit=9, after=after) == ()
    assert book.steps.load_events("r1", limit=9, after=after) == ()


def test_a_step_resumes_with_the_operators_input(book: QueueLedger) -> None:
    one_of_each(book)
    book.steps.append_event(an_event(book.queue, "StepResumed", 2, body={"input": {"answer": "é"}}))
    step = book.steps.step("r1", 2)
    assert step is not None
    assert (step.status, step.input, step.reason) == ("pending", {"answer": "é"}, None)
