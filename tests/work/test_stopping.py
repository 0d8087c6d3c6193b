"""Work that stops before its end: whatever the reason, the run stays RUNNING, says why, and can be gone on with."""

import signal
from collections.abc import Mapping, Sequence

import pytest

from stovepipe_cli.work import NeedsOperator, StepWatch, StopRequest, take_up
from stovepipe_cli.work.throttle import HoldGauge, Pace, Pause, Throttle
from tests.work.jobs import Mappings, Site, arguments, kinds


def test_a_signal_ends_the_work_at_the_next_batch_and_gives_the_lease_back() -> None:
    site = Site()
    run = site.start()
    noted: list[int] = []
    stop = StopRequest(lambda: noted[0] if noted else None)
    job = site.job(rows=40, step=20)
    write = job.write

    def interrupted(numbers: Sequence[int]) -> int:
        noted.append(signal.SIGINT)
        return write(numbers)

    job.write = interrupted  # type: ignore[method-assign]  # the same job, that meets a signal
    result = site.work(run, job, stop=stop)
    assert site.mapped() == [0, 1, 2, 3]
    assert result.stop is not None
    assert (result.stop.kind, result.stop.signal, result.stop.sentence) == ("signal", 2, "stopped by SIGINT")
    assert (result.run.status, result.run.header.stopped_because) == ("RUNNING", "stopped by SIGINT")
    assert site.ledger.steps.live_leases(run.run_id, limit=1) == ()
    assert [each.status for each in site.ledger.runs.invocations_of(run.run_id, limit=9)] == ["CANCELLED"]


def test_whoever_takes_up_a_stopped_run_does_what_is_left_and_the_reason_goes() -> None:
    site = Site()
    run = site.start()
    stop = StopRequest()
    stop.ask("stopped by SIGTERM", number=signal.SIGTERM)
    stop.ask("too late")
    assert site.work(run, site.job(), stop=stop).run.header.stopped_because == "stopped by SIGTERM"
    taken = take_up(site.place(), run.run_id, arguments())
    assert taken.header.stopped_because is None
    result = site.work(run, site.job())
    assert (result.run.status, result.run.header.stopped_because) == ("COMPLETED", None)
    assert site.mapped() == list(range(10))


def test_a_spent_time_budget_leaves_the_run_running() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=40, step=4, before=lambda _covers, _watch: site.clock.sleep(1))
    result = site.work(run, job, deadline=site.clock.monotonic() + 2.5)
    assert result.stop is not None
    assert (result.stop.kind, result.run.status) == ("time budget", "RUNNING")
    assert result.run.header.stopped_because == "the time budget ended"
    assert site.mapped() == list(range(8))


def test_a_throttle_that_holds_for_too_long_leaves_the_run_running_with_its_reason() -> None:
    site = Site()
    run = site.start()

    class Always:
        def look(self) -> Pause:
            return Pause("load", "Threads_running 70", "50", "db")

    throttle = Throttle((Always(),), Pace(site.clock, None), clock=site.clock, timeout_ms=60_000)
    result = site.work(run, site.job(), throttle=throttle)
    assert result.stop is not None
    assert (result.stop.kind, site.mapped()) == ("throttle", [])
    assert "Threads_running 70" in str(result.run.header.stopped_because)


def test_the_lease_is_renewed_while_a_throttle_holds_the_work() -> None:
    site = Site()
    run = site.start()
    since = site.clock.now_ms()

    class AMinute:
        def look(self) -> Pause | None:
            return Pause("load", "70", "50", "db") if site.clock.now_ms() < since + 60_000 else None

    throttle = Throttle((AMinute(),), Pace(site.clock, None), clock=site.clock)
    result = site.work(run, site.job(rows=4, step=4), throttle=throttle)
    assert (result.run.status, site.mapped()) == ("COMPLETED", [0, 1, 2, 3])
    assert "LeaseTakenOver" not in kinds(site.ledger, run.run_id)


