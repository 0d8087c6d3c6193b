"""The log of events: appended, in one order, never changed, and written together with what it makes of the steps."""

from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.entities.work import ENDINGS, STEP_EVENTS, EventKind, WorkEvent
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import ForeignQueue, NotFound
from stovepipe_cli.storage.ledger.contract import LeaseLost, Ledger, QueueLedger, RunConflict, WorkflowEnded
from tests.contract.ledger.samples import COVERS, an_event, claimed, completed, expired, leased, started
from tests.contract.ledger.test_steps import one_of_each

UNDER_A_LEASE: dict[EventKind, dict[str, Any]] = {
    "StepCompleted": {"output": {"done": 1}},
    "StepFailed": {"reason": "poison"},
    "RetryScheduled": {"reason": "busy", "not_before_ms": 5},
    "StepWaiting": {"reason": "ask"},
}


def log(book: QueueLedger, run_id: str = "r1") -> tuple[WorkEvent, ...]:
    return book.steps.load_events(run_id, limit=1_000)


def test_an_event_is_read_back_whole_with_its_number_and_time(book: QueueLedger) -> None:
    event = an_event(book.queue, "WorkflowStarted", body={"job": {"kind": "verify"}}, worker="w1")
    before = book.steps.now_ms()
    appended = book.steps.append_event(event)
    assert before <= appended.at_ms <= book.steps.now_ms()
    assert appended == replace(event, sequence=1, at_ms=appended.at_ms)
    assert log(book) == (appended,)


def test_events_are_numbered_from_1_without_gaps_whatever_was_refused_between(book: QueueLedger) -> None:
    started(book)
    for index in range(4):
        completed(book, index)
        with pytest.raises(NotFound):
            book.steps.append_event(an_event(book.queue, "StepResumed", 99))
        book.steps.claim_step("r1", index, "w2", ttl_ms=5)
        book.steps.append_event(an_event(book.queue, "WorkflowStarted"))
    assert [event.sequence for event in log(book)] == list(range(1, 10))


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_events_page_in_sequence(book: QueueLedger, limit: int) -> None:
    started(book)
    for index in range(4):
        completed(book, index)
    found: list[WorkEvent] = []
    while page := book.steps.load_events("r1", limit=limit, after=found[-1].sequence if found else 0):
        assert len(page) <= limit
        found += page
    assert tuple(found) == log(book)
    assert [event.kind for event in found] == ["WorkflowStarted", *(["StepStarted", "StepCompleted"] * 4)]


