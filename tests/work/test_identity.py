"""Workers' names, and what can be known about whether a worker still is."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

from stovepipe_cli.work import WorkerIdentity, is_gone, this_worker
from tests.support.waiting import comes_true

SLEEPER = (sys.executable, "-c", "import time; time.sleep(600)")


def worker_of(process: "subprocess.Popen[bytes]") -> WorkerIdentity:
    return replace(this_worker(), pid=process.pid, started="")


def test_a_name_tells_its_worker() -> None:
    worker = this_worker()
    assert WorkerIdentity.parse(worker.name) == worker
    assert len(worker.name) <= 255
    assert WorkerIdentity.parse("somebody") is None


def test_two_workers_of_one_process_have_two_names() -> None:
    assert this_worker().name != this_worker().name


def test_this_process_is_not_gone() -> None:
    here = this_worker()
    assert not is_gone(here.name, here)


def test_a_killed_process_is_gone_also_before_anybody_has_asked_how_it_ended() -> None:
    here = this_worker()
    process = subprocess.Popen(SLEEPER)
    name = worker_of(process).name
    assert not is_gone(name, here)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(name, here)
    process.wait()
    assert is_gone(name, here)


def test_a_stopped_process_is_not_gone() -> None:
    process = subprocess.Popen(SLEEPER)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    assert comes_true(lambda: not is_gone(worker_of(process).name, this_worker()), within_seconds=1)
    process.kill()
    process.wait()


def test_another_process_under_the_same_number_is_another_worker() -> None:
    here = this_worker()
    assert is_gone(replace(here, started="1").name, here)


def test_nothing_is_known_of_other_hosts() -> None:
    here = this_worker()
    assert not is_gone(replace(here, host="elsewhere", pid=2**22 + 1).name, here)
    assert not is_gone("somebody", here)
