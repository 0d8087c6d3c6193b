"""Runs as operators see them: a page, one in full, and one that nobody works at."""

import pytest

from stovepipe_cli.errors import InvalidCursor, NothingFound, UsageError
from stovepipe_cli.look.run import show_run
from stovepipe_cli.look.run_reference import resolve_run
from stovepipe_cli.look.runs import RunFilter, list_runs
from stovepipe_cli.storage.ledger.contract import Claimed, QueueLedger
from stovepipe_cli.storage.ledger.memory.ledger import MemoryLedger
from stovepipe_cli.work.identity import WorkerIdentity, this_worker
from stovepipe_cli.work.stepless import enter_run
from tests.support.runs import STARTED_MS, append, begin, end, open_work, run_id

HERE = this_worker()


@pytest.fixture
def clock() -> list[int]:
    """What the ledger's clock shows."""
    return [STARTED_MS + 60_000]


@pytest.fixture
def memory(clock: list[int]) -> MemoryLedger:
    return MemoryLedger(clock=lambda: clock[0])


@pytest.fixture
def ledger(memory: MemoryLedger) -> QueueLedger:
    return memory.for_queue("monorepo/main")


def numbers(ledger: QueueLedger, chosen: RunFilter | None = None, *, limit: int = 50) -> list[int]:
    page = list_runs(ledger, chosen or RunFilter(), HERE, limit=limit, cursor=None)
    return [int(item.run_id[-4:], 16) for item in page.items]


def test_runs_come_newest_first_and_of_this_queue_alone(memory: MemoryLedger, ledger: QueueLedger) -> None:
    for number in (1, 3, 2):
        begin(ledger, number)
    begin(memory.for_queue("other"), 4)
    assert numbers(ledger) == [3, 2, 1]


def test_a_page_gives_the_cursor_of_the_next(ledger: QueueLedger) -> None:
    for number in range(5):
        begin(ledger, number)
    first = list_runs(ledger, RunFilter(), HERE, limit=3, cursor=None)
    assert first.next_cursor is not None
    second = list_runs(ledger, RunFilter(), HERE, limit=3, cursor=first.next_cursor)
    assert [item.run_id for item in (*first.items, *second.items)] == [run_id(number) for number in (4, 3, 2, 1, 0)]
    assert second.next_cursor is None


def test_a_full_page_that_is_the_last_has_no_cursor(ledger: QueueLedger) -> None:
    begin(ledger, 1)
    assert list_runs(ledger, RunFilter(), HERE, limit=1, cursor=None).next_cursor is None


def test_a_cursor_is_of_one_queue_and_one_choice(memory: MemoryLedger, ledger: QueueLedger) -> None:
    for number in range(3):
        begin(ledger, number)
    token = list_runs(ledger, RunFilter(), HERE, limit=1, cursor=None).next_cursor
    with pytest.raises(InvalidCursor):
        list_runs(memory.for_queue("other"), RunFilter(), HERE, limit=1, cursor=token)
    with pytest.raises(InvalidCursor):
        list_runs(ledger, RunFilter(kind="verify"), HERE, limit=1, cursor=token)


def test_a_window_stays_where_it_was_on_the_first_page(ledger: QueueLedger) -> None:
    for number in range(4):
        begin(ledger, number)
    chosen = RunFilter(since_ms=STARTED_MS + 2_000)
    first = list_runs(ledger, chosen, HERE, limit=1, cursor=None)
    later = RunFilter(since_ms=STARTED_MS + 50_000)
    second = list_runs(ledger, later, HERE, limit=5, cursor=first.next_cursor)
    assert [item.run_id for item in second.items] == [run_id(2)]


def test_runs_are_chosen_by_kind_status_and_start(ledger: QueueLedger) -> None:
    end(ledger, begin(ledger, 1))
    end(ledger, begin(ledger, 2, "repair-plan"), "FAILED")
    open_work(ledger, begin(ledger, 3, "repair-apply"))
    assert numbers(ledger, RunFilter(kind="repair-plan")) == [2]
    assert numbers(ledger, RunFilter(status="COMPLETED")) == [1]
    assert numbers(ledger, RunFilter(status="RUNNING")) == [3]
    assert numbers(ledger, RunFilter(status="abandoned")) == [3]
    assert numbers(ledger, RunFilter(since_ms=STARTED_MS + 2_000)) == [3, 2]


@pytest.mark.parametrize("chosen", [RunFilter(kind="verfy"), RunFilter(status="running")])
def test_a_kind_or_status_that_no_run_has_is_refused(ledger: QueueLedger, chosen: RunFilter) -> None:
    with pytest.raises(UsageError):
        list_runs(ledger, chosen, HERE, limit=1, cursor=None)


def test_an_empty_page_says_so(ledger: QueueLedger) -> None:
    page = list_runs(ledger, RunFilter(), HERE, limit=1, cursor=None)
    assert page.notes == ("queue 'monorepo/main' has no such run on record",)


