"""A run whose steps are done by one worker, from its start to its end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from stovepipe_cli.entities.work import WorkEvent
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.work import BatchBounds, Progress, StepWatch, WorkSettings, cancel_run, close_run, settle, work
from stovepipe_cli.work.closing import WorkUnfinished
from stovepipe_cli.work.header import amend
from tests.work.jobs import Mappings, Site, altered, kinds, registry


def test_every_step_is_done_and_the_run_completes_with_the_sums_of_their_counts() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, site.job(rows=10, step=4))
    assert site.mapped() == list(range(10))
    assert (result.stop, result.has_closed, result.run.status) == (None, True, "COMPLETED")
    assert result.run.header.counts == {"mapped": 10, "quarantined": 0}
    assert (result.progress.minted, result.progress.completed, result.progress.handled) == (3, 3, 10)


def test_a_job_without_steps_completes_vacuously() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, site.job(rows=0))
    assert (result.run.status, result.progress.minted) == ("COMPLETED", 0)
    assert kinds(site.ledger, run.run_id) == ["WorkflowStarted", "WorkflowCompleted"]


def test_the_run_finishes_when_its_work_did() -> None:
    site = Site()
    run = site.start()
    done = site.work(run, site.job()).run
    ending = site.ledger.steps.ending(run.run_id)
    assert ending is not None
    assert done.finished_at_ms == ending.at_ms


def test_who_closes_second_finds_the_run_closed() -> None:
    site = Site()
    run = site.start()
    first = site.work(run, site.job())
    site.clock.sleep(1)
    again, has_closed = close_run(site.ledger, run.run_id, counts={"mapped": 99})
    assert (has_closed, again) == (False, first.run)


def test_a_close_that_was_killed_between_its_two_writes_is_settled_with_the_time_and_counts_of_the_first() -> None:
    site = Site()
    run = site.start()

    def killed(*_args: object) -> None:
        raise StorageUnavailable("the process was killed here")

    half = replace(site.ledger, runs=altered(site.ledger.runs, transition=killed))
    with pytest.raises(StorageUnavailable):
        work(site.place(ledger=half, settings=WorkSettings(max_attempts=1)), run.run_id, registry(site.job()))
    ending, left = site.ledger.steps.ending(run.run_id), site.ledger.runs.find(run.run_id)
    assert ending is not None
    assert left is not None
    site.clock.sleep(60)
    settled = settle(site.ledger, left)
    assert (settled.status, settled.finished_at_ms) == ("COMPLETED", ending.at_ms)
    assert settled.header.counts == {"mapped": 10, "quarantined": 0}
    assert settle(site.ledger, settled) == settled
    assert site.start().status == "RUNNING"


def test_a_reason_to_stop_that_came_late_is_not_left_on_a_completed_run() -> None:
    site = Site()
    run = site.start()
    job = site.job()

    def late(_covers: object, _watch: object) -> None:
        amend(site.ledger, run.run_id, lambda header: replace(header, stopped_because="stopped by SIGINT"))

    job.before = late
    assert site.work(run, job).run.header.stopped_because is None


def test_a_worker_that_joins_a_completed_run_says_so_and_closes_nothing() -> None:
    site = Site()
    run = site.start()
    site.work(run, site.job())
    again = site.work(run, site.job())
    assert (again.stop, again.has_closed, again.run.status) == (None, False, "COMPLETED")


def test_a_cancelled_run_is_left_at_the_next_step() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=10, step=4)

    def cancel(covers: Mapping[str, object], _watch: StepWatch) -> None:
        if covers["from"]:
            cancel_run(site.ledger, run.run_id, reason="no longer wanted")

    job.before = cancel
    result = site.work(run, job)
    assert result.stop is not None
    assert (result.stop.kind, result.run.status) == ("ended", "CANCELLED")
    assert result.run.header.stopped_because == "no longer wanted"
    assert 8 not in site.mapped()


def test_a_cancelled_run_is_left_within_a_poll_in_the_middle_of_a_step() -> None:
    site = Site()
    run = site.start()
    job, write = site.job(rows=40, step=40, batch=BatchBounds(4, 4, 4)), Mappings.write

    def cancelling(numbers: Sequence[int]) -> int:
        if numbers[0] == 4:
            cancel_run(site.ledger, run.run_id, reason="no longer wanted")
        site.clock.sleep(0.6)
        return write(job, numbers)

    job.write = cancelling  # type: ignore[method-assign]  # the same job, in the middle of which somebody cancels
    result = site.work(run, job)
    assert result.run.status == "CANCELLED"
    assert site.mapped() == list(range(8))


def test_progress_is_of_the_whole_run_and_told_at_most_once_a_poll() -> None:
    site = Site()
    run = site.start()
    heard: list[Progress] = []
    job = site.job(rows=12, step=4, before=lambda _covers, _watch: site.clock.sleep(0.6))
    site.work(run, job, progress=heard.append)
    assert [each.handled for each in heard] == [0, 8, 12]
    assert heard[1].counts == {"mapped": 8}


def test_the_attempt_at_a_step_is_on_record_with_what_it_set_out_to_write() -> None:
    site = Site()
    run = site.start()
    site.work(run, site.job(rows=3, step=4))
    [attempt] = site.ledger.runs.invocations_of(run.run_id, limit=10)
    assert (attempt.status, attempt.step_index, attempt.attempt) == ("SUCCEEDED", 0, 1)
    assert attempt.document == {"writes": [0, 3]}


def test_a_step_that_appears_while_the_end_is_looked_for_is_not_closed_over() -> None:
    site = Site()
    run = site.start()
    real, appeared = site.ledger.steps, [False]

    def counts(run_id: str) -> object:
        found = real.counts_by_status(run_id)
        if not appeared[0]:
            appeared[0] = True
            real.claim_step(run_id, 1, "other/1//x", ttl_ms=5_000, covers={"from": 4, "to": 8})
        return found

    ledger = replace(site.ledger, steps=altered(real, counts_by_status=counts))
    result = work(site.place(ledger=ledger), run.run_id, registry(site.job(rows=4, step=4)))
    assert (result.run.status, site.mapped()) == ("COMPLETED", list(range(8)))


def test_a_cancellation_that_comes_between_the_last_step_and_the_end_stands() -> None:
    site = Site()
    run = site.start()
    real = site.ledger.steps

    def append(event: WorkEvent) -> WorkEvent:
        if event.kind == "WorkflowCompleted":
            cancel_run(site.ledger, run.run_id, reason="no longer wanted")
        return real.append_event(event)

    ledger = replace(site.ledger, steps=altered(real, append_event=append))
    result = work(site.place(ledger=ledger), run.run_id, registry(site.job()))
    assert result.stop is not None
    assert (result.stop.kind, result.has_closed, result.run.status) == ("ended", False, "CANCELLED")


def test_a_run_with_steps_left_cannot_be_closed() -> None:
    site = Site()
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, "other/1//x", ttl_ms=5_000, covers={})
    with pytest.raises(WorkUnfinished, match="has 1 steps that are not done"):
        close_run(site.ledger, run.run_id, counts={})
