"""`history show --follow`: what comes is shown once, late and repaired entries are told, and every end has its code."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import FixedClock, Process, Program, Result
from tests.support.pseudo_terminal import PseudoTerminal

QUEUE = "demo/main"
RUNNING = "212"
WITHIN_SECONDS = 30.0


@dataclass(slots=True)
class ScriptedClock(FixedClock):
    """Between two looks, the next step is taken; when none is left, somebody presses Ctrl-C."""

    steps: list[Callable[[], object]] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        FixedClock.sleep(self, seconds)
        if not self.steps:
            raise KeyboardInterrupt
        self.steps.pop(0)()


@contextmanager
def writer(url: str) -> Iterator[Storage]:
    """A second writer to the same database."""
    with open_storage(url) as factory:
        yield factory.for_queue(QUEUE)


def event(url: str, name: str, occurrence: str, after_ms: int, metadata: dict[str, str] | None = None) -> RequestLog:
    """An event so long after the first entry of the running request."""
    with writer(url) as storage:
        first = storage.request_log.list(RUNNING)[0].timestamp_ms
    told = {"build_id": occurrence} if metadata is None else metadata
    return RequestLog(QUEUE, RUNNING, f"event/{name}/{occurrence}", first + after_ms, event=name, metadata=told)


def add(url: str, entry: RequestLog) -> None:
    with writer(url) as storage:
        storage.request_log.create(entry)


@pytest.fixture
def url(demo: Program) -> str:
    return demo.environ["STOVEPIPE_DATABASE_URL"]


@pytest.fixture
def follow(demo: Program, url: str) -> Callable[..., Result]:
    """Follows the running request while each of these entries is written, one between two looks, and then Ctrl-C."""

    def run(*argv: str, entries: list[RequestLog | None], terminal: bool = False) -> Result:
        def step(entry: RequestLog | None) -> Callable[[], None]:
            return lambda: add(url, entry) if entry else None

        demo.clock = ScriptedClock(steps=[step(entry) for entry in entries])
        return demo("history", "show", RUNNING, "--follow", "--color", "never", *argv, terminal=terminal, width=100)

    return run


def test_rows_are_added_as_they_come(follow: Callable[..., Result], url: str) -> None:
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    result = follow(entries=[None, later, None])
    assert result.code == 130
    header, *rows = result.rows
    assert header[1] == "log_id"
    assert [row[1] for row in rows] == ["state/1", "state/2", "event/build_triggered/b-212", later.id]


def test_a_late_entry_appears_and_is_marked(follow: Callable[..., Result], url: str) -> None:
    late = event(url, "build_analysis_completed", "b-212", 1)
    rows = follow(entries=[late]).rows
    assert (rows[-1][1], rows[-1][7]) == (late.id, "late")


def test_a_repaired_entry_appears_and_is_marked(follow: Callable[..., Result], url: str) -> None:
    metadata = {"build_id": "b-212", "repair_run_id": "r-1"}
    repaired = event(url, "build_analysis_completed", "b-212", 60_000, metadata)
    rows = follow(entries=[repaired]).rows
    assert (rows[-1][1], rows[-1][7]) == (repaired.id, "repaired")


def test_a_contradiction_comes_with_its_entry(follow: Callable[..., Result], url: str) -> None:
    foreign = event(url, "build_triggered", "b-204", 60_000)
    assert follow(entries=[foreign]).rows[-1][7] == "E205"


def test_nothing_is_added_while_nothing_comes(follow: Callable[..., Result]) -> None:
    assert len(follow(entries=[None] * 5).rows) == len(follow(entries=[]).rows)


def test_objects_are_added_as_they_come_and_a_summary_ends_them(follow: Callable[..., Result], url: str) -> None:
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    *entries, summary = follow("-o", "ndjson", entries=[later]).lines
    assert [each["kind"] for each in entries] == ["entry"] * 4
    assert entries[-1]["log_id"] == later.id
    assert (summary["kind"], summary["exit_code"], summary["errors"][0]["code"]) == ("summary", 130, "interrupted")


def test_a_request_may_be_followed_from_its_end(follow: Callable[..., Result], url: str) -> None:
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    rows = follow("--tail", "1", entries=[later]).rows
    assert [row[1] for row in rows[1:]] == ["event/build_triggered/b-212", later.id]


def test_a_terminal_draws_over_what_it_showed(follow: Callable[..., Result], url: str) -> None:
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    result = follow(entries=[later], terminal=True)
    first, second = result.stdout.split("\x1b[J")[:2]
    assert later.id not in first
    assert second.startswith(f"\x1b[{first.count(chr(10))}F")
    assert f"new  {later.id}" in second


def test_a_dumb_terminal_gets_lines(demo: Program, follow: Callable[..., Result], url: str) -> None:
    demo.environ["TERM"] = "dumb"
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    result = follow(entries=[later], terminal=True)
    assert "\x1b" not in result.stdout
    assert result.stdout.count("request  ") == 1
    assert result.stdout.splitlines()[-1].endswith(later.id)


@pytest.mark.parametrize(
    "argv", [["-o", "json"], ["--output-file", "x.tsv"], ["--reverse"], ["--reverse", "-o", "ndjson"]], ids=" ".join
)
def test_what_cannot_go_on_is_not_followed(argv: list[str], demo: Program) -> None:
    result = demo("history", "show", RUNNING, "--follow", *argv)
    assert result.code == 2
    assert "--follow" in result.stderr or "--reverse" in result.stderr


def test_the_newest_may_come_first_where_all_is_drawn_anew(follow: Callable[..., Result], url: str) -> None:
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    last = follow("--reverse", entries=[later], terminal=True).stdout.split("\x1b[J")[-2]
    assert last.index(later.id) < last.index("state/1")


@dataclass(slots=True)
class SlowClock(ScriptedClock):
    """Every look takes two seconds."""

    def monotonic(self) -> float:
        self.at_ms += 2000
        return FixedClock.monotonic(self)


def test_looks_that_take_long_are_taken_less_often(demo: Program) -> None:
    demo.clock = SlowClock(steps=[lambda: None] * 2)
    demo("history", "show", RUNNING, "--follow")
    assert demo.clock.slept == 3 * 20


def test_nothing_to_follow_is_not_found(demo: Program) -> None:
    assert demo("history", "show", "999999", "--follow").code == 5


@pytest.fixture
def environ(url: str) -> dict[str, str]:
    return {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE}


def read_until(program: "subprocess.Popen[str]", text: str) -> str:
    """What it printed up to the line with that text."""
    assert program.stdout
    found = ""
    for line in program.stdout:
        found += line
        if text in line:
            return found
    message = f"'{text}' never came: {found}"
    raise AssertionError(message)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_its_code(
    number: signal.Signals, code: int, process: Process, environ: dict[str, str]
) -> None:
    program = process.start("history", "show", RUNNING, "--follow", "-o", "ndjson", environ=environ)
    read_until(program, "b-212")
    program.send_signal(number)
    stdout, _ = program.communicate(timeout=WITHIN_SECONDS)
    assert program.returncode == code
    assert json.loads(stdout.splitlines()[-1])["exit_code"] == code


def test_a_reader_that_goes_away_ends_it_also_while_nothing_comes(process: Process, environ: dict[str, str]) -> None:
    program = process.start("history", "show", RUNNING, "--follow", environ=environ)
    read_until(program, "b-212")
    assert program.stdout
    assert program.stderr
    program.stdout.close()
    with program.stderr as errors:
        assert errors.read() == ""
    assert program.wait(WITHIN_SECONDS) == 141


def test_each_row_leaves_at_once(process: Process, environ: dict[str, str], url: str) -> None:
    program = process.start("history", "show", RUNNING, "--follow", "--no-headers", environ=environ)
    read_until(program, "b-212")
    later = event(url, "build_analysis_completed", "b-212", 60_000)
    add(url, later)
    assert later.id in read_until(program, later.id)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=WITHIN_SECONDS)


def test_a_terminal_shows_one_history_that_grows_in_place(process: Process, environ: dict[str, str], url: str) -> None:
    command = process.command("history", "show", RUNNING, "--follow")
    with PseudoTerminal(command, process.environ(environ | {"TERM": "xterm"}), process.home, columns=120) as terminal:
        before = terminal.see("following")
        late = event(url, "build_analysis_completed", "b-212", 1)
        add(url, late)
        after = terminal.see(f"late  {late.id}", "4 entries")
        terminal.type("\x03")
        assert terminal.end() == 130
    assert before.count("state/1") == after.count("state/1") == 1
    lines = [line for line in after.splitlines() if "  state/" in line or "event/" in line]
    assert [line.split()[-1] for line in lines] == ["state/1", late.id, "state/2", "event/build_triggered/b-212"]
    assert terminal.shown.splitlines()[-1].endswith("stovepipe: interrupted")


def test_a_small_terminal_shows_the_latest_part(process: Process, environ: dict[str, str]) -> None:
    command = process.command("history", "show", RUNNING, "--follow")
    with PseudoTerminal(command, process.environ(environ | {"TERM": "xterm"}), process.home, lines=8) as terminal:
        shown = terminal.see("following")
        terminal.type("\x03")
        terminal.end()
    assert "more lines; leave out --follow to see them" in shown
    assert "b-212" in shown
    assert len(shown.splitlines()) <= 8
