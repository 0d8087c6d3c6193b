"""How runs are let in: on record before anything is written, and one that writes at a time."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.errors import Busy, Refused
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work import WorkSettings, cancel_run, start_run, take_up, this_worker, work
from tests.work.jobs import Site, altered, arguments, kinds, registry


def test_a_run_is_on_record_with_what_defines_its_job_before_any_step() -> None:
    site = Site()
    run = start_run(site.ledger, site.run(), site.worker, arguments=arguments(since=5), body={"parts": [1, 2]})
    assert site.ledger.runs.find(run.run_id) == run
    [started] = site.ledger.steps.load_events(run.run_id, limit=9)
    assert started.kind == "WorkflowStarted"
    assert started.body["job"] == {"parts": [1, 2]}
    assert started.body["arguments"] == arguments(since=5).body()


def test_a_run_at_work_is_busy_and_named() -> None:
    site = Site()
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, "other/1//x", ttl_ms=30_000, covers={})
    with pytest.raises(Busy, match=f"'{run.run_id}' of kind backfill-acceptances is at work") as raised:
        site.start()
    assert "stovepipe runs cancel" in str(raised.value.hint)


def test_a_run_that_was_left_unfinished_is_busy_and_can_be_resumed_or_cancelled() -> None:
    site = Site()
    run = site.start()
    with pytest.raises(Busy, match="nobody works at it") as raised:
        site.start()
    assert raised.value.hint == (
        f"'stovepipe runs resume {run.run_id}' goes on, 'stovepipe runs cancel {run.run_id}' gives it up"
    )
    cancel_run(site.ledger, run.run_id, reason="given up")
    assert site.start().status == "RUNNING"


def test_the_next_run_is_let_in_once_the_one_before_is_completed() -> None:
    site = Site()
    for _ in range(3):
        assert site.work(site.start(), site.job()).run.status == "COMPLETED"


def test_a_cancelled_run_whose_worker_has_not_noticed_is_busy_until_its_lease_ends() -> None:
    site = Site()
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, "other/1//x", ttl_ms=30_000, covers={})
    cancel_run(site.ledger, run.run_id, reason="given up")
    with pytest.raises(Busy, match="have not all heard of it"):
        site.start()
    site.clock.sleep(30)
    assert site.start().status == "RUNNING"


def test_runs_of_other_kinds_and_queues_are_let_in_beside_each_other() -> None:
    site = Site()
    site.start()
    other = replace(site.run(), kind="repair-apply")
    assert start_run(site.ledger, other, site.worker, arguments=arguments()).kind == "repair-apply"
    elsewhere = site.opened.for_queue("other")
    assert start_run(elsewhere, replace(site.run(), queue="other"), site.worker, arguments=arguments()).version == 1


def test_any_number_of_verifies_may_run() -> None:
    site = Site()
    for _ in range(2):
        run = start_run(site.ledger, replace(site.run(), kind="verify"), site.worker, arguments=arguments())
        assert kinds(site.ledger, run.run_id) == ["WorkflowStarted"]


def breaking(site: Site, before: Callable[[], None]) -> QueueLedger:
    """The ledger, with something that happens before a run's row is saved."""
    real = site.ledger.runs

    def save(run: Run) -> Run:
        before()
        return real.save(run)

    return replace(site.ledger, runs=altered(real, save=save))


def test_where_the_row_cannot_be_written_nothing_is_begun_and_the_next_start_is_let_in() -> None:
    site = Site()

    def fail() -> None:
        raise StorageUnavailable("the ledger is gone")

    with pytest.raises(StorageUnavailable):
        start_run(breaking(site, fail), site.run(), site.worker, arguments=arguments())
    assert site.ledger.runs.runs_in_queue(limit=9) == ()
    assert site.start().status == "RUNNING"


