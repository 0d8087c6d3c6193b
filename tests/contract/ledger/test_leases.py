"""Leases: renewed, released, taken over and lost, all by the ledger's own clock."""

import inspect
from dataclasses import fields

import pytest

from stovepipe_cli.storage.ledger.contract import Execution, HeldByOther, LeaseLost, QueueLedger, StepStore
from tests.contract.ledger.samples import LONG_MS, an_event, claimed, completed, expired, leased, started, wait_until


def test_a_renewal_moves_the_end_of_the_lease_and_nothing_else(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book, ttl_ms=50_000)
    events = book.steps.load_events("r1", limit=9)
    before = book.steps.now_ms()
    until = book.steps.renew_lease("r1", 0, "w1", fencing=claim.fencing, ttl_ms=LONG_MS)
    assert before + LONG_MS <= until <= book.steps.now_ms() + LONG_MS
    step = book.steps.step("r1", 0)
    assert step is not None
    assert (step.lease_until_ms, step.attempt, step.fencing, step.status) == (until, 1, 1, "running")
    assert book.steps.load_events("r1", limit=9) == events


def test_a_lease_that_has_run_out_is_not_renewed(book: QueueLedger) -> None:
    started(book)
    claim = expired(book)
    with pytest.raises(LeaseLost):
        book.steps.renew_lease("r1", 0, "w1", fencing=claim.fencing, ttl_ms=LONG_MS)


def test_a_lease_that_went_to_another_is_not_renewed(book: QueueLedger) -> None:
    started(book)
    claim = expired(book)
    theirs = claimed(book, worker="w2")
    for worker, fencing in (("w1", claim.fencing), ("w1", theirs.fencing), ("w2", claim.fencing), ("W2", 2)):
        with pytest.raises(LeaseLost):
            book.steps.renew_lease("r1", 0, worker, fencing=fencing, ttl_ms=LONG_MS)
    step = book.steps.step("r1", 0)
    assert step is not None
    assert step.lease_until_ms == theirs.until_ms


def test_an_earlier_lease_of_the_same_worker_is_lost_as_well(book: QueueLedger) -> None:
    started(book)
    first = claimed(book)
    claimed(book)
    with pytest.raises(LeaseLost):
        book.steps.renew_lease("r1", 0, "w1", fencing=first.fencing, ttl_ms=LONG_MS)


def test_a_lease_of_no_step_is_not_renewed(book: QueueLedger) -> None:
    with pytest.raises(LeaseLost):
        book.steps.renew_lease("r1", 0, "w1", fencing=1, ttl_ms=5)
    started(book)
    with pytest.raises(LeaseLost):
        book.steps.renew_lease("r1", 0, "w1", fencing=1, ttl_ms=5)


def test_a_lease_of_a_completed_step_is_not_renewed(book: QueueLedger) -> None:
    started(book)
    completed(book)
    with pytest.raises(LeaseLost):
        book.steps.renew_lease("r1", 0, "w1", fencing=1, ttl_ms=5)


