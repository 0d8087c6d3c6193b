"""Reads of runs: bounded, in one order, and of one queue alone."""

import inspect
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.ledger.contract import HoldStore, QueueLedger, RunStore, StepStore, VerifiedQueueStore
from tests.contract.ledger.samples import NOON_MS, a_run, an_end

# By start time, newest first, then by id as bytes: upper case before lower, and before what is no ASCII.
ORDERED = [
    ("z", NOON_MS + 2),
    *((name, NOON_MS) for name in ("B", "a", "a ", "b", "ä")),
    ("0", 5),
]


def saved(book: QueueLedger, **fields: object) -> QueueLedger:
    for run_id, started_at_ms in sorted(ORDERED):
        book.runs.save(a_run(book.queue, run_id, started_at_ms=started_at_ms, **fields))
    return book


def ids(runs: Iterable[Run]) -> list[str]:
    return [run.run_id for run in runs]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_runs_page_newest_first_and_those_of_one_millisecond_by_id(book: QueueLedger, limit: int) -> None:
    saved(book)
    found: list[tuple[int, str]] = []
    while page := book.runs.runs_in_queue(limit=limit, before=found[-1] if found else None):
        assert len(page) <= limit
        found += [(run.started_at_ms, run.run_id) for run in page]
    assert [(name, at) for at, name in found] == ORDERED


def test_the_window_holds_runs_from_its_first_millisecond_on(book: QueueLedger) -> None:
    saved(book)
    assert ids(book.runs.runs_in_queue(limit=9, since_ms=NOON_MS)) == ["z", "B", "a", "a ", "b", "ä"]
    assert ids(book.runs.runs_in_queue(limit=9, since_ms=NOON_MS + 1)) == ["z"]
    assert ids(book.runs.runs_in_queue(limit=9, since_ms=NOON_MS + 3)) == []
    assert ids(book.runs.runs_in_queue(limit=9, since_ms=NOON_MS, before=(NOON_MS, "a"))) == ["a ", "b", "ä"]


@pytest.mark.parametrize("since_ms", [2**63, -(2**63), 2**70])
def test_a_window_beyond_all_times_is_refused(book: QueueLedger, since_ms: int) -> None:
    with pytest.raises(InvalidEntity):
        book.runs.runs_in_queue(limit=9, since_ms=since_ms)
    with pytest.raises(InvalidEntity):
        book.runs.runs_of_root("r1", limit=9, since_ms=since_ms)


def test_a_run_is_found_by_its_id_byte_for_byte(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue, "Run-é"))
    for other in ("run-é", "Run-e", "Run-é ", "RUN-É", "Run-e\u0301", ""):
        assert book.runs.find(other) is None
    assert book.runs.find("Run-é") is not None


def test_children_are_the_runs_whose_parent_it_is_newest_first(book: QueueLedger) -> None:
    saved(book, parent_run_id="p", root_run_id="p")
    book.runs.save(a_run(book.queue, "other", parent_run_id="P", root_run_id="p"))
    book.runs.save(a_run(book.queue, "p"))
    assert ids(book.runs.children_of("p", limit=100)) == [name for name, _ in ORDERED]
    assert ids(book.runs.children_of("p", limit=2)) == ["z", "B"]
    assert ids(book.runs.children_of("P", limit=2)) == ["other"]
    assert book.runs.children_of("z", limit=2) == ()


def test_a_lineage_holds_its_root_and_all_below_newest_first(book: QueueLedger) -> None:
    saved(book, parent_run_id="p", root_run_id="root")
    book.runs.save(a_run(book.queue, "root", started_at_ms=NOON_MS + 1))
    book.runs.save(a_run(book.queue, "other"))
    whole = ["z", "root", "B", "a", "a ", "b", "ä", "0"]
    assert ids(book.runs.runs_of_root("root", limit=100)) == whole
    assert ids(book.runs.runs_of_root("root", limit=3)) == whole[:3]
    assert ids(book.runs.runs_of_root("root", limit=100, since_ms=NOON_MS + 1)) == ["z", "root"]
    assert ids(book.runs.runs_of_root("root", limit=100, since_ms=NOON_MS + 2)) == ["z"]


