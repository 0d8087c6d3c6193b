"""The events decide, and the steps are what they make: replayed, they give the steps that are there."""

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import Claimed, Ledger, QueueLedger
from stovepipe_cli.storage.ledger.memory import MemoryLedger
from tests.contract.ledger.histories import Act, Player, acts
from tests.contract.ledger.raw import RAW_ERRORS, RawLedger
from tests.contract.ledger.samples import an_event, claimed, completed, started
from tests.contract.ledger.test_steps import one_of_each

FRESH = itertools.count(1)
# The ledger is shared by all examples, each in a queue of its own, so that its state needs no resetting.
shared = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@given(history=acts())
@shared
def test_the_rebuilt_projection_equals_the_live_one(ledger: Ledger, history: list[Act]) -> None:
    book = ledger.for_queue(f"rebuilt-{next(FRESH)}")
    player = Player(book)
    for act in history:
        player.play(act)
    live = book.steps.steps("r1", limit=100)
    events = book.steps.load_events("r1", limit=1_000)
    assert book.steps.rebuild("r1") == len(live)
    assert book.steps.steps("r1", limit=100) == live
    assert book.steps.load_events("r1", limit=1_000) == events
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))


@given(history=acts())
@shared
def test_every_backend_answers_a_history_as_memory_does(ledger: Ledger, history: list[Act]) -> None:
    queue = f"alike-{next(FRESH)}"
    players = [Player(ledger.for_queue(queue)), Player(MemoryLedger().for_queue(queue))]
    for act in history:
        one, other = (player.play(act) for player in players)
        assert one == other, act


def test_a_rebuilt_workflow_goes_on_where_it_was(book: QueueLedger) -> None:
    one_of_each(book)
    sequence = book.steps.load_events("r1", limit=100)[-1].sequence
    book.steps.rebuild("r1")
    claim = claimed(book, 6, "w2")
    assert (claim.fencing, claim.attempt) == (2, 2)
    assert book.steps.load_events("r1", limit=1, after=sequence)[0].kind == "LeaseTakenOver"


def test_a_rebuilt_workflow_that_had_ended_stays_so(book: QueueLedger) -> None:
    started(book)
    ending = book.steps.append_event(an_event(book.queue, "WorkflowFailed"))
    assert book.steps.rebuild("r1") == 0
    assert book.steps.ending("r1") == ending


def test_a_workflow_without_events_is_not_rebuilt(book: QueueLedger) -> None:
    with pytest.raises(NotFound):
        book.steps.rebuild("r1")
    with pytest.raises(NotFound):
        book.steps.claim_step("r1", 0, "w1", ttl_ms=5, covers={})


@pytest.fixture
def raw(sql_ledgers: tuple[Ledger, Ledger]) -> Iterator[RawLedger]:
    with contextlib.closing(RawLedger(sql_ledgers[0])) as opened:
        yield opened


def test_steps_that_were_lost_are_rebuilt_from_the_events(raw: RawLedger, ledger_queue: str) -> None:
    book = one_of_each(raw.ledger.for_queue(ledger_queue))
    book.steps.renew_lease("r1", 5, "w1", fencing=1, ttl_ms=900_000)
    live = book.steps.steps("r1", limit=9)
    granted = next(
        event.body["until_ms"]
        for event in book.steps.load_events("r1", limit=99)
        if event.kind == "StepStarted" and event.step_index == 5
    )
    raw.execute("DELETE FROM work_step")
    assert book.steps.steps("r1", limit=9) == ()
    assert book.steps.rebuild("r1") == len(live)
    # Of a renewal there is no event, so the lease ends where it was first granted to end.
    expected = tuple(
        replace(step, lease_until_ms=granted) if step.step_index == 5 else step  # type: ignore[arg-type]  # a number of JSON
        for step in live
    )
    assert book.steps.steps("r1", limit=9) == expected
    assert isinstance(book.steps.claim_step("r1", 3, "w9", ttl_ms=5), Claimed)


def test_steps_that_were_damaged_are_rebuilt_from_the_events(raw: RawLedger, ledger_queue: str) -> None:
    book = one_of_each(raw.ledger.for_queue(ledger_queue))
    live = book.steps.steps("r1", limit=9)
    raw.execute("UPDATE work_step SET status = 'completed', attempt = 9, worker = 'x' WHERE step_index IN (2, 3)")
    raw.execute("DELETE FROM work_step WHERE step_index = 1")
    assert book.steps.rebuild("r1") == 7
    assert book.steps.steps("r1", limit=9) == live


def test_events_are_never_changed_or_removed_by_the_work_itself(raw: RawLedger, ledger_queue: str) -> None:
    raw.forbid_changes_of("work_event")
    book = one_of_each(raw.ledger.for_queue(ledger_queue))
    completed(book, 3, "w5")
    book.steps.rebuild("r1")
    book.steps.append_event(an_event(ledger_queue, "WorkflowCompleted"))
    with pytest.raises(RAW_ERRORS, match="never"):
        raw.execute("DELETE FROM work_event")
