"""Pruning removes the work of completed runs that wrote nothing, and never a header or an end."""

from collections.abc import Iterator

import pytest

from stovepipe_cli.entities.run import RunKind, RunStatus
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import Ledger, Pruned, QueueLedger
from tests.contract.ledger.backends import LedgerBackend
from tests.contract.ledger.samples import NOON_MS, a_run, an_attempt, an_end, an_event, completed, started

ALL = {"finished_before_ms": NOON_MS * 2, "limit": 100}


@pytest.fixture
def own(ledger_backend: LedgerBackend) -> Iterator[Ledger]:
    """A ledger that no other test prunes."""
    with ledger_backend.fresh() as opened:
        yield opened


def worked(
    book: QueueLedger, run_id: str, *, status: RunStatus = "COMPLETED", at_ms: int = NOON_MS, **fields: object
) -> None:
    """A run with four events, one step and two attempts, ended unless its status is RUNNING."""
    book.runs.save(a_run(book.queue, run_id, **{"kind": "verify", **fields}))
    for name in ("i1", "i2"):
        book.runs.record_invocation(an_attempt(book.queue, name, run_id=run_id))
    started(book, run_id)
    completed(book, run_id=run_id)
    book.steps.append_event(an_event(book.queue, "WorkflowCompleted", run_id=run_id))
    if status != "RUNNING":
        book.runs.transition(run_id, an_end(status, at_ms))


def left(book: QueueLedger, run_id: str) -> tuple[int, int, int]:
    """Events, steps and attempts that are there."""
    return (
        len(book.steps.load_events(run_id, limit=99)),
        len(book.steps.steps(run_id, limit=99)),
        len(book.runs.invocations_of(run_id, limit=99)),
    )


def test_the_work_of_completed_verifies_goes_and_their_headers_and_ends_stay(own: Ledger) -> None:
    book = own.for_queue("main")
    worked(book, "r1")
    worked(book, "r2", kind="repair-plan")
    before = book.runs.runs_in_queue(limit=9)
    pruned = own.admin.prune(**ALL, dry_run=False)
    assert pruned == Pruned(runs=2, events=8, steps=2, invocations=4, run_ids=(("main", "r1"), ("main", "r2")))
    assert left(book, "r1") == left(book, "r2") == (0, 0, 0)
    assert book.runs.runs_in_queue(limit=9) == before
    assert book.runs.transition("r1", an_end(at_ms=NOON_MS)) == "REPLAYED"
    with pytest.raises(NotFound):
        book.steps.rebuild("r1")


@pytest.mark.parametrize("kind", ["repair-apply", "backfill-acceptances", "fixtures-load"])
def test_everything_of_runs_that_wrote_stays(own: Ledger, kind: RunKind) -> None:
    book = own.for_queue("main")
    worked(book, "r1", kind=kind)
    assert own.admin.prune(**ALL, dry_run=False).runs == 0
    assert left(book, "r1") == (4, 1, 2)


@pytest.mark.parametrize("status", ["RUNNING", "FAILED", "CANCELLED"])
def test_the_work_of_runs_that_did_not_complete_stays(own: Ledger, status: RunStatus) -> None:
    book = own.for_queue("main")
    worked(book, "r1", status=status)
    assert own.admin.prune(**ALL, dry_run=False).runs == 0
    assert left(book, "r1") == (4, 1, 2)


def test_a_dry_run_says_what_would_go_and_removes_nothing(own: Ledger) -> None:
    book = own.for_queue("main")
    worked(book, "r1")
    planned = own.admin.prune(**ALL, dry_run=True)
    assert left(book, "r1") == (4, 1, 2)
    assert own.admin.prune(**ALL, dry_run=False) == planned


def test_runs_of_any_queue_go_oldest_first_up_to_the_limit(own: Ledger) -> None:
    places = [("b", "r1", 5), ("B", "r1", 6), ("a", "r2", 6), ("a", "r3", 6), ("b", "r0", 7), ("a", "r0", 9)]
    for queue, run_id, at_ms in reversed(places):
        worked(own.for_queue(queue), run_id, at_ms=at_ms)
    names = [(queue, run_id) for queue, run_id, _ in places]
    found: list[tuple[str, str]] = []
    for _ in range(2):
        found += own.admin.prune(finished_before_ms=9, limit=2, dry_run=False).run_ids
    assert found == names[:4]
    assert own.admin.prune(finished_before_ms=9, limit=2, dry_run=False).run_ids == (("b", "r0"),)
    assert own.admin.prune(finished_before_ms=9, limit=2, dry_run=False).run_ids == ()
    assert left(own.for_queue("a"), "r0") == (4, 1, 2)


def test_runs_without_work_use_up_no_limit(own: Ledger) -> None:
    book = own.for_queue("main")
    for number in range(5):
        book.runs.save(a_run("main", f"a{number}", kind="verify"))
        book.runs.transition(f"a{number}", an_end(at_ms=NOON_MS))
    worked(book, "r1", at_ms=NOON_MS + 1)
    assert own.admin.prune(finished_before_ms=NOON_MS + 2, limit=1, dry_run=True).run_ids == (("main", "r1"),)
    assert own.admin.prune(finished_before_ms=NOON_MS + 2, limit=1, dry_run=False).run_ids == (("main", "r1"),)


def test_pruning_takes_a_positive_limit(own: Ledger) -> None:
    with pytest.raises(InvalidEntity):
        own.admin.prune(finished_before_ms=NOON_MS, limit=0, dry_run=True)


def test_the_work_of_other_runs_stays(own: Ledger) -> None:
    book = own.for_queue("main")
    worked(book, "r1")
    worked(book, "R1", status="RUNNING")
    own.admin.prune(**ALL, dry_run=False)
    assert left(book, "R1") == (4, 1, 2)
