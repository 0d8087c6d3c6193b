"""Which runs nobody works at."""

from dataclasses import replace

import pytest

from stovepipe_cli.entities.run import RunEnd
from stovepipe_cli.entities.work import WorkEvent
from stovepipe_cli.work import StopRequest, cancel_run, enter_run, is_abandoned, this_worker
from stovepipe_cli.work.identity import WorkerIdentity
from tests.work.jobs import Site

ELSEWHERE = "other/1//x"


def test_a_run_with_a_live_lease_is_not_abandoned_and_one_whose_lease_ran_out_is() -> None:
    site = Site()
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, ELSEWHERE, ttl_ms=30_000, covers={})
    site.clock.sleep(29)
    assert not is_abandoned(site.ledger, run, site.worker)
    site.clock.sleep(2)
    assert is_abandoned(site.ledger, run, site.worker)


def test_a_run_whose_only_worker_was_a_process_of_this_host_is_abandoned_once_that_is_gone() -> None:
    site = Site()
    run = site.start()
    gone = replace(site.worker, started="1").name
    site.ledger.steps.claim_step(run.run_id, 0, gone, ttl_ms=30_000, covers={})
    assert is_abandoned(site.ledger, run, site.worker)
    assert not is_abandoned(site.ledger, run, WorkerIdentity("elsewhere", 1, "", "x"))


def test_one_living_holder_is_enough() -> None:
    site = Site()
    run = site.start()
    gone = replace(site.worker, started="1").name
    site.ledger.steps.claim_step(run.run_id, 0, gone, ttl_ms=30_000, covers={})
    site.ledger.steps.claim_step(run.run_id, 1, site.worker.name, ttl_ms=30_000, covers={})
    assert not is_abandoned(site.ledger, run, site.worker)


def test_a_run_that_was_just_started_or_is_between_two_steps_is_not_abandoned() -> None:
    site = Site()
    run = site.start()
    assert not is_abandoned(site.ledger, run, site.worker)
    seen: list[bool] = []
    job = site.job(rows=12, step=4)
    mint = job.mint

    def slowly(last: object) -> object:
        site.clock.sleep(20)
        seen.append(is_abandoned(site.ledger, run, site.worker))
        return mint(last)  # type: ignore[arg-type]  # passed on

    job.mint = slowly  # type: ignore[method-assign,assignment]  # the same job, slower
    site.work(run, job)
    assert seen == [False, False, False, False]


def test_a_run_whose_retry_is_not_due_is_not_abandoned() -> None:
    site = Site()
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, ELSEWHERE, ttl_ms=1_000, covers={})
    event = WorkEvent(run.queue, run.run_id, "RetryScheduled", "t", 0, 1, ELSEWHERE, 1)
    due = site.clock.now_ms() + 60_000
    site.ledger.steps.append_event(replace(event, body={"reason": "slow", "not_before_ms": due}))
    site.clock.sleep(80)
    assert not is_abandoned(site.ledger, run, site.worker)
    site.clock.sleep(20)
    assert is_abandoned(site.ledger, run, site.worker)


def test_a_stopped_run_is_abandoned_and_an_ended_one_is_not() -> None:
    site = Site()
    run = site.start()
    stop = StopRequest()
    stop.ask("stopped by SIGINT", number=2)
    left = site.work(run, site.job(), stop=stop).run
    assert is_abandoned(site.ledger, left, site.worker)
    ended, _ = cancel_run(site.ledger, run.run_id, reason="given up")
    assert not is_abandoned(site.ledger, ended, site.worker)


def test_a_run_without_steps_is_abandoned_when_its_process_is_gone() -> None:
    site = Site()
    here = enter_run(site.ledger, replace(site.run(), kind="verify"), this_worker(), run_time_ms=None)
    site.clock.sleep(7 * 86_400)
    assert not is_abandoned(site.ledger, here, site.worker)
    gone = replace(site.worker, started="1")
    left = enter_run(site.ledger, replace(site.run(), kind="verify"), gone, run_time_ms=None)
    assert is_abandoned(site.ledger, left, site.worker)


@pytest.mark.parametrize(("run_time_ms", "hours"), [(3_600_000, 2), (None, 24)])
def test_a_run_without_steps_of_another_host_is_believed_in_until_its_time_is_over(
    run_time_ms: int | None, hours: int
) -> None:
    site = Site()
    elsewhere = WorkerIdentity("elsewhere", 1, "", "x")
    run = enter_run(site.ledger, replace(site.run(), kind="verify"), elsewhere, run_time_ms=run_time_ms)
    site.clock.sleep(hours * 3600)
    assert not is_abandoned(site.ledger, run, site.worker)
    site.clock.sleep(1)
    assert is_abandoned(site.ledger, run, site.worker)


def test_a_run_without_steps_ends_by_its_own_word_and_cannot_be_cancelled_then() -> None:
    site = Site()
    run = enter_run(site.ledger, replace(site.run(), kind="verify"), this_worker(), run_time_ms=None)
    site.ledger.runs.transition(run.run_id, RunEnd("COMPLETED", site.ledger.steps.now_ms(), counts={"H101": 1}))
    found, was_cancelled = cancel_run(site.ledger, run.run_id, reason="too late")
    assert (found.status, was_cancelled) == ("COMPLETED", False)


def test_a_run_without_steps_can_be_cancelled() -> None:
    site = Site()
    run = enter_run(site.ledger, replace(site.run(), kind="verify"), this_worker(), run_time_ms=None)
    found, was_cancelled = cancel_run(site.ledger, run.run_id, reason="not wanted")
    assert (found.status, was_cancelled, found.header.stopped_because) == ("CANCELLED", True, "not wanted")
