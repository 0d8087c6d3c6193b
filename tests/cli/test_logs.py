"""What --verbose and --log-format put on stderr."""

import io
import json
import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.cli import run
from stovepipe_cli.commands.surroundings import Surroundings
from tests.cli.every_command import CASES, argv_of, database_file
from tests.cli.running import FixedClock, Program
from tests.support.mariadb import MariaDBServer
from tests.support.tcp_proxy import TcpProxy

LINE = re.compile(r"2026-01-01T12:00:\d\d\.\d{3}Z (debug|info|warning|error) [a-z-]+( [a-z_]+=(\"[^\"]*\"|[^ \"]+))*")
HEAD = ["time", "level", "event", "command", "run_id"]

every = pytest.mark.parametrize("words", CASES)


def records(stderr: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stderr.splitlines()]
    assert all(list(each)[:5] == HEAD for each in found)
    return found


def events(found: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [each for each in found if each["event"] == event]


def test_verbose_tells_of_the_connection_and_counts_statements_by_kind_and_table(healthy: Program) -> None:
    lines = healthy("history", "show", "117", "-v", "-o", "json").stderr.splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    place = database_file(healthy)
    assert re.fullmatch(rf"2026-01-01T12:00:00.000Z info connected place={place} ms=\d+", lines[0])
    (entries,) = [line for line in lines if "table=request_log " in line]
    assert re.search(r" info statements place=\S+ kind=SELECT table=request_log statements=\d+ rows=[1-9]\d*$", entries)


def test_verbose_tells_of_every_page(healthy: Program) -> None:
    found = records(healthy("verify", "--settle", "0", "-v", "--log-format", "json", "-o", "json").stderr)
    pages = events(found, "page")
    assert len(pages) > 3
    assert all(page["level"] == "debug" and page["statements"] > 0 and page["ms"] >= 0 for page in pages)
    counted = events(found, "statements")
    assert sum(page["statements"] for page in pages) <= sum(each["statements"] for each in counted)


def test_a_repetition_is_told_with_what_made_it_necessary(
    program: Program, mariadb: MariaDBServer, mariadb_service_database: str
) -> None:
    name = mariadb_service_database.rpartition("/")[2]
    with TcpProxy(mariadb.port) as proxy:
        program.environ["STOVEPIPE_DATABASE_URL"] = f"mysql://root@127.0.0.1:{proxy.port}/{name}"
        proxy.cut_before(b"information_schema")
        result = program("db", "check", "-v", "--log-format", "json", "-o", "json")
    assert result.document["verdict"] == "clean" or result.code == 3
    (again,) = events(records(result.stderr), "repeated")
    assert (again["fault"], again["times"]) == ("lost", 1)
    assert len(events(records(result.stderr), "connected")) == 2


def test_a_server_that_is_not_there_is_told_as_given_up(program: Program) -> None:
    result = program("db", "ping", "-v", "--log-format", "json", "--database-url", "mysql://u@127.0.0.1:1/x")
    found = records(result.stderr)
    assert [each["event"] for each in found] == ["given up", "failed"]
    assert (found[0]["fault"], found[1]["code"], found[1]["exit_code"]) == ("unreachable", "storage-unavailable", 6)


@pytest.mark.parametrize("argv", [("verify", "--settle", "0"), ("backfill", "acceptances", "--apply", "--yes")])
def test_what_is_told_of_a_run_names_it(argv: tuple[str, ...], demo: Program) -> None:
    result = demo(*argv, "-v", "--log-format", "json", "-o", "json")
    run_id = result.document["data"]["run_id"]
    told = [each["run_id"] for each in records(result.stderr)]
    assert told[-1] == run_id
    assert set(told) <= {None, run_id}


def test_without_verbose_nothing_is_told(healthy: Program) -> None:
    assert healthy("history", "show", "117", "-o", "json").stderr == ""
    assert healthy("history", "show", "117", "-o", "json", "--log-format", "json").stderr == ""


@every
def test_with_json_every_line_of_stderr_is_an_object(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "-v", "--log-format", "json")
    assert result.code == CASES[words].code
    assert {each["command"] for each in records(result.stderr)} <= {words}


@every
def test_with_json_a_failure_is_an_object_too(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "--no-such-option", "--log-format=json")
    (failed,) = records(result.stderr)
    assert {name: failed[name] for name in ("level", "event", "code", "message", "exit_code")} == {
        "level": "error",
        "event": "failed",
        "code": "usage",
        "message": "no such option: --no-such-option",
        "exit_code": 2,
    }


def test_hints_and_warnings_are_objects(program: Program, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    shown.write_text("secret")
    shown.chmod(0o644)
    program.configure(f"profiles:\n  p:\n    database_url: mysql://u@127.0.0.1:1/x\n    password_file: {shown}\n")
    found = records(program("config", "show", "--profile", "p", "--log-format", "json").stderr)
    assert [(each["level"], each["event"]) for each in found] == [("warning", "message")]
    assert str(shown) in found[0]["message"]


def test_what_a_signal_asks_for_is_an_object(healthy: Program) -> None:
    asked: list[Callable[[], str]] = []
    surroundings = Surroundings(
        environ=healthy.environ,
        home=healthy.home,
        stdin=io.StringIO(),
        stdout=io.StringIO(),
        stderr=io.StringIO(),
        clock=FixedClock(),
        width=lambda: 80,
        ask=lambda _question: "",
        on_status=asked.append,
    )
    assert run(["history", "show", "117", "--log-format", "json"], surroundings) == 0
    (status,) = records(asked[0]())
    assert status["event"] == "status"
    assert status["message"].startswith("stovepipe: history show: ")


def test_a_bug_is_told_with_its_frames_and_no_values(program: Program) -> None:
    kept = "S3ntinel"

    class BrokenClock(FixedClock):
        def monotonic(self) -> float:
            raise RuntimeError(kept)

    program.clock = BrokenClock()
    url = f"sqlite:///{program.home}/x.db"
    result = program("db", "ping", "-v", "--log-format", "json", "--database-url", url)
    traced, failed = records(result.stderr)[-2:]
    assert (result.code, failed["code"]) == (1, "unexpected")
    assert "monotonic" in traced["frames"]
    assert kept not in result.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_text_from_elsewhere_cannot_act_on_a_terminal(form: str, healthy: Program) -> None:
    odd = healthy.home / "of my own.db"
    shutil.copyfile(database_file(healthy), odd)
    result = healthy("history", "show", "\x1b[31m", "-v", "--log-format", form, "--database-url", f"sqlite:///{odd}")
    assert "connected" in result.stderr
    assert result.stderr.replace("\n", "").isprintable()


def test_what_is_told_goes_around_a_progress_line(healthy: Program) -> None:
    stderr = healthy("verify", "--settle", "0", "-v", "-o", "json", terminal=True, width=200).stderr
    for line in stderr.split("\n"):
        shown = line.rpartition("\x1b[K")[2]
        assert not shown or LINE.fullmatch(shown) or "Z debug" not in shown


def test_listening_ends_with_the_command(healthy: Program) -> None:
    logger = logging.getLogger("stovepipe_cli")
    before = (list(logger.handlers), logger.level)
    healthy("issues", "list", "-v")
    healthy("issues", "list", "-v", "--cursor", "none")
    assert (list(logger.handlers), logger.level) == before


def test_an_unknown_format_is_refused(healthy: Program) -> None:
    result = healthy("issues", "list", "--log-format", "xml", "-o", "json")
    assert (result.code, result.document["errors"][0]["message"]) == (2, "there is no log format 'xml'")