def test_a_run_with_a_live_lease_is_at_work_and_without_one_abandoned(ledger: QueueLedger, clock: list[int]) -> None:
    run = begin(ledger, 1, "repair-apply")
    open_work(ledger, run)
    elsewhere = WorkerIdentity("elsewhere", 1, "1", "aa").name
    assert isinstance(ledger.steps.claim_step(run.run_id, 0, elsewhere, ttl_ms=30_000, covers={}), Claimed)
    assert not show_run(ledger, run, HERE).abandoned
    clock[0] += 120_000
    report = show_run(ledger, run, HERE)
    assert (report.status, report.abandoned) == ("RUNNING", True)


def test_a_run_of_one_process_is_abandoned_when_the_process_is_gone(ledger: QueueLedger) -> None:
    run = begin(ledger, 1)
    gone = WorkerIdentity(HERE.host, 2**22 + 1, "1", "aa")
    there = enter_run(ledger, run, HERE, run_time_ms=None)
    assert not show_run(ledger, there, HERE).abandoned
    assert show_run(ledger, enter_run(ledger, there, gone, run_time_ms=None), HERE).abandoned


def test_an_ended_run_is_never_abandoned(ledger: QueueLedger) -> None:
    run = end(ledger, begin(ledger, 1), counts={"H102": 2}, document={"verdict": "findings"})
    report = show_run(ledger, run, HERE)
    assert (report.abandoned, report.counts, report.result) == (False, {"H102": 2}, {"verdict": "findings"})


def test_a_run_is_shown_with_its_lineage_its_steps_and_its_hold(ledger: QueueLedger) -> None:
    parent = begin(ledger, 1, "repair-apply")
    open_work(ledger, parent)
    for step in (0, 1):
        claim = ledger.steps.claim_step(parent.run_id, step, HERE.name, ttl_ms=30_000, covers={"from": step})
        assert isinstance(claim, Claimed)
    append(
        ledger,
        parent,
        "StepFailed",
        step_index=0,
        attempt=1,
        worker=HERE.name,
        fencing=1,
        body={
            "reason": "one row is poison",
            "is_final": True,
        },
    )
    ledger.holds.put(parent.run_id, reason="replica", actor="bob@host")
    report = show_run(ledger, parent, HERE)
    assert report.steps == {"running": 1, "failed": 1}
    assert [(each.step_index, each.reason) for each in report.failed_steps] == [(0, "one row is poison")]
    assert [(each.step_index, each.worker) for each in report.workers] == [(1, HERE.name)]
    assert report.hold is not None
    assert (report.hold.reason, report.hold.actor) == ("replica", "bob@host")
    assert (report.events, report.rows) == (None, None)


def test_events_are_read_as_they_are_walked_over(ledger: QueueLedger) -> None:
    run = begin(ledger, 1)
    open_work(ledger, run)
    events = show_run(ledger, run, HERE, events=True).events
    assert events is not None
    assert [each.event for each in events] == ["WorkflowStarted"]
    append(ledger, run, "WorkflowCancelled")
    assert [(each.sequence, each.event, each.step_index) for each in events] == [
        (1, "WorkflowStarted", None),
        (2, "WorkflowCancelled", None),
    ]
    assert events[1].event == events[-1].event == "WorkflowCancelled"
    assert len(events) == 2


def test_a_run_is_found_by_its_id_a_beginning_of_it_or_as_the_latest(ledger: QueueLedger) -> None:
    for number in range(3):
        begin(ledger, number)
    whole = run_id(1)
    assert resolve_run(ledger, whole).run_id == whole
    assert resolve_run(ledger, whole[:13]).run_id == whole
    assert resolve_run(ledger, "@latest").run_id == run_id(2)


def test_a_beginning_that_fits_several_names_them(ledger: QueueLedger) -> None:
    for number in (1, 2):
        begin(ledger, number)
    with pytest.raises(UsageError, match="fits several runs") as refused:
        resolve_run(ledger, run_id(1)[:8])
    assert all(run_id(number) in refused.value.message for number in (1, 2))


@pytest.mark.parametrize("name", ["0197ffff", "not-hex", "@first", "0"])
def test_a_run_that_is_not_on_record_is_not_found(ledger: QueueLedger, name: str) -> None:
    begin(ledger, 1)
    if name == "0":
        assert resolve_run(ledger, name).run_id == run_id(1)
        return
    with pytest.raises(NothingFound):
        resolve_run(ledger, name)


def test_a_name_that_is_none_is_refused(ledger: QueueLedger) -> None:
    for name in ("", "x" * 65):
        with pytest.raises(UsageError):
            resolve_run(ledger, name)


def test_the_latest_of_a_queue_without_runs_is_not_found(ledger: QueueLedger) -> None:
    with pytest.raises(NothingFound):
        resolve_run(ledger, "@latest")


def test_a_page_that_finds_nothing_among_many_ends_and_goes_on_from_there() -> None:
    crowded = MemoryLedger(clock=lambda: STARTED_MS, most_runs=20_000).for_queue("monorepo/main")
    end(crowded, begin(crowded, 0, "repair-plan"))
    for number in range(1, 10_006):
        end(crowded, begin(crowded, number))
    chosen = RunFilter(kind="repair-plan")
    first = list_runs(crowded, chosen, HERE, limit=1, cursor=None)
    assert (first.items, first.notes) == ((), ("this page looked at 10,000 runs",))
    second = list_runs(crowded, chosen, HERE, limit=1, cursor=first.next_cursor)
    assert [item.run_id for item in second.items] == [run_id(0)]