def test_an_operators_hold_pauses_the_work_until_it_is_lifted() -> None:
    site = Site()
    run = site.start()
    site.ledger.holds.put(run.run_id, reason="release night", actor="ana")
    heard: list[str] = []
    site.clock.on_sleep = lambda: site.clock.slept[10:] and site.ledger.holds.lift(run.run_id)
    result = site.work(run, site.job(), on_hold=lambda pause: heard.append("" if pause is None else pause.value))
    assert (heard, result.run.status) == (["release night", ""], "COMPLETED")


def test_a_hold_ends_with_the_time_budget() -> None:
    site = Site()
    run = site.start()
    site.ledger.holds.put(run.run_id, reason="release night", actor="ana")
    result = site.work(run, site.job(), deadline=site.clock.monotonic() + 60)
    assert result.stop is not None
    assert (result.stop.kind, site.mapped()) == ("throttle", [])
    assert "release night" in result.stop.sentence


def test_a_hold_is_left_when_the_run_is_cancelled_or_a_signal_comes() -> None:
    site = Site()
    run = site.start()
    stop = StopRequest()
    site.ledger.holds.put(run.run_id, reason="release night", actor="ana")
    site.clock.on_sleep = lambda: stop.ask("stopped by SIGINT", number=2)
    result = site.work(run, site.job(), stop=stop)
    assert result.stop is not None
    assert result.stop.kind == "signal"


def test_a_step_may_ask_that_none_is_begun_behind_it() -> None:
    site = Site()
    run = site.start()
    job = site.job(rows=12, step=4)
    job.before = lambda covers, watch: watch.stop_after_this("a conflict") if covers["from"] == 4 else None
    result = site.work(run, job)
    assert result.stop is not None
    assert (result.stop.kind, result.run.header.stopped_because) == ("job", "a conflict")
    assert site.mapped() == list(range(8))
    take_up(site.place(), run.run_id, arguments())
    assert site.work(run, site.job(rows=12, step=4)).run.status == "COMPLETED"


class Undecided(Mappings):
    is_decided = False

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        if covers["from"] == 4 and not self.is_decided:
            raise NeedsOperator("two rows contradict each other")
        return super().perform(covers, watch)


@pytest.mark.parametrize(("stands_still", "mapped"), [(False, [0, 1, 2, 3, 8, 9]), (True, [0, 1, 2, 3])])
def test_a_step_that_needs_an_operator_waits_until_the_run_is_taken_up(
    *, stands_still: bool, mapped: list[int]
) -> None:
    site = Site()
    run = site.start()
    job = Undecided(site.storage, 10, 4, stops_at_waiting=stands_still)
    result = site.work(run, job)
    assert result.stop is not None
    assert (result.stop.kind, result.progress.waiting, site.mapped()) == ("waiting", 1, mapped)
    assert "two rows contradict each other" in str(result.run.header.stopped_because)
    job.is_decided = True
    take_up(site.place(), run.run_id, arguments())
    assert (site.work(run, job).run.status, site.mapped()) == ("COMPLETED", list(range(10)))


def test_a_worker_that_stops_while_another_one_goes_on_leaves_no_reason() -> None:
    site = Site()
    run = site.start()
    other = site.place()
    site.ledger.steps.claim_step(run.run_id, 0, other.worker.name, ttl_ms=30_000, covers={"from": 0, "to": 4})
    stop = StopRequest()
    stop.ask("stopped by SIGINT", number=2)
    assert site.work(run, site.job(), stop=stop).run.header.stopped_because is None


def test_the_hold_is_asked_of_the_ledger_by_the_run() -> None:
    site = Site()
    held, free = site.start(), "another"
    site.ledger.holds.put(held.run_id, reason="wait", actor="ana")
    assert HoldGauge(lambda: site.ledger.holds.of(free)).look() is None
    assert site.place().hold_of(free).pause is None
