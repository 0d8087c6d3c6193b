"""What holds for every command around its answer: streams, exit codes, encodings, readers that leave, and secrets."""

import io
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TextIO

import pytest

import stovepipe_cli
from stovepipe_cli.cli import run
from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.reports.exit_codes import EXIT_CODES
from tests.cli.every_command import CASES, COMMANDS, OF_DATABASE, argv_of
from tests.cli.running import FixedClock, Process, Program, Result

every = pytest.mark.parametrize("words", CASES)
KNOWN_CODES = {each.code for each in EXIT_CODES}
STEP = Path(__file__).with_name("noisy_run.py")


class LeavingReader(io.StringIO):
    """A pipe whose reader went away."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


def run_with(program: Program, argv: list[str], stdout: TextIO, stderr: TextIO) -> int:
    """Run on streams of the test's own."""
    surroundings = Surroundings(
        environ=program.environ,
        home=program.home,
        stdin=io.StringIO(),
        stdout=stdout,
        stderr=stderr,
        clock=FixedClock(),
        width=lambda: 80,
        ask=lambda _question: "",
    )
    return run(argv, surroundings)


@every
def test_nothing_is_printed_around_the_streams_that_it_was_given(
    words: str, demo: Program, capfd: pytest.CaptureFixture[str]
) -> None:
    argv = argv_of(words, demo)
    capfd.readouterr()
    assert demo(*argv, "-v").code == CASES[words].code
    assert capfd.readouterr() == ("", "")


@every
@pytest.mark.parametrize("output", ["tsv", "json"])
def test_a_reader_that_went_away_is_no_news(words: str, output: str, demo: Program) -> None:
    stderr = io.StringIO()
    code = run_with(demo, [*argv_of(words, demo), "-o", output], LeavingReader(), stderr)
    assert code == 141
    assert not re.search("^(stovepipe:|Traceback)", stderr.getvalue(), re.MULTILINE)


@every
@pytest.mark.parametrize("output", ["table", "json"])
def test_streams_that_take_ascii_alone_get_nothing_else(words: str, output: str, demo: Program) -> None:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict") for _ in range(2)]
    assert run_with(demo, [*argv_of(words, demo), "-o", output], *streams) == CASES[words].code
    for stream in streams:
        stream.flush()


@pytest.mark.parametrize("words", [words for words in OF_DATABASE if "{" not in CASES[words].argv])
@pytest.mark.parametrize("output", ["json", "ndjson", "tsv"])
def test_a_database_without_rows_is_an_answer_or_one_failure(
    words: str, output: str, program: Program, database: Callable[[str], Path]
) -> None:
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('empty')}", "STOVEPIPE_QUEUE": "demo/main"}
    result = program(*argv_of(words, program), "-o", output)
    assert result.code in {0, 5}
    if output == "tsv":
        assert bool(result.stdout) is (result.code == 0)
        return
    document = result.document if output == "json" else result.lines[-1]
    assert (document["verdict"], document["data"] is None) == (("error", True) if result.code else ("clean", False))


def every_error() -> Iterator[type[StovepipeError]]:
    """Every class of expected failure that the program has, in whichever module."""
    for module in pkgutil.walk_packages(stovepipe_cli.__path__, "stovepipe_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    waiting = [StovepipeError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("stovepipe_cli."):
            yield kind


def test_every_failure_ends_with_a_code_of_the_table() -> None:
    found = {f"{each.__module__}.{each.__name__}": each.exit_code for each in every_error()}
    assert len(found) > 20
    assert {name: code for name, code in found.items() if code not in KNOWN_CODES - {0}} == {}


def test_a_code_of_an_error_has_one_exit_code() -> None:
    codes: dict[str, set[int]] = {}
    for each in every_error():
        # A class without a code of its own is there for its children.
        if "code" in vars(each):
            codes.setdefault(each.code, set()).add(each.exit_code)
    assert {code: exits for code, exits in codes.items() if len(exits) > 1} == {}


@every
def test_the_exit_codes_of_the_help_are_of_the_table(words: str) -> None:
    told = re.findall(r"^  (\d+)", COMMANDS[words].epilog.partition("Exit codes:")[2], re.MULTILINE)
    assert told[0] == "0"
    assert {int(code) for code in told} <= KNOWN_CODES
    assert CASES[words].code in {int(code) for code in told}


@pytest.fixture
def noisy(process: Process, database: Callable[[str], Path]) -> Callable[[list[list[str]]], list[Result]]:
    """Runs command lines in one process in which the driver, the interpreter and every logger make noise."""
    url = f"sqlite:///{database('demo')}"
    environ = process.environ({"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": "demo/main"})

    def results(lines: list[list[str]]) -> list[Result]:
        done = subprocess.run(
            [sys.executable, "-W", "always", str(STEP)],
            input=json.dumps(lines),
            capture_output=True,
            env=environ,
            cwd=process.home,
            text=True,
            check=True,
        )
        return [Result(**each) for each in json.loads(done.stdout)]

    return results


def test_noise_of_drivers_and_of_the_interpreter_stays_out_of_every_document(
    noisy: Callable[[list[list[str]]], list[Result]], demo: Program
) -> None:
    # Two commands take up a backfill that was left, of which a queue has one at a time.
    every_line = [argv_of(words, demo) for words in CASES if words != "runs work"]
    lines = [[*argv, "-o", "json", *verbose] for argv in every_line for verbose in ([], ["-v"])]
    results = noisy(lines)
    heard = ""
    for argv, result in zip(lines, results, strict=True):
        assert result.document["command"], argv
        heard += result.stderr
    assert "DeprecationWarning: driver of yesterday" in heard
    assert "noise of a library" in heard


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_a_process_in_the_c_locale_gives_the_whole_answer(
    locale: str, process: Process, database: Callable[[str], Path]
) -> None:
    url = f"sqlite:///{database('demo')}"
    environ = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": "demo/main", "LC_ALL": locale}
    result = process("verify", "--settle", "0", "-o", "json", environ=environ)
    assert (result.code, result.document["verdict"]) == (3, "findings")
