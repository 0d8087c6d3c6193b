"""One queue never sees, counts or changes what another has, not even one whose name only compares equal."""

from typing import Any

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.storage.ledger.contract import Claimed, Ledger, QueueLedger
from tests.contract.ledger.samples import (
    COVERS,
    NOON_MS,
    a_header,
    a_run,
    a_verified,
    an_attempt,
    an_end,
    an_event,
    claimed,
    completed,
    expired,
    started,
)

ALIKE = (str.upper, lambda name: f"{name} ", lambda name: name.replace("u", "ü"), lambda name: f"{name}\x00")


@pytest.fixture(params=ALIKE, ids=["case", "trailing space", "accent", "NUL"])
def alike(request: pytest.FixtureRequest, ledger: Ledger, ledger_queue: str) -> QueueLedger:
    """A queue that a lax collation takes for the other one."""
    return ledger.for_queue(request.param(ledger_queue))


def filled(book: QueueLedger, actor: str) -> QueueLedger:
    """A queue with some of everything, under ids that every other queue has as well."""
    book.runs.save(a_run(book.queue, "r0", kind="verify"))
    book.runs.save(a_run(book.queue, "r1", header=a_header(actor=actor), parent_run_id="r0", root_run_id="r0"))
    book.runs.record_invocation(an_attempt(book.queue, worker=actor))
    started(book)
    completed(book, 0, actor)
    expired(book, 1, actor)
    claimed(book, 2, actor)
    book.holds.put("r1", reason="peak", actor=actor)
    book.verified.put(a_verified(book.queue, verdict=actor))
    return book


def seen(book: QueueLedger) -> dict[str, Any]:
    """Everything that the reads of a queue give."""
    return {
        "find": book.runs.find("r1"),
        "runs": book.runs.runs_in_queue(limit=9),
        "children": book.runs.children_of("r0", limit=9),
        "lineage": book.runs.runs_of_root("r0", limit=9),
        "ancestors": book.runs.ancestors_of("r1", limit=9),
        "attempts": book.runs.invocations_of("r1", limit=9),
        "runs by status": book.runs.counts_by_status(),
        "events": book.steps.load_events("r1", limit=99),
        "steps": book.steps.steps("r1", limit=9),
        "last": book.steps.last_step("r1"),
        "expired": book.steps.expired_leases(limit=9),
        "live": book.steps.live_leases("r1", limit=9),
        "claimable": book.steps.claimable("r1", limit=9),
        "steps by status": book.steps.counts_by_status("r1"),
        "ending": book.steps.ending("r1"),
        "hold": book.holds.of("r1"),
        "verified": book.verified.of("mariadb:1"),
    }


def test_a_run_id_that_exists_in_two_queues_is_two_runs(book: QueueLedger, alike: QueueLedger) -> None:
    filled(book, "mine")
    before = seen(book)
    filled(alike, "theirs")
    assert seen(book) == before
    assert all(run.queue == book.queue for run in before["runs"])
    assert [run.header.actor for run in seen(alike)["children"]] == ["theirs"]


def test_nothing_of_an_empty_queue_is_found_through_its_neighbour(book: QueueLedger, alike: QueueLedger) -> None:
    empty = seen(alike)
    filled(book, "mine")
    assert seen(alike) == empty


def test_no_write_reaches_the_neighbours_rows(book: QueueLedger, alike: QueueLedger) -> None:
    filled(book, "mine")
    filled(alike, "theirs")
    before = seen(book)
    alike.runs.save(a_run(alike.queue, "r0", kind="verify", header=a_header(reason="new"), version=1))
    alike.runs.record_invocation(an_attempt(alike.queue, status="FAILED"))
    completed(alike, 2, "theirs")
    claimed(alike, 1, "late")
    alike.steps.rebuild("r1")
    alike.steps.append_event(an_event(alike.queue, "WorkflowCancelled"))
    alike.runs.transition("r1", an_end("CANCELLED"))
    alike.holds.lift("r1")
    alike.verified.put(
        a_verified(alike.queue, verified_at_ms=NOON_MS + 9, boundary="request/main/1", boundary_number=1)
    )
    assert seen(book) == before


def test_a_claim_or_an_end_in_one_queue_needs_what_that_queue_has(book: QueueLedger, alike: QueueLedger) -> None:
    filled(book, "mine")
    with pytest.raises(NotFound):
        alike.runs.transition("r1", an_end())
    with pytest.raises(NotFound):
        alike.runs.record_invocation(an_attempt(alike.queue))
    with pytest.raises(NotFound):
        alike.steps.claim_step("r1", 3, "w1", ttl_ms=5, covers=COVERS)
    with pytest.raises(NotFound):
        alike.holds.put("r1", reason="x", actor="y")
    assert not alike.holds.lift("r1")
    assert not alike.steps.take_over("r1", 2, fencing=1, worker="mine")


@pytest.mark.parametrize("other", ["R1", "r1 ", "ŕ1", "r1\x00"])
def test_ids_of_one_queue_that_only_compare_equal_are_two_runs(book: QueueLedger, other: str) -> None:
    filled(book, "mine")
    before = seen(book)
    assert book.runs.find(other) is None
    book.runs.save(a_run(book.queue, other, started_at_ms=5))
    started(book, other)
    assert isinstance(book.steps.claim_step(other, 0, "w1", ttl_ms=5, covers=COVERS), Claimed)
    book.runs.transition(other, an_end("FAILED"))
    assert book.runs.find("r1") == before["find"]
    assert book.steps.steps("r1", limit=9) == before["steps"]
    assert book.steps.load_events("r1", limit=99) == before["events"]
    assert book.holds.of(other) is None


def test_a_busy_neighbour_makes_no_page_shorter(book: QueueLedger, neighbour: QueueLedger) -> None:
    for number in range(12):
        neighbour.runs.save(
            a_run(neighbour.queue, f"n{number}", started_at_ms=NOON_MS + 9, parent_run_id="p", root_run_id="p")
        )
        started(neighbour, f"n{number}")
        expired(neighbour, run_id=f"n{number}")
    for number in range(3):
        book.runs.save(a_run(book.queue, f"m{number}", parent_run_id="p", root_run_id="p"))
        started(book, f"m{number}")
        expired(book, run_id=f"m{number}")
    names = ["m0", "m1"]
    assert [run.run_id for run in book.runs.runs_in_queue(limit=2)] == names
    assert [run.run_id for run in book.runs.children_of("p", limit=2)] == names
    assert [run.run_id for run in book.runs.runs_of_root("p", limit=2)] == names
    assert [each.run_id for each in book.steps.expired_leases(limit=2)] == names
    assert sum(book.runs.counts_by_status().values()) == 3


@pytest.mark.parametrize(("name", "error"), [("", InvalidEntity), ("x" * 256, IdentifierTooLong)])
def test_no_ledger_is_bound_to_a_name_that_no_queue_can_have(
    ledger: Ledger, name: str, error: type[InvalidEntity]
) -> None:
    with pytest.raises(error):
        ledger.for_queue(name)