def test_while_somebody_is_starting_another_start_is_busy() -> None:
    site = Site()
    seen: list[str] = []

    def start_another() -> None:
        with pytest.raises(Busy, match="is being started by") as raised:
            site.start()
        seen.append(raised.value.message)

    start_run(breaking(site, start_another), site.run(), this_worker(), arguments=arguments())
    assert seen


def test_a_starter_that_slept_beyond_its_lease_gives_way_to_the_one_that_was_let_in() -> None:
    site = Site()
    winner: list[Run] = []

    def oversleep() -> None:
        site.clock.sleep(31)
        winner.append(site.start())

    late = site.run()
    with pytest.raises(Busy, match="was let in while this one was starting"):
        start_run(breaking(site, oversleep), late, this_worker(), arguments=arguments())
    on_record = {run.run_id: run.status for run in site.ledger.runs.runs_in_queue(limit=9)}
    assert on_record == {winner[0].run_id: "RUNNING", late.run_id: "CANCELLED"}
    assert site.work(winner[0], site.job()).run.status == "COMPLETED"


def killed_start(site: Site, *, with_row: bool, with_work: bool) -> Run:
    """What a start leaves that is killed on its way."""
    run, gate, steps = site.run(), "gate:backfill-acceptances", site.ledger.steps
    first = site.start()
    [started] = steps.load_events(first.run_id, limit=1)
    cancel_run(site.ledger, first.run_id, reason="only to make the gate")
    steps.claim_step(gate, 1, "other/1//x", ttl_ms=30_000, covers={"run_id": run.run_id})
    if with_row:
        run = site.ledger.runs.save(run)
    if with_work:
        steps.append_event(replace(started, run_id=run.run_id))
    return run


@pytest.mark.parametrize("with_row", [False, True])
def test_a_start_that_was_killed_before_its_work_began_is_made_void_once_its_lease_ended(*, with_row: bool) -> None:
    site = Site()
    killed = killed_start(site, with_row=with_row, with_work=False)
    with pytest.raises(Busy):
        site.start()
    site.clock.sleep(30)
    assert site.start().status == "RUNNING"
    found = site.ledger.runs.find(killed.run_id)
    assert (found is not None) == with_row
    assert found is None or found.status == "CANCELLED"


def test_a_start_that_was_killed_behind_the_start_of_its_work_stands_and_can_be_resumed() -> None:
    site = Site()
    killed = killed_start(site, with_row=True, with_work=True)
    site.clock.sleep(30)
    with pytest.raises(Busy, match="nobody works at it"):
        site.start()
    assert take_up(site.place(), killed.run_id, arguments()).run_id == killed.run_id
    assert site.work(killed, site.job()).run.status == "COMPLETED"
    assert site.start().status == "RUNNING"


def test_such_a_start_can_be_resumed_without_any_other_start() -> None:
    site = Site()
    killed = killed_start(site, with_row=True, with_work=True)
    with pytest.raises(Busy, match="is being started by"):
        take_up(site.place(), killed.run_id, arguments())
    site.clock.sleep(30)
    take_up(site.place(), killed.run_id, arguments())
    with pytest.raises(Busy, match=killed.run_id):
        site.start()


def test_a_start_that_never_came_to_its_work_cannot_be_resumed() -> None:
    site = Site()
    killed = killed_start(site, with_row=True, with_work=False)
    site.clock.sleep(30)
    with pytest.raises(Refused, match="never finished"):
        take_up(site.place(), killed.run_id, arguments())


def test_a_run_whose_closer_was_killed_halfway_is_in_nobodys_way() -> None:
    site = Site()
    run = site.start()
    real = site.ledger.runs

    def killed(*_args: object) -> None:
        raise StorageUnavailable("the process was killed here")

    half = replace(site.ledger, runs=altered(real, transition=killed))
    with pytest.raises(StorageUnavailable):
        work(site.place(ledger=half, settings=WorkSettings(max_attempts=1)), run.run_id, registry(site.job()))
    assert site.start().status == "RUNNING"
    found = real.find(run.run_id)
    assert found is not None
    assert found.status == "COMPLETED"
