"""Asking before a write, and refusing where nobody can be asked."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.open import open_storage
from tests.cli.every_command import database_file
from tests.cli.running import Program
from tests.support.mariadb import MariaDBServer


def test_without_a_terminal_a_write_is_refused_at_once(demo: Program) -> None:
    result = demo("backfill", "acceptances", "--apply")
    assert (result.code, result.stdout, demo.asked) == (7, "", [])
    assert result.stderr == (
        "stovepipe: nobody is there to confirm; nothing was written\n  add --yes to write without a question\n"
    )


@pytest.mark.parametrize("option", ["--no-input", "STOVEPIPE_NO_INPUT"])
def test_no_input_refuses_a_write_on_a_terminal_too(option: str, demo: Program) -> None:
    flags, environ = ([option], {}) if option.startswith("-") else ([], {option: "1"})
    result = demo("backfill", "acceptances", "--apply", *flags, answers=["y"], environ=environ)
    assert (result.code, demo.asked) == (7, [])


@pytest.mark.parametrize("answer", ["n", "", "no", "yess", "N"])
def test_any_answer_but_yes_cancels(answer: str, demo: Program) -> None:
    result = demo("backfill", "acceptances", "--apply", answers=[answer])
    assert (result.code, result.stdout) == (7, "")
    assert result.stderr.endswith("stovepipe: cancelled; nothing was written\n")
    assert demo("backfill", "acceptances", "-o", "json").document["data"]["mapped"] == 1


@pytest.mark.parametrize("flags", [[], ["--quiet"]])
def test_the_question_says_where_and_how_much(flags: list[str], demo: Program) -> None:
    result = demo("backfill", "acceptances", "--apply", *flags, answers=["yes"])
    file = demo.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    assert result.code == 0
    assert demo.asked == ["Write this? [y/N] "]
    for line in ("profile   -", f"database  {file}", "queue     demo/main", "INSERT    1 into request_acceptance"):
        assert f"  {line}\n" in result.stderr


def test_the_question_names_the_updates_of_a_backfill(program: Program, database: Callable[[str], Path]) -> None:
    path = database("a401")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE request_summary SET accepted_at_ms = 0")
        connection.execute("DELETE FROM request_acceptance")
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{path}", "STOVEPIPE_QUEUE": "demo/main"}
    result = program("backfill", "acceptances", "--apply", answers=["n"])
    assert "  INSERT    4 into request_acceptance\n  UPDATE    4 of request_summary\n" in result.stderr


def test_an_answer_given_beforehand_spares_the_count(demo: Program) -> None:
    def requests_read(*flags: str, answers: list[str] | None = None) -> int:
        stderr = demo("backfill", "acceptances", "--apply", "-v", *flags, answers=answers).stderr
        (line,) = [each for each in stderr.splitlines() if " kind=SELECT table=request " in each]
        return int(line.partition(" statements=")[2].split()[0])

    file = database_file(demo)
    before = file.read_bytes()
    counted = requests_read(answers=["y"])
    file.write_bytes(before)
    assert requests_read("--yes") < counted


def test_a_question_cannot_act_on_a_terminal(program: Program, database: Callable[[str], Path]) -> None:
    path = database("empty")
    queue = "a\x1b[2J\u202eb"
    with open_storage(f"sqlite:///{path}") as factory:
        generate(factory.for_queue(queue), SyntheticQueue(queue, 3, seed=1), into_existing=False)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM request_acceptance")
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{path}", "STOVEPIPE_QUEUE": queue}
    result = program("backfill", "acceptances", "--apply", "--no-progress", answers=["n"])
    assert "  queue     a\\x1b[2J\\u202eb\n" in result.stderr
    assert not set(result.stderr + "".join(program.asked)) & {"\x1b", "\u202e"}


def test_a_read_only_server_takes_no_backfill_from_an_account_with_every_right(
    program: Program, own_mariadb: MariaDBServer
) -> None:
    program.environ |= {
        "STOVEPIPE_DATABASE_URL": own_mariadb.create_database("stovepipe"),
        "STOVEPIPE_QUEUE": "demo/main",
    }
    assert program("db", "init").code == 0
    assert program("fixtures", "load", "a401").code == 0
    own_mariadb.execute("SET GLOBAL read_only = 1")
    result = program("backfill", "acceptances", "--apply", "--yes", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (6, "storage-read-only")
    assert program("backfill", "acceptances", "-o", "json").document["data"]["mapped"] == 2


@pytest.mark.parametrize("word", ["resume", "work"])
def test_nobody_goes_on_with_a_run_on_a_read_only_server(
    word: str, program: Program, own_mariadb: MariaDBServer, tmp_path: Path
) -> None:
    program.environ |= {
        "STOVEPIPE_DATABASE_URL": own_mariadb.create_database("stovepipe"),
        "STOVEPIPE_QUEUE": "demo/main",
    }
    assert program("db", "init").code == 0
    assert program("fixtures", "load", "a401").code == 0
    held_back = ("--pause-file", tmp_path, "--throttle-timeout", "1s")
    assert program("backfill", "acceptances", "--apply", "--yes", *held_back).code == 4
    own_mariadb.execute("SET GLOBAL read_only = 1")
    result = program("runs", word, "@latest", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (6, "storage-read-only")
    own_mariadb.execute("SET GLOBAL read_only = 0")
    assert program("runs", word, "@latest", "-o", "json").document["data"]["mapped"] == 2


@pytest.mark.parametrize(
    "flags",
    ["--workers=0", "--workers=-1", "--workers=999", "--lease=0", "--lease=1ms", "--lease=9d"],
)
def test_numbers_that_nobody_can_work_with_are_refused_before_a_run_is_started(flags: str, demo: Program) -> None:
    result = demo("backfill", "acceptances", "--apply", "--yes", flags)
    assert (result.code, result.stdout, len(result.stderr.splitlines())) == (2, "", 2)
    assert demo("runs", "list", "-o", "json").document["data"]["items"] == []


def test_what_has_ended_is_told_as_such_whatever_it_was(demo: Program) -> None:
    demo("verify", "--settle", "0")
    result = demo("runs", "resume", "@latest")
    assert (result.code, "a verify, is COMPLETED since" in result.stderr) == (7, True)
    assert "'stovepipe runs list -q demo/main --status abandoned'" in result.stderr


def test_nothing_to_write_is_no_question(healthy: Program) -> None:
    result = healthy("backfill", "acceptances", "--apply", answers=[])
    assert (result.code, healthy.asked) == (0, [])


def test_apply_without_a_plan_shows_a_fresh_one_and_asks(demo: Program) -> None:
    result = demo("repair", "apply", "-o", "json", answers=["y"])
    assert (result.code, result.document["data"]["applied"]) == (0, 8)
    assert demo.asked == ["Write this? [y/N] "]
    shown, question = result.stderr.index("ready to insert"), result.stderr.index("About to apply a repair plan")
    assert shown < question
    for line in ("INSERT    4 into request_log", "INSERT    1 into request_uri"):
        assert line in result.stderr


def test_apply_and_dry_run_exclude_each_other(demo: Program) -> None:
    assert demo("backfill", "acceptances", "--apply", "--dry-run").code == 2


PROTECTED = """\
profiles:
  prod:
    database_url: sqlite:///{database}
    queues: [demo/main]
    protected: true
