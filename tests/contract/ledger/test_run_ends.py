"""`transition` is the only way in which a run ends, and it ends once."""

from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.entities.run import Run, RunEnd, RunStatus
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import QueueLedger, RunConflict
from tests.contract.ledger.backends import LedgerBackend
from tests.contract.ledger.samples import NOON_MS, a_header, a_run, an_end, claimed, completed, started

TERMINAL = ("COMPLETED", "FAILED", "CANCELLED")


def ended(book: QueueLedger, end: RunEnd) -> Run:
    """A run that ended so."""
    book.runs.save(a_run(book.queue))
    assert book.runs.transition("r1", end) == "APPLIED"
    found = book.runs.find("r1")
    assert found is not None
    return found


@pytest.mark.parametrize("status", TERMINAL)
def test_a_running_run_ends_in_any_of_three_ways(book: QueueLedger, status: RunStatus) -> None:
    found = ended(book, an_end(status))
    assert (found.status, found.finished_at_ms) == (status, NOON_MS + 5)
    assert found == a_run(book.queue, status=status, finished_at_ms=NOON_MS + 5, version=1)


@pytest.mark.parametrize("second", TERMINAL)
@pytest.mark.parametrize("first", TERMINAL)
def test_no_run_moves_from_one_terminal_status_to_another(
    book: QueueLedger, first: RunStatus, second: RunStatus
) -> None:
    found = ended(book, an_end(first))
    if first != second:
        with pytest.raises(RunConflict):
            book.runs.transition("r1", an_end(second))
    with pytest.raises(RunConflict):
        book.runs.transition("r1", an_end(second, NOON_MS + 6))
    assert book.runs.find("r1") == found


def test_nothing_leads_back_to_running(book: QueueLedger) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.transition("r1", an_end("RUNNING"))


@pytest.mark.parametrize("status", TERMINAL)
def test_the_same_end_again_replays_and_changes_nothing(book: QueueLedger, status: RunStatus) -> None:
    found = ended(book, an_end(status, counts={"done": 1}))
    assert book.runs.transition("r1", an_end(status, counts={"done": 1})) == "REPLAYED"
    assert book.runs.find("r1") == found


def test_counts_failures_and_the_rest_are_outside_the_fingerprint(book: QueueLedger) -> None:
    found = ended(book, an_end("FAILED", counts={"done": 1}, failures=("a",)))
    later = an_end("FAILED", counts={"done": 2}, failures=("b",), stopped_because="signal", document={"x": 1})
    assert book.runs.transition("r1", later) == "REPLAYED"
    assert book.runs.find("r1") == found


def test_another_finish_time_is_a_conflict_and_never_an_overwrite(book: QueueLedger) -> None:
    found = ended(book, an_end("CANCELLED"))
    with pytest.raises(RunConflict):
        book.runs.transition("r1", an_end("CANCELLED", NOON_MS + 6))
    assert book.runs.find("r1") == found


def test_the_end_tells_counts_failures_and_document_with_it(book: QueueLedger) -> None:
    told: dict[str, Any] = {
        "counts": {"done": 7},
        "failures": ("poison",),
        "stopped_because": "budget",
        "document": {"receipt": "/x"},
    }
    assert ended(book, an_end(**told)).header == replace(a_header(), **told)


def test_what_the_end_does_not_tell_stays_as_the_header_had_it(book: QueueLedger) -> None:
    assert ended(book, an_end(counts={})).header == a_header(counts={})


def test_an_end_without_a_run_is_not_found(book: QueueLedger) -> None:
    with pytest.raises(NotFound):
        book.runs.transition("r1", an_end())
    assert book.runs.find("r1") is None


def test_a_run_of_no_steps_completes_vacuously(book: QueueLedger) -> None:
    started(book)
    assert ended(book, an_end("COMPLETED")).status == "COMPLETED"


@pytest.mark.parametrize("status", ["FAILED", "CANCELLED"])
def test_failed_and_cancelled_have_no_precondition(book: QueueLedger, status: RunStatus) -> None:
    book.runs.save(a_run(book.queue))
    started(book)
    completed(book, 0)
    claimed(book, 1)
    assert book.runs.transition("r1", an_end(status)) == "APPLIED"


def test_a_run_whose_work_is_unfinished_stays_running_and_takes_further_saves(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    started(book)
    completed(book, 0)
    claimed(book, 1)
    update = a_run(book.queue, header=a_header(stopped_because="signal"), version=1)
    assert book.runs.save(update) == replace(update, version=2)
    assert book.runs.save(replace(update, header=a_header(), version=2)).status == "RUNNING"


def test_the_events_of_the_work_end_no_run(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue))
    started(book)
    completed(book, 0)
    found = book.runs.find("r1")
    assert found is not None
    assert not found.is_ended


def test_the_applied_call_notifies_once_and_a_replay_never(ledger_backend: LedgerBackend, ledger_queue: str) -> None:
    heard: list[Run] = []
    with ledger_backend.fresh(heard.append) as ledger:
        book = ledger.for_queue(ledger_queue)
        found = ended(book, an_end())
        book.runs.transition("r1", an_end())
        with pytest.raises(RunConflict):
            book.runs.transition("r1", an_end("FAILED"))
    assert heard == [found]


def test_an_end_replays_however_late(book: QueueLedger) -> None:
    ended(book, an_end())
    for number in range(30):
        book.runs.save(a_run(book.queue, f"later-{number}"))
    assert book.runs.transition("r1", an_end()) == "REPLAYED"
