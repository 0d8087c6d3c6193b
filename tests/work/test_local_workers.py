"""More processes of this host at one run."""

import signal
import subprocess
import sys

import pytest

from stovepipe_cli.storage.contract import StorageReadOnly
from stovepipe_cli.work import DeadWorker, LocalWorkers, StopRequest
from tests.support.waiting import comes_true
from tests.work.jobs import Site

SLEEPING = "import time; time.sleep(600)"
ENDING_AT_ONCE = "import sys; sys.exit({code})"


def running(script: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", script], start_new_session=True)


def test_a_helper_that_was_killed_is_told_once() -> None:
    started: list[subprocess.Popen[bytes]] = []

    def spawn() -> "subprocess.Popen[bytes]":
        started.append(running(SLEEPING))
        return started[-1]

    with LocalWorkers(2, spawn) as helpers:
        assert helpers.running == 2
        started[0].kill()
        assert comes_true(lambda: helpers.running == 1, within_seconds=10)
        assert helpers.look() == (DeadWorker(started[0].pid, -signal.SIGKILL),)
        assert helpers.look() == ()
        helpers.stop()
    assert [each.pid for each in helpers.dead] == [started[0].pid]


def test_helpers_that_only_read_are_ended_with_the_block_and_have_not_died() -> None:
    with LocalWorkers(2, lambda: running(SLEEPING), only_read=True) as helpers:
        assert helpers.running == 2
    assert (helpers.running, list(helpers.dead)) == (0, [])


def test_a_helper_that_only_read_and_was_killed_before_the_end_has_died() -> None:
    started: list[subprocess.Popen[bytes]] = []

    def spawn() -> "subprocess.Popen[bytes]":
        started.append(running(SLEEPING))
        return started[-1]

    with LocalWorkers(2, spawn, only_read=True) as helpers:
        started[0].kill()
        assert comes_true(lambda: helpers.running == 1, within_seconds=10)
    assert [each.pid for each in helpers.dead] == [started[0].pid]


@pytest.mark.parametrize(("code", "died"), [(0, 0), (3, 0), (4, 0), (1, 1), (6, 1)])
def test_a_helper_that_ended_with_a_verdict_has_not_died(code: int, died: int) -> None:
    with LocalWorkers(1, lambda: running(ENDING_AT_ONCE.format(code=code))) as helpers:
        pass
    assert len(helpers.dead) == died


def test_helpers_are_stopped_where_this_worker_stops_and_are_gone_when_it_returns() -> None:
    site = Site()
    run = site.start()
    helpers = LocalWorkers(2, lambda: running(SLEEPING))
    stop = StopRequest()
    stop.ask("stopped by SIGINT", number=signal.SIGINT)
    result = site.work(run, site.job(), stop=stop, helpers=helpers)
    assert (helpers.running, result.dead) == (0, ())
    assert result.run.header.stopped_because == "stopped by SIGINT"


def test_a_stop_reaches_helpers_while_this_worker_is_still_in_its_batch() -> None:
    stop = StopRequest()
    with LocalWorkers(2, lambda: running(SLEEPING), stop) as helpers:
        assert helpers.running == 2
        stop.ask("stopped by SIGTERM", number=signal.SIGTERM)
        assert comes_true(lambda: helpers.running == 0, within_seconds=10), "nobody else has told them"
    assert helpers.dead == []


def test_helpers_are_stopped_where_this_worker_fails() -> None:
    site = Site()
    run = site.start()
    helpers = LocalWorkers(1, lambda: running(SLEEPING))
    job = site.job(poison=frozenset({2}), refused=StorageReadOnly("read-only"))
    with pytest.raises(StorageReadOnly):
        site.work(run, job, helpers=helpers)
    assert (helpers.running, helpers.dead) == (0, [])


def test_helpers_that_cannot_all_be_started_are_not_left_behind() -> None:
    started: list[subprocess.Popen[bytes]] = []

    def spawn() -> "subprocess.Popen[bytes]":
        if started:
            raise OSError("no more processes")
        started.append(running(SLEEPING))
        return started[-1]

    with pytest.raises(OSError, match="no more processes"), LocalWorkers(2, spawn):
        pass
    assert started[0].wait(10) == -signal.SIGTERM


def test_the_dead_are_told_with_the_result() -> None:
    site = Site()
    run = site.start()
    helpers = LocalWorkers(1, lambda: running(ENDING_AT_ONCE.format(code=1)))
    result = site.work(run, site.job(), helpers=helpers)
    assert [each.code for each in result.dead] == [1]
    assert result.run.status == "COMPLETED"
