"""Workers of a verify that stand by: forked before anything is open, and gone with the process that they wait for."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.running import Process
from tests.support.waiting import comes_true

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every worker is started anew")

EMPTY_BASELINE = '{"stovepipe_baseline": 1}\n'
SEED = "PYTHONHASHSEED"


class Held:
    """A verify of three workers that waits for its baseline, which is read when the others stand by."""

    def __init__(self, process: Process, database: Path, *python: str, **environ: str) -> None:
        self._fifo = process.home / "baseline"
        os.mkfifo(self._fifo)
        self.database = database
        self.ledger = process.home / "ledger.db"
        url = f"sqlite:///{database}"
        words = ["verify", "-q", "demo/main", "--database-url", url, "--ledger-url", f"sqlite:///{self.ledger}"]
        words += ["--settle", "0", "--workers", "3", "--baseline", str(self._fifo), "-o", "json"]
        self.main = psutil.Popen(
            [sys.executable, *python, "-m", "stovepipe_cli", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=process.environ(environ),
            cwd=process.home,
            start_new_session=True,
        )

    def children(self, count: int = 2) -> list[psutil.Process]:
        assert comes_true(lambda: len(self.main.children()) >= count, within_seconds=30), self.main.children()
        found: list[psutil.Process] = self.main.children()
        return found

    def go_on(self) -> None:
        self._fifo.write_text(EMPTY_BASELINE)

    def document(self) -> dict[str, object]:
        self.go_on()
        stdout, stderr = self.main.communicate(timeout=60)
        assert b"Traceback" not in stderr, stderr
        found: dict[str, object] = json.loads(stdout)
        return found


Hold = Callable[..., Held]


@pytest.fixture
def hold(process: Process, database: Callable[[str], Path]) -> Iterator[Hold]:
    started: list[Held] = []

    def begin(*python: str, **environ: str) -> Held:
        started.append(Held(process, database("demo"), *python, **environ))
        return started[-1]

    yield begin
    for each in started:
        for one in (each.main, *each.main.children()) if each.main.is_running() else ():
            one.kill()
        each.main.communicate()


def test_it_keeps_its_number_and_its_children_share_the_key_of_its_hashes(hold: Hold) -> None:
    held = hold()
    everybody = [held.main, *held.children()]
    seeds = {each.environ().get(SEED) for each in everybody}
    assert len(everybody) == 3
    assert len(seeds) == 1
    assert seeds != {None}
    assert held.document()["verdict"] == "findings"


def test_nothing_is_open_in_those_that_stand_by(hold: Hold) -> None:
    held = hold()
    for child in held.children():
        names = {Path(each.path).name for each in child.open_files()}
        assert not names & {held.database.name, held.ledger.name}
        assert child.net_connections() == []
        assert child.num_threads() == 1
        assert os.getsid(child.pid) == child.pid


def test_those_that_stand_by_end_with_a_process_that_is_killed(hold: Hold) -> None:
    held = hold()
    children = held.children()
    held.main.kill()
    held.main.wait(10)
    assert psutil.wait_procs(children, timeout=30)[1] == []


def test_those_that_stand_by_end_with_a_process_that_is_told_to_stop(hold: Hold) -> None:
    held = hold()
    children = held.children()
    held.main.terminate()
    assert held.main.wait(30) == 143
    assert psutil.wait_procs(children, timeout=30)[1] == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_another_process_does_the_work_of_one_that_was_killed_while_it_stood_by(number: int, hold: Hold) -> None:
    held = hold()
    gone = held.children()[0]
    gone.send_signal(number)
    assert comes_true(lambda: gone.status() == psutil.STATUS_ZOMBIE, within_seconds=30)
    assert held.document()["verdict"] == "findings"


def test_nobody_is_left_where_one_process_does_it_all(
    process: Process, database: Callable[[str], Path], tmp_path: Path
) -> None:
    place = ("-q", "demo/main", "--database-url", f"sqlite:///{database('demo')}")
    record = ("--ledger-url", f"sqlite:///{tmp_path / 'ledger.db'}")
    result = process("verify", *place, *record, "--last", "2", "--settle", "0", "--workers", "3", "-o", "json")
    assert result.code in {0, 3}
    assert "looked at by one process" in result.stderr
    assert [each.pid for each in psutil.process_iter(["cmdline"]) if str(tmp_path) in str(each.info["cmdline"])] == []


def test_a_key_of_the_users_own_is_not_used(hold: Hold) -> None:
    held = hold(**{SEED: "7"})
    held.children()
    assert held.main.environ()[SEED] not in {"0", "7"}


def test_where_python_takes_no_key_nobody_stands_by_and_every_worker_is_started_anew(hold: Hold) -> None:
    held = hold("-E")
    assert held.document()["verdict"] == "findings"
    assert held.main.returncode == 3