def test_later_events_change_no_earlier_one(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    leased(book, "StepFailed", claim, {"reason": "busy"})
    before = log(book)
    leased(book, "RetryScheduled", claim, {"reason": "busy", "not_before_ms": 0})
    completed(book)
    book.steps.append_event(an_event(book.queue, "WorkflowCompleted"))
    assert log(book)[: len(before)] == before


def test_an_equal_token_is_a_replay_also_where_the_lease_is_gone(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    event = an_event(
        book.queue, "StepCompleted", 0, worker="w1", fencing=claim.fencing, attempt=1, body={"output": {"done": 1}}
    )
    first = book.steps.append_event(event)
    assert book.steps.append_event(event) == first
    book.steps.append_event(an_event(book.queue, "WorkflowCompleted"))
    assert book.steps.append_event(event) == first
    assert [each.kind for each in log(book)].count("StepCompleted") == 1


def test_tokens_compare_as_bytes(book: QueueLedger) -> None:
    started(book)
    for index, token in enumerate(("token", "TOKEN", "token ", "tokén")):
        claim = claimed(book, index)
        leased(book, "StepCompleted", claim, {"output": {}}, step_index=index, token=token)
    assert [each.token for each in log(book) if each.kind == "StepCompleted"] == ["token", "TOKEN", "token ", "tokén"]


def test_a_second_start_is_answered_with_the_first(book: QueueLedger) -> None:
    first = book.steps.append_event(an_event(book.queue, "WorkflowStarted"))
    assert book.steps.append_event(an_event(book.queue, "WorkflowStarted")) == first
    assert log(book) == (first,)


@pytest.mark.parametrize("kind", ENDINGS)
def test_an_ending_closes_the_workflow_and_repeats_with_the_one_on_record(book: QueueLedger, kind: EventKind) -> None:
    started(book)
    assert book.steps.ending("r1") is None
    ending = book.steps.append_event(an_event(book.queue, kind, body={"counts": {"done": 1}}))
    assert book.steps.append_event(an_event(book.queue, kind)) == ending
    assert book.steps.ending("r1") == ending
    assert len(log(book)) == 2


@pytest.mark.parametrize("second", ENDINGS)
@pytest.mark.parametrize("first", ENDINGS)
def test_another_ending_than_the_one_on_record_is_a_conflict(
    book: QueueLedger, first: EventKind, second: EventKind
) -> None:
    if first == second:
        return
    started(book)
    ending = book.steps.append_event(an_event(book.queue, first))
    with pytest.raises(RunConflict):
        book.steps.append_event(an_event(book.queue, second))
    assert book.steps.ending("r1") == ending


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_closed_workflow_takes_nothing_else(book: QueueLedger, ending: EventKind) -> None:
    started(book)
    claim = claimed(book)
    book.steps.append_event(an_event(book.queue, ending))
    before = log(book)
    for kind, body in UNDER_A_LEASE.items():
        with pytest.raises(WorkflowEnded):
            leased(book, kind, claim, body)
    with pytest.raises(WorkflowEnded):
        book.steps.append_event(an_event(book.queue, "WorkflowStarted"))
    with pytest.raises(WorkflowEnded):
        book.steps.append_event(an_event(book.queue, "StepResumed", 0))
    with pytest.raises(WorkflowEnded):
        book.steps.claim_step("r1", 1, "w1", ttl_ms=5, covers=COVERS)
    with pytest.raises(WorkflowEnded):
        book.steps.renew_lease("r1", 0, "w1", fencing=claim.fencing, ttl_ms=5)
    with pytest.raises(WorkflowEnded):
        book.steps.take_over("r1", 0, fencing=claim.fencing, worker="w1")
    assert log(book) == before


def test_nothing_is_appended_to_a_workflow_that_was_never_started(book: QueueLedger) -> None:
    with pytest.raises(NotFound):
        book.steps.append_event(an_event(book.queue, "WorkflowCompleted"))
    with pytest.raises(NotFound):
        book.steps.append_event(an_event(book.queue, "StepResumed", 0))
    assert log(book) == ()


@pytest.mark.parametrize("kind", ["StepStarted", "LeaseTakenOver", "WorkerRecovered"])
def test_what_claims_and_take_overs_write_nobody_else_writes(book: QueueLedger, kind: EventKind) -> None:
    started(book)
    claim = claimed(book)
    before = log(book)
    with pytest.raises(InvalidEntity):
        leased(book, kind, claim, {"until_ms": 5, "worker": "w1"})
    assert log(book) == before


@pytest.mark.parametrize("fields", [{"worker": "w2"}, {"worker": "W1"}, {"fencing": 0}, {"fencing": 2}])
@pytest.mark.parametrize("kind", UNDER_A_LEASE)
def test_an_event_without_the_lease_on_record_leaves_neither_event_nor_step(
    book: QueueLedger, kind: EventKind, fields: dict[str, Any]
) -> None:
    started(book)
    claim = claimed(book)
    before = (log(book), book.steps.step("r1", 0))
    with pytest.raises(LeaseLost):
        leased(book, kind, claim, UNDER_A_LEASE[kind], **fields)
    assert (log(book), book.steps.step("r1", 0)) == before


@pytest.mark.parametrize("kind", UNDER_A_LEASE)
def test_an_event_under_a_lease_that_has_run_out_is_refused(book: QueueLedger, kind: EventKind) -> None:
    started(book)
    claim = expired(book)
    with pytest.raises(LeaseLost):
        leased(book, kind, claim, UNDER_A_LEASE[kind])


def test_a_late_workers_completion_is_refused_once_another_has_the_step(book: QueueLedger) -> None:
    started(book)
    late = expired(book, worker="w1")
    claimed(book, worker="w2")
    with pytest.raises(LeaseLost):
        leased(book, "StepCompleted", late, {"output": {"done": 1}})
    step = book.steps.step("r1", 0)
    assert step is not None
    assert (step.status, step.worker) == ("running", "w2")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("StepCompleted", {}),
        ("StepFailed", {"is_final": True}),
        ("RetryScheduled", {"reason": "busy"}),
        ("RetryScheduled", {"reason": "busy", "not_before_ms": "soon"}),
        ("StepWaiting", {}),
        ("StepResumed", {"input": "no object"}),
    ],
)
def test_an_event_without_what_its_step_is_projected_from_is_refused(
    book: QueueLedger, kind: EventKind, body: dict[str, Any]
) -> None:
    started(book)
    claim = claimed(book)
    with pytest.raises(InvalidEntity):
        leased(book, kind, claim, body)


@pytest.mark.parametrize("bad", [float("inf"), {1: 2}, {3}])
def test_an_event_that_is_no_json_is_refused(book: QueueLedger, bad: object) -> None:
    started(book)
    with pytest.raises(InvalidEntity):
        book.steps.append_event(an_event(book.queue, "WorkflowCompleted", body={"deep": [bad]}))
    with pytest.raises(InvalidEntity):
        book.steps.claim_step("r1", 0, "w1", ttl_ms=5, covers={"deep": bad})
    assert len(log(book)) == 1


def test_a_step_that_does_not_wait_is_not_resumed(book: QueueLedger) -> None:
    one_of_each(book)
    before = (log(book), book.steps.steps("r1", limit=9))
    for index in (0, 1, 3, 4, 5, 6):
        with pytest.raises(RunConflict):
            book.steps.append_event(an_event(book.queue, "StepResumed", index))
    assert (log(book), book.steps.steps("r1", limit=9)) == before


def test_a_foreign_event_is_refused(book: QueueLedger) -> None:
    with pytest.raises(ForeignQueue):
        book.steps.append_event(an_event(book.queue.upper(), "WorkflowStarted"))


def test_every_kind_of_event_comes_to_be(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book, 0)
    leased(book, "StepFailed", claim, {"reason": "busy"})
    leased(book, "RetryScheduled", claim, {"reason": "busy", "not_before_ms": 0})
    leased(book, "StepWaiting", claimed(book, 0), {"reason": "ask"})
    book.steps.append_event(an_event(book.queue, "StepResumed", 0, body={"input": {"answer": 42}}))
    claim = claimed(book, 0)
    assert claim.input == {"answer": 42}
    assert book.steps.take_over("r1", 0, fencing=claim.fencing, worker="w1")
    completed(book, 0, "w2")
    assert {event.kind for event in log(book)} == {"WorkflowStarted", *STEP_EVENTS}


def test_the_log_and_the_steps_outlive_the_process(sql_ledgers: tuple[Ledger, Ledger], ledger_queue: str) -> None:
    first, second = sql_ledgers
    mine = started(first.for_queue(ledger_queue))
    completed(mine, 0)
    claimed(mine, 1)
    kept = (log(mine), mine.steps.steps("r1", limit=9))
    first.close()
    theirs = second.for_queue(ledger_queue)
    assert (log(theirs), theirs.steps.steps("r1", limit=9)) == kept
