"""A lease is renewed while its step is done, and who cannot renew it stops before it ends."""

import threading
from collections.abc import Mapping
from dataclasses import replace

import pytest

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.ledger.contract import Claimed, LeaseLost
from stovepipe_cli.work import LedgerUnavailable, StepWatch, WorkSettings, this_worker, work
from stovepipe_cli.work.lease import HeldStep, Lease
from tests.support.waiting import comes_true
from tests.work.jobs import Mappings, Site, altered, kinds, registry

TTL_MS = 30_000


def claimed(site: Site, ttl_ms: int = TTL_MS) -> tuple[str, Claimed]:
    run = site.start()
    claim = site.ledger.steps.claim_step(run.run_id, 0, site.worker.name, ttl_ms=ttl_ms, covers={"from": 0, "to": 4})
    assert isinstance(claim, Claimed)
    return run.run_id, claim


def test_a_lease_never_outlives_the_ledgers_own() -> None:
    site = Site()
    asked_at = site.clock.monotonic()
    site.clock.sleep(2)
    run_id, claim = claimed(site)
    lease = Lease(
        site.ledger.steps,
        site.clock,
        HeldStep(run_id, 0, claim, asked_at),
        worker=site.worker.name,
        ttl_ms=TTL_MS,
    )
    assert lease.remaining_ms == TTL_MS - 2_000
    site.clock.sleep(10)
    assert lease.renew()
    assert lease.remaining_ms == TTL_MS


def test_a_thread_renews_the_lease_for_as_long_as_the_step_takes() -> None:
    site = Site()
    now = SystemClock()
    run_id, claim = claimed(site)
    renewed: list[int] = []
    steps = altered(site.ledger.steps, renew_lease=lambda *_args, **_named: renewed.append(1))
    lease = Lease(steps, now, HeldStep(run_id, 0, claim, now.monotonic()), worker=site.worker.name, ttl_ms=60)
    with lease.kept():
        assert comes_true(lambda: len(renewed) >= 5, within_seconds=10)
        assert lease.remaining_ms > 0
    done = len(renewed)
    lease.settle()
    assert not lease.renew()
    assert len(renewed) == done


class Slow(Mappings):
    """Its first batch takes as long as `seconds`."""

    seconds = 0.0
    site: Site

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        if watch.attempt == 1:
            self.site.clock.sleep(self.seconds)
        return super().perform(covers, watch)


def slow(site: Site, seconds: float) -> Slow:
    job = Slow(site.storage, 4, 4)
    job.seconds, job.site = seconds, site
    return job


@pytest.mark.parametrize("renews_at_batches", [False, True])
def test_short_batches_are_done_without_a_thread_until_a_lease_was_lost(*, renews_at_batches: bool) -> None:
    site = Site()
    run = site.start()
    threads: list[bool] = []

    def look(_covers: Mapping[str, object], _watch: StepWatch) -> None:
        threads.append(any(each.name == "lease" for each in threading.enumerate()))

    job = slow(site, 31)
    job.renews_at_batches, job.before = renews_at_batches, look
    result = site.work(run, job, has_heartbeat=True)
    assert (result.run.status, site.mapped()) == ("COMPLETED", [0, 1, 2, 3])
    assert threads == [not renews_at_batches, True]


@pytest.mark.parametrize("has_heartbeat", [False, True])
def test_without_a_thread_a_lease_is_renewed_before_a_batch_once_a_third_of_it_has_passed(
    *, has_heartbeat: bool
) -> None:
    site = Site()
    run = site.start()
    left: list[float] = []

    def wait(_covers: Mapping[str, object], watch: StepWatch) -> None:
        site.clock.sleep(11)
        watch.ready()
        left.append(watch._lease.remaining_ms)  # noqa: SLF001 - nothing else tells

    job = site.job(4, 4, before=wait)
    job.renews_at_batches = True
    site.work(run, job, has_heartbeat=has_heartbeat)
    assert left == [TTL_MS]


def test_a_step_that_outlived_its_lease_is_not_gone_on_with() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, slow(site, 31))
    assert (result.run.status, site.mapped()) == ("COMPLETED", [0, 1, 2, 3])
    assert kinds(site.ledger, run.run_id).count("LeaseTakenOver") == 1
    attempts = site.ledger.runs.invocations_of(run.run_id, limit=9)
    assert [(each.attempt, each.status) for each in attempts] == [(1, "CANCELLED"), (2, "SUCCEEDED")]


