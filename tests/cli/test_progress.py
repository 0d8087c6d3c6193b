"""How far a command is: on a terminal, in plain lines, and by a signal."""

import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

import pytest

from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.commands.audit_progress import AuditProgress
from stovepipe_cli.commands.progress import ProgressLine
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.memory import MemoryFactory
from tests.cli.running import FixedClock, Process, Program

QUEUE = "load/test"


@pytest.fixture
def storage() -> Storage:
    """A queue of 400 requests."""
    bound = MemoryFactory().for_queue(QUEUE)
    generate(bound, SyntheticQueue(QUEUE, 400, 1), into_existing=False)
    return bound


def told(storage: Storage, clock: FixedClock, steps: Sequence[tuple[float, str, int]], **options: bool) -> list[str]:
    """What is said after each step of so many seconds."""
    line = ProgressLine(None, clock, lambda: 80)
    progress = AuditProgress(line, clock, storage, prefix="q: ", **options)
    sentences = []
    for seconds, part, checked in steps:
        clock.sleep(seconds)
        progress(Progress(part, checked))
        sentences.append(line.latest)
    return sentences


def test_a_rate_and_an_estimate_come_once_they_mean_something(storage: Storage) -> None:
    steps = [(0, "requests", 50), (2, "requests", 100), (0, "settle", 0), (3, "confirm", 7)]
    assert told(storage, FixedClock(), steps) == [
        "q: requests: 50 checked of about 400 (12 %)",
        "q: requests: 100 checked of about 400 (25 %), 50 a second, about 6s left for this part",
        "q: waiting before the second read",
        "q: second read: 7 looked at again",
    ]


def test_no_share_is_above_one_hundred_where_a_table_grows_meanwhile(storage: Storage) -> None:
    steps = [(0, "requests", 399), (2, "requests", 400), (2, "requests", 900), (0, "uris", 1), (2, "uris", 1000)]
    said = told(storage, FixedClock(), steps)
    assert said[0].endswith("(99 %)")
    assert all("%" not in each for each in said[1:3])
    assert said[3] == "q: uris: 1 checked of about 900 (0 %)"
    assert said[4] == "q: uris: 1,000 checked, 500 a second"


def test_a_narrowed_verify_has_no_estimate(storage: Storage) -> None:
    assert told(storage, FixedClock(), [(2, "requests", 50)], is_whole=False) == ["q: requests: 50 checked"]


def test_a_queue_without_a_row_has_no_estimate() -> None:
    said = told(MemoryFactory().for_queue("x"), FixedClock(), [(0, "requests", 50)])
    assert said == ["q: requests: 50 checked"]


def test_a_queues_name_is_made_visible(storage: Storage) -> None:
    line = ProgressLine(None, FixedClock(), lambda: 80)
    AuditProgress(line, FixedClock(), storage, prefix="a\x1b[2Jb: ")(Progress("requests", 1))
    assert line.latest.startswith("a\\x1b[2Jb: requests")


def test_plain_progress_is_a_line_a_minute_without_control_bytes() -> None:
    stream, clock = StringIO(), FixedClock()
    line = ProgressLine(stream, clock, lambda: 20, is_plain=True)
    for second in range(181):
        line(f"after {second} seconds, which is longer than a line of this terminal")
        clock.sleep(1)
    line.end()
    assert [each[:17] for each in stream.getvalue().splitlines()] == [
        "after 60 seconds,",
        "after 120 seconds",
        "after 180 seconds",
    ]
    assert "\r" not in stream.getvalue()


def test_progress_is_drawn_on_a_terminal_and_leaves_nothing(healthy: Program) -> None:
    result = healthy("verify", terminal=True)
    assert "requests: " in result.stderr
    assert result.stderr.endswith("\r\x1b[K")


@pytest.mark.parametrize("argv", [(), ("--progress", "plain"), ("--progress", "auto"), ("--no-progress",)])
def test_a_short_run_off_a_terminal_has_no_progress(argv: tuple[str, ...], healthy: Program) -> None:
    assert healthy("verify", *argv).stderr == ""


def test_another_kind_of_progress_is_refused(healthy: Program) -> None:
    result = healthy("verify", "--progress", "fancy")
    assert (result.code, result.stderr) == (2, "stovepipe: --progress 'fancy' is unknown\n  use auto or plain\n")


def test_a_signal_gets_one_line_and_disturbs_nothing(process: Process, database: Callable[[str], Path]) -> None:
    environ = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}", "STOVEPIPE_QUEUE": "demo/main"}
    program = process.start("verify", "--settle", "2s", "-o", "json", environ=environ)
    watch = Watch(program)
    watch.ask_until_answered()
    stdout, rest = program.communicate(timeout=30)
    assert program.returncode == 3
    assert stdout.startswith("{")
    assert watch.first.startswith("stovepipe: verify: ")
    assert all(line.startswith(("stovepipe: verify: ", "next: ")) for line in rest.splitlines())


class Watch:
    """Asks a process how far it is until it says so."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.first = ""
        self._program = program
        self._has_answered = threading.Event()

    def ask_until_answered(self) -> None:
        """Signals that come before the program is ready are ignored by it, or end it, which fails the test."""
        reader = threading.Thread(target=self._read)
        reader.start()
        while not self._has_answered.wait(0.1) and self._program.poll() is None:
            if is_ignoring_or_handling(self._program.pid):
                self._program.send_signal(signal.SIGUSR1)
        reader.join(timeout=10)

    def _read(self) -> None:
        if self._program.stderr is not None:
            self.first = self._program.stderr.readline()
            self._has_answered.set()


def is_ignoring_or_handling(pid: int) -> bool:
    """Whether the process has said what is to become of SIGUSR1."""
    masks = {
        line.split()[0].rstrip(":"): int(line.split()[1], 16)
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith(("SigIgn", "SigCgt"))
    }
    return bool((masks["SigIgn"] | masks["SigCgt"]) >> (signal.SIGUSR1 - 1) & 1)