def chained(book: QueueLedger, *names: str) -> None:
    """Each run's parent is the one before it."""
    for parent, name in pairwise(names):
        book.runs.save(a_run(book.queue, name, parent_run_id=parent, root_run_id=names[0]))


def test_ancestors_come_nearest_first_up_to_the_run_without_parent(book: QueueLedger) -> None:
    book.runs.save(a_run(book.queue, "root"))
    chained(book, "root", "b", "c", "d")
    assert ids(book.runs.ancestors_of("d", limit=9)) == ["c", "b", "root"]
    assert ids(book.runs.ancestors_of("d", limit=2)) == ["c", "b"]
    assert book.runs.ancestors_of("root", limit=9) == ()
    assert book.runs.ancestors_of("nobody", limit=9) == ()


@pytest.mark.parametrize("names", [("a", "a"), ("b", "a", "b"), ("c", "b", "a", "c")])
def test_a_cycle_of_parents_ends_where_it_closes(book: QueueLedger, names: tuple[str, ...]) -> None:
    chained(book, *names)
    assert ids(book.runs.ancestors_of(names[-1], limit=9)) == list(reversed(names[1:-1]))


def test_the_walk_stops_at_a_parent_that_only_another_queue_has(book: QueueLedger, neighbour: QueueLedger) -> None:
    neighbour.runs.save(a_run(neighbour.queue, "root"))
    neighbour.runs.save(a_run(neighbour.queue, "b", parent_run_id="root", root_run_id="root"))
    chained(book, "root", "b", "c")
    assert ids(book.runs.ancestors_of("c", limit=9)) == ["b"]


def test_every_status_is_counted_and_named(book: QueueLedger, neighbour: QueueLedger) -> None:
    none = {"RUNNING": 0, "COMPLETED": 0, "FAILED": 0, "CANCELLED": 0}
    assert book.runs.counts_by_status() == none
    saved(book)
    saved(neighbour)
    book.runs.transition("a", an_end("FAILED"))
    book.runs.transition("b", an_end("COMPLETED"))
    assert book.runs.counts_by_status() == {"RUNNING": 5, "COMPLETED": 1, "FAILED": 1, "CANCELLED": 0}


@pytest.mark.parametrize("limit", [0, -1])
def test_every_page_takes_a_positive_limit(book: QueueLedger, limit: int) -> None:
    reads: list[Any] = [
        lambda: book.runs.invocations_of("r", limit=limit),
        lambda: book.runs.runs_in_queue(limit=limit),
        lambda: book.runs.children_of("r", limit=limit),
        lambda: book.runs.runs_of_root("r", limit=limit),
        lambda: book.runs.ancestors_of("r", limit=limit),
        lambda: book.steps.load_events("r", limit=limit),
        lambda: book.steps.expired_leases(limit=limit),
        lambda: book.steps.live_leases("r", limit=limit),
        lambda: book.steps.steps("r", limit=limit),
        lambda: book.steps.claimable("r", limit=limit),
    ]
    for read in reads:
        with pytest.raises(InvalidEntity):
            read()


def test_every_read_that_can_be_long_asks_for_a_limit() -> None:
    for store in (RunStore, StepStore):
        for name, method in inspect.getmembers(store, inspect.isfunction):
            if "tuple[" in str(inspect.signature(method).return_annotation):
                limit = inspect.signature(method).parameters["limit"]
                assert limit.default is inspect.Parameter.empty, name


@pytest.mark.parametrize("store", [RunStore, StepStore, HoldStore, VerifiedQueueStore])
def test_no_read_has_a_default_body_that_a_backend_could_forget_to_replace(store: type) -> None:
    methods = {name for name, _ in inspect.getmembers(store, inspect.isfunction) if not name.startswith("_")}
    assert methods == getattr(store, "__abstractmethods__")  # noqa: B009  # every abstract class has it, `type` has not
