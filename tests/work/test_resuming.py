"""Runs that are gone on with: by whom, when, and only with the job that they were started with."""

import subprocess
import sys
from dataclasses import replace

import pytest

from stovepipe_cli.errors import Busy, Refused
from stovepipe_cli.storage.contract import NotFound
from stovepipe_cli.work import JobArguments, JobRegistry, StopRequest, join_run, recoverable, take_up, this_worker, work
from tests.work.jobs import KIND, Site, arguments, kinds, registry

HELD = 30_000


def held(site: Site, worker: str = "other/1//x") -> str:
    """A run whose first step is held by another worker."""
    run = site.start()
    site.ledger.steps.claim_step(run.run_id, 0, worker, ttl_ms=HELD, covers={"from": 0, "to": 4})
    return run.run_id


def gone_worker() -> str:
    """The name of a process of this host that is no more."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return replace(this_worker(), pid=done.pid, started="1").name


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        (replace(arguments(), queue="other"), "queue"),
        (replace(arguments(), target="server/other"), "target"),
        (replace(arguments(), rules="sha256:2"), "rules 'sha256:1', and it is 'sha256:2' now"),
        (replace(arguments(), plan="sha256:9"), "plan absent, and it is 'sha256:9' now"),
        (arguments(since=7), "option since absent, and it is 7 now"),
    ],
)
def test_another_job_is_refused_by_the_field_that_differs(changed: JobArguments, field: str) -> None:
    site = Site()
    run = site.start()
    for go_on in (take_up, join_run):
        with pytest.raises(Refused, match=f"was started with {field}"):
            go_on(site.place(), run.run_id, changed)


def test_options_that_are_equal_in_another_order_are_the_same_job() -> None:
    site = Site()
    run = site.start(since=5, until=9)
    assert take_up(site.place(), run.run_id, arguments(until=9, since=5)).run_id == run.run_id


def test_a_run_that_has_ended_has_nothing_left_to_do_and_says_how_it_ended() -> None:
    site = Site()
    run = site.start()
    site.work(run, site.job())
    with pytest.raises(Refused, match="is COMPLETED since"):
        take_up(site.place(), run.run_id, arguments())


def test_an_unknown_run_is_not_found() -> None:
    with pytest.raises(NotFound):
        take_up(Site().place(), "none", arguments())


def test_a_dead_holder_is_waited_for_until_its_lease_ends() -> None:
    site = Site()
    run_id = held(site)
    since, told = site.clock.now_ms(), []
    take_up(site.place(), run_id, arguments(), on_wait=lambda step: told.append(step.worker))
    assert HELD <= site.clock.now_ms() - since < HELD + 2_000
    assert told == ["other/1//x"]


def test_a_holder_that_renews_its_lease_is_at_work() -> None:
    site = Site()
    run_id = held(site)
    site.clock.on_sleep = lambda: site.ledger.steps.renew_lease(run_id, 0, "other/1//x", fencing=1, ttl_ms=HELD)
    with pytest.raises(Busy, match="renewed its lease of step 0") as raised:
        take_up(site.place(), run_id, arguments())
    assert "stovepipe runs work" in str(raised.value.hint)


def test_a_holder_that_goes_on_to_another_step_is_at_work() -> None:
    site = Site()
    run_id = held(site)

    def go_on() -> None:
        site.ledger.steps.claim_step(run_id, 1, "other/1//x", ttl_ms=HELD, covers={"from": 4, "to": 8})

    site.clock.on_sleep = go_on
    with pytest.raises(Busy, match="step 1"):
        take_up(site.place(), run_id, arguments())


def test_a_holder_of_this_host_that_is_gone_is_taken_over_at_once() -> None:
    site = Site()
    worker = gone_worker()
    run_id = held(site, worker)
    take_up(site.place(), run_id, arguments())
    assert site.clock.slept == []
    assert kinds(site.ledger, run_id)[-1] == "WorkerRecovered"


def test_a_holder_of_this_host_that_lives_is_waited_for() -> None:
    site = Site()
    run_id = held(site, this_worker().name)
    take_up(site.place(), run_id, arguments())
    assert site.clock.slept


def test_a_stop_ends_the_wait() -> None:
    site = Site()
    run_id = held(site)
    stop = StopRequest()
    site.clock.on_sleep = lambda: stop.ask("stopped by SIGINT", number=2)
    take_up(site.place(stop=stop), run_id, arguments())
    assert len(site.clock.slept) == 1


def test_who_joins_waits_for_nobody_and_does_what_is_free() -> None:
    site = Site()
    run_id = held(site)
    join_run(site.place(), run_id, arguments())
    assert site.clock.slept == []
    done = work(site.place(), run_id, registry(site.job()))
    assert (done.run.status, site.mapped()) == ("COMPLETED", list(range(10)))


def test_only_kinds_that_this_process_knows_are_worked_at() -> None:
    site = Site()
    run = site.start()
    with pytest.raises(Refused, match="which this process cannot work at"):
        work(site.place(), run.run_id, JobRegistry({}))


def test_recovery_offers_runs_with_dead_steps_of_known_kinds_alone() -> None:
    site = Site()
    run_id = held(site)
    known = registry(site.job())
    assert recoverable(site.ledger, known, limit=9) == ()
    site.clock.sleep(31)
    assert [run.run_id for run in recoverable(site.ledger, known, limit=9)] == [run_id]
    assert recoverable(site.ledger, JobRegistry({}), limit=9) == ()


def test_a_registered_job_is_made_of_what_the_start_left_on_record() -> None:
    site = Site()
    bodies: list[object] = []
    run = site.start()

    def make(_run: object, body: object) -> object:
        bodies.append(body)
        return site.job()

    work(site.place(), run.run_id, JobRegistry({KIND: make}))  # type: ignore[dict-item]  # a job is an object
    assert bodies == [{}]