def test_the_completion_of_a_step_that_somebody_took_over_is_refused_and_does_no_harm() -> None:
    site = Site()
    run = site.start()
    other = this_worker().name
    taken: list[object] = []

    def take(_covers: Mapping[str, object], watch: StepWatch) -> None:
        if watch.attempt > 1:
            return
        watch.ready()
        site.clock.sleep(31)
        claim = site.ledger.steps.claim_step(run.run_id, 0, other, ttl_ms=TTL_MS)
        assert isinstance(claim, Claimed)
        taken.append(claim.fencing)

    class Hasty(Mappings):
        """Asks for no leave before it writes."""

        def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
            self.before(covers, watch)
            return {"counts": {"mapped": self.write(range(4))}}

    site.clock.on_sleep = lambda: None
    job = Hasty(site.storage, 4, 4, before=take)
    result = site.work(run, job, deadline=site.clock.monotonic() + 45)
    assert taken == [2]
    assert result.stop is not None
    assert (result.stop.kind, result.run.status) == ("time budget", "RUNNING")
    assert "StepCompleted" not in kinds(site.ledger, run.run_id)
    site.clock.sleep(31)
    assert site.work(run, job).run.header.counts == {"mapped": 0, "quarantined": 0}
    assert site.mapped() == [0, 1, 2, 3]


def test_who_cannot_renew_stops_before_the_lease_ends_and_says_what_to_do() -> None:
    site = Site()
    run = site.start()
    written_at: list[int] = []

    def fail(*_args: object, **_named: object) -> int:
        raise StorageUnavailable("nobody answers")

    ledger_at = site.place()
    once = WorkSettings(max_attempts=1)
    place = site.place(ledger=_with_steps(site, fail), settings=once)
    job = site.job(rows=400, step=400)
    write = job.write

    def timed(numbers: object) -> int:
        site.clock.sleep(1)
        written_at.append(site.clock.now_ms())
        return write(numbers)  # type: ignore[arg-type]  # passed on

    job.write = timed  # type: ignore[method-assign]  # the same job, whose writes take time
    with pytest.raises(LedgerUnavailable) as raised:
        work(place, run.run_id, registry(job))
    step = site.ledger.steps.step(run.run_id, 0)
    assert step is not None
    assert raised.value.exit_code == 6
    assert f"stovepipe runs resume {run.run_id}" in str(raised.value.hint)
    assert written_at[-1] < run.started_at_ms + TTL_MS
    assert written_at[-1] >= run.started_at_ms + TTL_MS - 4_000, "it stopped long before it had to"
    assert work(ledger_at, run.run_id, registry(site.job(400, 400))).run.status == "COMPLETED"


def _with_steps(site: Site, renew: object) -> object:
    return replace(site.ledger, steps=altered(site.ledger.steps, renew_lease=renew))  # type: ignore[arg-type]  # a function


def test_a_lease_that_is_shorter_than_a_batch_takes_still_lets_work_begin() -> None:
    site = Site()
    run = site.start()
    result = site.work(run, site.job(), settings=WorkSettings(ttl_ms=1_000, max_failure_share=None))
    assert result.run.status == "COMPLETED"


def test_a_lost_lease_is_told_apart_from_an_ended_run() -> None:
    site = Site()
    run_id, claim = claimed(site)
    lease = Lease(
        site.ledger.steps,
        site.clock,
        HeldStep(run_id, 0, claim, site.clock.monotonic()),
        worker=site.worker.name,
        ttl_ms=TTL_MS,
    )
    site.clock.sleep(31)
    assert not lease.renew()
    assert (lease.is_lost, lease.is_run_ended, lease.remaining_ms) == (True, False, 0.0)
    with pytest.raises(LeaseLost):
        site.ledger.steps.renew_lease(run_id, 0, site.worker.name, fencing=claim.fencing, ttl_ms=TTL_MS)


def test_a_ledger_that_answers_again_soon_is_sat_out_between_steps() -> None:
    site = Site()
    run = site.start()
    real, left = site.ledger.steps, [3]

    def last_step(run_id: str) -> object:
        if left[0]:
            left[0] -= 1
            raise StorageUnavailable("nobody answers")
        return real.last_step(run_id)

    ledger = replace(site.ledger, steps=altered(real, last_step=last_step))
    result = work(site.place(ledger=ledger), run.run_id, registry(site.job()))
    assert (result.run.status, site.mapped()) == ("COMPLETED", list(range(10)))
    assert sum(site.clock.slept) == pytest.approx(1 + 2 + 4)
