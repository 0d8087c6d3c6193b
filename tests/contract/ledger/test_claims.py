"""A claim is a compare-and-set: the lease is granted if it is free, and nothing takes it from its holder."""

from typing import Any

import pytest

from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import AlreadyCompleted, AlreadyWaiting, Claimed, HeldByOther, QueueLedger
from tests.contract.ledger.samples import COVERS, LONG_MS, an_event, claimed, completed, expired, leased, started


def kinds(book: QueueLedger) -> list[str]:
    return [event.kind for event in book.steps.load_events("r1", limit=1_000)]


def test_the_first_claim_makes_the_step_with_what_it_covers(book: QueueLedger) -> None:
    started(book)
    before = book.steps.now_ms()
    claim = claimed(book)
    assert claim == Claimed(1, 1, claim.until_ms, COVERS)
    assert before + LONG_MS <= claim.until_ms <= book.steps.now_ms() + LONG_MS
    assert book.steps.step("r1", 0) == WorkStep(
        book.queue, "r1", 0, "running", 1, 1, worker="w1", lease_until_ms=claim.until_ms, input=COVERS
    )
    event = book.steps.load_events("r1", limit=1, after=1)[0]
    assert (event.kind, event.worker, event.attempt, event.fencing) == ("StepStarted", "w1", 1, 1)
    assert event.body == {"input": COVERS, "until_ms": claim.until_ms}


def test_a_completed_step_is_answered_with_its_output(book: QueueLedger) -> None:
    started(book)
    completed(book)
    before = kinds(book)
    assert book.steps.claim_step("r1", 0, "w2", ttl_ms=5, covers=COVERS) == AlreadyCompleted({"done": 0})
    assert kinds(book) == before


def test_a_step_that_failed_for_good_is_disposed_of_without_output(book: QueueLedger) -> None:
    started(book)
    leased(book, "StepFailed", claimed(book), {"reason": "poison", "is_final": True})
    assert book.steps.claim_step("r1", 0, "w1", ttl_ms=5) == AlreadyCompleted(None)
    step = book.steps.step("r1", 0)
    assert step is not None
    assert (step.status, step.reason, step.output) == ("failed", "poison", None)


def test_a_step_that_another_holds_stays_with_it(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book, worker="w1")
    before = (kinds(book), book.steps.step("r1", 0))
    assert book.steps.claim_step("r1", 0, "w2", ttl_ms=5) == HeldByOther("w1", claim.until_ms)
    assert (kinds(book), book.steps.step("r1", 0)) == before


@pytest.mark.parametrize("worker", ["W1", "w1 ", "w\u00ed1"])
def test_a_worker_whose_name_only_compares_equal_is_another(book: QueueLedger, worker: str) -> None:
    started(book)
    claim = claimed(book, worker="w1")
    assert book.steps.claim_step("r1", 0, worker, ttl_ms=5) == HeldByOther("w1", claim.until_ms)


def test_a_waiting_step_is_for_an_operator_until_it_is_resumed(book: QueueLedger) -> None:
    started(book)
    leased(book, "StepWaiting", claimed(book), {"reason": "ask"})
    assert book.steps.claim_step("r1", 0, "w2", ttl_ms=5) == AlreadyWaiting("ask")
    book.steps.append_event(an_event(book.queue, "StepResumed", 0))
    claim = claimed(book, worker="w2")
    assert (claim.attempt, claim.fencing, claim.input) == (2, 2, COVERS)


