"""Several processes at one run: killed, stopped beyond their lease, late. The work is done once."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Mapping

import pytest

from stovepipe_cli.entities.work import WorkEvent
from stovepipe_cli.errors import Busy
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger
from stovepipe_cli.work import BatchBounds, StepWatch, start_run, this_worker, work
from tests.support.waiting import comes_true
from tests.work.jobs import QUEUE, arguments, mapped, registry
from tests.work.processes import ENDED_WELL, Shape, Urls, begin, exit_code, in_process, join, new_run, place_at

SMALL = Shape(rows=400, step=10, ttl_ms=2_000)
LARGE = Shape(rows=200_000, step=2_000, batch=BatchBounds(500, 100, 2_000), ttl_ms=5_000)


def events_of(ledger: QueueLedger, run_id: str) -> list[WorkEvent]:
    found: list[WorkEvent] = []
    while page := ledger.steps.load_events(run_id, limit=1000, after=found[-1].sequence if found else 0):
        found += page
    return found


def has_been_taken_over(ledger: QueueLedger, run_id: str, pid: int) -> bool:
    return any(
        event.kind == "LeaseTakenOver" and f"/{pid}/" in str(event.body["worker"])
        for event in events_of(ledger, run_id)
    )


def assert_done_once(ledger: QueueLedger, storage: Storage, run_id: str, shape: Shape) -> None:
    """Every row exists; no step was completed twice, nor by anybody but the holder of its latest lease."""
    assert mapped(storage) == list(range(shape.rows))
    run, events = ledger.runs.find(run_id), events_of(ledger, run_id)
    assert run is not None
    assert (run.status, run.header.counts["quarantined"]) == ("COMPLETED", 0)
    holders: dict[int, tuple[str, int]] = {}
    completed: Counter[int] = Counter()
    for event in events:
        if event.kind == "StepStarted":
            holders[event.step_index] = (event.worker, event.fencing)
        elif event.kind == "StepCompleted":
            completed[event.step_index] += 1
            assert holders[event.step_index] == (event.worker, event.fencing)
    assert completed == Counter(range(shape.rows // shape.step))
    assert [event.kind for event in events].count("WorkflowCompleted") == 1


def disturbed(urls: Urls, ledger: QueueLedger, storage: Storage, shape: Shape, seconds_a_step: float) -> None:
    """Four workers: one killed in its third step, one stopped in its second, one late; the stopped one goes on."""
    run = begin(urls, shape)
    killed = in_process(join, urls, shape, run.run_id, {3: signal.SIGKILL}, seconds_a_step)
    stopped = in_process(join, urls, shape, run.run_id, {2: signal.SIGSTOP}, seconds_a_step)
    steady = in_process(join, urls, shape, run.run_id, {}, seconds_a_step)
    try:
        assert exit_code(killed) == -signal.SIGKILL
        assert stopped.pid is not None
        late = in_process(join, urls, shape, run.run_id, {}, seconds_a_step)
        pid = stopped.pid
        assert comes_true(lambda: has_been_taken_over(ledger, run.run_id, pid), within_seconds=60)
        os.kill(pid, signal.SIGCONT)
        codes = [exit_code(process) for process in (stopped, steady, late)]
    finally:
        for process in (killed, stopped, steady):
            process.kill()
    assert codes == [ENDED_WELL] * 3
    assert_done_once(ledger, storage, run.run_id, shape)


def test_a_run_is_done_once_although_workers_are_killed_stopped_and_late(
    urls: Urls, ledger: QueueLedger, storage: Storage
) -> None:
    disturbed(urls, ledger, storage, SMALL, 0.02)


@pytest.mark.soak
def test_200_000_rows_are_done_once_although_workers_are_killed_stopped_and_late(
    urls: Urls, ledger: QueueLedger, storage: Storage
) -> None:
    disturbed(urls, ledger, storage, LARGE, 0.1)


def test_a_step_that_takes_longer_than_a_lease_keeps_it(urls: Urls, ledger: QueueLedger, storage: Storage) -> None:
    shape = Shape(rows=10, step=10, ttl_ms=900)
    run = begin(urls, shape)
    job, until = shape.job(storage), list[int]()

    def lease_until() -> int:
        step = ledger.steps.step(run.run_id, 0)
        return 0 if step is None else step.lease_until_ms

    def outlast(_covers: Mapping[str, object], _watch: StepWatch) -> None:
        first = lease_until()
        assert comes_true(lambda: ledger.steps.now_ms() > first, within_seconds=30)
        until.append(lease_until() - first)

    job.before = outlast
    assert work(place_at(ledger, shape), run.run_id, registry(job)).run.status == "COMPLETED"
    assert [event.kind for event in events_of(ledger, run.run_id)].count("StepStarted") == 1
    assert until[0] > 0


def test_of_starts_that_race_one_is_let_in(urls: Urls, ledger: QueueLedger) -> None:
    racers, outcomes = 6, list[str]()
    barrier = threading.Barrier(racers)

    def start() -> None:
        with open_ledger(urls.ledger) as own:
            mine = own.for_queue(QUEUE)
            run = new_run(mine)
            barrier.wait()
            try:
                outcomes.append(start_run(mine, run, this_worker(), arguments=arguments()).status)
            except Busy:
                outcomes.append("busy")

    threads = [threading.Thread(target=start) for _ in range(racers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["RUNNING", *["busy"] * (racers - 1)]
    assert [run.status for run in ledger.runs.runs_in_queue(limit=99) if not run.is_ended] == ["RUNNING"]