"""


@pytest.fixture
def protected(program: Program, database: Callable[[str], Path]) -> Program:
    """A protected profile with a ledger."""
    ledger = f"    ledger_url: sqlite:///{program.home}/ledger.db\n"
    program.configure(PROTECTED.format(database=database("demo")) + ledger)
    program.environ["STOVEPIPE_PROFILE"] = "prod"
    return program


def test_a_protected_profile_wants_the_queues_name_typed(protected: Program) -> None:
    wrong = protected("backfill", "acceptances", "--apply", "--yes", answers=["y"])
    assert (wrong.code, protected.asked) == (
        7,
        ["The profile is protected. Type the queue's name to write: "],
    )
    assert "cancelled; nothing was written" in wrong.stderr
    assert "profile   prod" in wrong.stderr
    assert protected("backfill", "acceptances", "--apply", answers=["demo/main"]).code == 0


def test_yes_is_not_enough_for_a_protected_profile(protected: Program) -> None:
    result = protected("backfill", "acceptances", "--apply", "--yes")
    assert result.code == 7
    assert "--confirm-queue NAME" in result.stderr


def test_a_script_names_the_queue_of_a_protected_profile(protected: Program) -> None:
    assert protected("backfill", "acceptances", "--apply", "--confirm-queue", "demo/mian").code == 7
    assert protected("backfill", "acceptances", "--apply", "--confirm-queue", "demo/main").code == 0


def test_a_protected_profile_without_a_ledger_takes_no_write(program: Program, database: Callable[[str], Path]) -> None:
    program.configure(PROTECTED.format(database=database("demo")))
    argv = ("backfill", "acceptances", "--apply", "--confirm-queue", "demo/main", "--profile", "prod")
    result = program(*argv)
    assert result.code == 7
    assert "names no ledger" in result.stderr
    assert program(*argv, "--ledger-url", "none").code == 7, "a ledger that is turned off is none"


def test_a_protected_profile_takes_no_fixtures(protected: Program) -> None:
    result = protected("fixtures", "load", "healthy", "--into-existing")
    assert result.code == 7
    assert "protected" in result.stderr