def test_a_step_that_waits_for_its_retry_is_free_when_its_time_has_come(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    leased(book, "StepFailed", claim, {"reason": "busy"})
    until = book.steps.now_ms() + LONG_MS
    leased(book, "RetryScheduled", claim, {"reason": "busy", "not_before_ms": until})
    for worker in ("w1", "w2"):
        assert book.steps.claim_step("r1", 0, worker, ttl_ms=5) == HeldByOther("", until)
    step = book.steps.step("r1", 0)
    assert step is not None
    assert (step.status, step.reason, step.worker) == ("pending", "busy", "")


def test_a_failure_that_is_not_final_keeps_the_lease_for_the_retry(book: QueueLedger) -> None:
    started(book)
    claim = claimed(book)
    leased(book, "StepFailed", claim, {"reason": "busy"})
    assert book.steps.claim_step("r1", 0, "w2", ttl_ms=5) == HeldByOther("w1", claim.until_ms)
    leased(book, "RetryScheduled", claim, {"reason": "busy", "not_before_ms": 0})
    assert (claimed(book, worker="w2").attempt, kinds(book)[-1]) == (2, "StepStarted")


def test_a_lease_that_has_run_out_is_taken_over_and_the_log_tells_from_whom(book: QueueLedger) -> None:
    started(book)
    lost = expired(book, worker="w1")
    claim = claimed(book, worker="w2")
    assert (claim.attempt, claim.fencing, claim.input) == (lost.attempt + 1, lost.fencing + 1, COVERS)
    assert kinds(book)[-2:] == ["LeaseTakenOver", "StepStarted"]
    event = book.steps.load_events("r1", limit=1, after=2)[0]
    assert (event.worker, event.body, event.fencing) == ("w2", {"worker": "w1"}, 2)


def test_a_worker_that_already_holds_the_lease_is_granted_a_new_one(book: QueueLedger) -> None:
    started(book)
    first = claimed(book)
    again = claimed(book)
    assert (again.fencing, again.attempt) == (first.fencing + 1, first.attempt + 1)
    assert "LeaseTakenOver" not in kinds(book)


def test_fencing_numbers_only_grow(book: QueueLedger) -> None:
    started(book)
    seen = []
    for number in range(5):
        claim = claimed(book, worker=f"w{number}", ttl_ms=1) if number else expired(book)
        seen.append(claim.fencing)
        while book.steps.now_ms() <= claim.until_ms:
            pass
    assert seen == [1, 2, 3, 4, 5]


def test_a_step_is_made_only_behind_the_one_before_it(book: QueueLedger) -> None:
    started(book)
    with pytest.raises(NotFound):
        book.steps.claim_step("r1", 1, "w1", ttl_ms=5, covers=COVERS)
    claimed(book, 0)
    claimed(book, 1)
    with pytest.raises(NotFound):
        book.steps.claim_step("r1", 3, "w1", ttl_ms=5, covers=COVERS)
    assert book.steps.counts_by_status("r1")["running"] == 2


def test_a_step_is_not_made_without_what_it_covers(book: QueueLedger) -> None:
    started(book)
    with pytest.raises(NotFound):
        book.steps.claim_step("r1", 0, "w1", ttl_ms=5)
    assert book.steps.step("r1", 0) is None


def test_the_first_makers_input_stands(book: QueueLedger) -> None:
    started(book)
    expired(book)
    claim = book.steps.claim_step("r1", 0, "w2", ttl_ms=5, covers={"other": True})
    assert isinstance(claim, Claimed)
    assert claim.input == COVERS


def test_a_claim_of_a_workflow_that_was_never_started_is_not_found(book: QueueLedger) -> None:
    with pytest.raises(NotFound):
        book.steps.claim_step("r1", 0, "w1", ttl_ms=5, covers=COVERS)


@pytest.mark.parametrize(
    "fields",
    [{"worker": ""}, {"worker": "x" * 256}, {"ttl_ms": 0}, {"ttl_ms": -1}, {"step_index": -1}, {"run_id": ""}],
)
def test_a_claim_that_nobody_could_be_granted_is_refused(book: QueueLedger, fields: dict[str, Any]) -> None:
    started(book)
    given: dict[str, Any] = {"run_id": "r1", "step_index": 0, "worker": "w1", "ttl_ms": 5, **fields}
    with pytest.raises(InvalidEntity):
        book.steps.claim_step(**given, covers=COVERS)


def test_claims_of_one_workflow_leave_another_alone(book: QueueLedger) -> None:
    started(book)
    started(book, "r2")
    claimed(book, 0, "w1")
    assert claimed(book, 0, "w2", run_id="r2").fencing == 1
    assert kinds(book) == ["WorkflowStarted", "StepStarted"]