def test_a_released_lease_has_run_out(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    book.steps.release_lease("r1", 0, "w1", fencing=claim.fencing)
    assert [each.step_index for each in book.steps.expired_leases(limit=9, run_id="r1")] == [0]
    assert claimed(book, worker="w2").attempt == 2


def test_a_release_leaves_the_lease_of_another(book: QueueLedger) -> None:
    started(book)
    lost = expired(book)
    theirs = claimed(book, worker="w2")
    book.steps.release_lease("r1", 0, "w1", fencing=lost.fencing)
    book.steps.release_lease("r1", 0, "w1", fencing=theirs.fencing)
    for index in (-1, 7, 2**40):
        book.steps.release_lease("r1", index, "w1", fencing=1)
    book.steps.release_lease("r1", 0, "w2", fencing=2**70)
    book.steps.release_lease("nobody", 0, "w1", fencing=1)
    assert book.steps.claim_step("r1", 0, "w3", ttl_ms=5) == HeldByOther("w2", theirs.until_ms)


def test_the_lease_of_a_worker_that_is_gone_is_taken_over_at_once(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    assert book.steps.take_over("r1", 0, fencing=claim.fencing, worker="w1")
    event = book.steps.load_events("r1", limit=1, after=2)[0]
    assert (event.kind, event.step_index, event.fencing, event.body) == ("WorkerRecovered", 0, 1, {"worker": "w1"})
    assert claimed(book, worker="w2").fencing == 2


def test_a_lease_that_has_changed_hands_is_not_taken_over(book: QueueLedger) -> None:
    started(book)
    lost = expired(book)
    theirs = claimed(book, worker="w2")
    before = book.steps.load_events("r1", limit=9)
    assert not book.steps.take_over("r1", 0, fencing=lost.fencing, worker="w1")
    assert not book.steps.take_over("r1", 0, fencing=theirs.fencing, worker="w1")
    assert not book.steps.take_over("r1", 5, fencing=1, worker="w1")
    assert not book.steps.take_over("nobody", 0, fencing=1, worker="w1")
    assert book.steps.load_events("r1", limit=9) == before


def test_the_lease_of_a_step_that_is_disposed_of_is_not_taken_over(book: QueueLedger) -> None:
    started(book)
    completed(book)
    assert not book.steps.take_over("r1", 0, fencing=1, worker="w1")


def test_expired_leases_name_workflow_step_and_attempt_the_longest_expired_first(book: QueueLedger) -> None:
    found: list[Execution] = []
    for run_id, index in (("r2", 0), ("r1", 0), ("r1", 1)):
        started(book, run_id)
        claim = expired(book, index, f"{run_id}-{index}", run_id=run_id)
        found.append(Execution(book.queue, run_id, index, 1, f"{run_id}-{index}", 1, claim.until_ms))
    claimed(book, 1, run_id="r2")
    completed(book, 2, run_id="r2")
    assert book.steps.expired_leases(limit=9) == tuple(found)
    assert book.steps.expired_leases(limit=2) == tuple(found[:2])
    assert book.steps.expired_leases(limit=9, run_id="r1") == tuple(found[1:])


def test_an_expired_lease_tells_what_to_run_again_and_not_how() -> None:
    assert {field.type for field in fields(Execution)} <= {str, int, "str", "int"}


def test_steps_of_a_closed_workflow_are_no_expired_leases(book: QueueLedger) -> None:
    started(book)
    expired(book)
    book.steps.append_event(an_event(book.queue, "WorkflowCancelled"))
    assert book.steps.expired_leases(limit=9) == ()
    assert book.steps.claimable("r1", limit=9) == ()


def test_live_leases_are_those_that_have_not_run_out(book: QueueLedger) -> None:
    started(book)
    expired(book, 0)
    claimed(book, 1, "w2")
    completed(book, 2)
    assert [(step.step_index, step.worker) for step in book.steps.live_leases("r1", limit=9)] == [(1, "w2")]


def test_a_lease_runs_out_by_the_ledgers_clock(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book, ttl_ms=20)
    while book.steps.now_ms() < claim.until_ms:
        assert book.steps.expired_leases(limit=9) == () or book.steps.now_ms() >= claim.until_ms
    wait_until(book, claim.until_ms)
    assert len(book.steps.expired_leases(limit=9)) == 1


def test_no_worker_tells_the_store_what_time_it_is() -> None:
    for name, method in inspect.getmembers(StepStore, inspect.isfunction):
        assert not {"now_ms", "at_ms", "clock"} & set(inspect.signature(method).parameters), name


def test_a_completion_ends_the_lease_at_once(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    leased(book, "StepCompleted", claim, {"output": {}})
    step = book.steps.step("r1", 0)
    assert step is not None
    assert (step.lease_until_ms, step.worker, step.output) == (0, "w1", {})
