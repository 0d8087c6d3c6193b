"""Holds that operators put on runs."""

import pytest

from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import QueueLedger
from tests.contract.ledger.samples import a_run


def test_a_hold_is_put_by_the_ledgers_clock_and_read_back(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    before = book.steps.now_ms()
    hold = book.holds.put("r1", reason="peak ∅", actor="ann@host")
    assert hold == RunHold(book.queue, "r1", "peak ∅", "ann@host", hold.since_ms)
    assert before <= hold.since_ms <= book.steps.now_ms()
    assert book.holds.of("r1") == hold


def test_the_first_hold_stays(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    first = book.holds.put("r1", reason="a", actor="ann")
    assert book.holds.put("r1", reason="b", actor="bob") == first
    assert book.holds.of("r1") == first


def test_a_lifted_hold_is_gone_and_can_be_put_again(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    assert not book.holds.lift("r1")
    book.holds.put("r1", reason="a", actor="ann")
    assert book.holds.lift("r1")
    assert book.holds.of("r1") is None
    assert not book.holds.lift("r1")
    assert book.holds.put("r1", reason="b", actor="bob").reason == "b"


@pytest.mark.parametrize("run_id", ["r1", "R1"])
def test_no_hold_is_put_on_a_run_that_is_not_there(book: QueueLedger, run_id: str) -> None:
    book.runs.save(a_run(book.queue, "other"))
    with pytest.raises(NotFound):
        book.holds.put(run_id, reason="a", actor="ann")
    assert book.holds.of(run_id) is None
