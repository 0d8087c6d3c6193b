"""The ledger as such: looked at, made, brought up to date and pruned."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.ledgers import ledger_of, ledger_url
from tests.cli.running import NOW_MS, Program
from tests.support.runs import begin, end, open_work

DAY_MS = 86_400_000
TABLES = {
    "ledger_meta",
    "run",
    "run_end",
    "invocation",
    "work_event",
    "work_step",
    "run_hold",
    "verified_queue",
}


@pytest.fixture(params=["sqlite", "mariadb"])
def recorded(request: pytest.FixtureRequest, program: Program) -> Program:
    """The program with a ledger of its own host and with one on a server, neither made yet."""
    program.environ["STOVEPIPE_QUEUE"] = "demo/main"
    if request.param == "mariadb":
        program.environ["STOVEPIPE_LEDGER_URL"] = request.getfixturevalue("mariadb_database")
    return program


def test_a_file_that_is_not_there_yet_can_be_used(program: Program) -> None:
    result = program("ledger", "check", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["schema_version"], data["is_private"], data["can_write"]) == (0, 0, True, True)
    assert data["place"] == str(program.home / ".local/state/stovepipe/ledger.db")
    assert not Path(data["place"]).exists()


def test_a_server_without_tables_wants_them_made(program: Program, mariadb_database: str) -> None:
    program.environ["STOVEPIPE_LEDGER_URL"] = mariadb_database
    result = program("ledger", "check", "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["verdict"]) == (3, "findings")
    assert (data["can_read"], data["is_private"]) == (False, False)
    assert data["refusal"]


def test_tables_are_made_once(recorded: Program) -> None:
    first = recorded("ledger", "init", "-o", "json").document["data"]
    assert set(first["created"]) == TABLES
    assert recorded("ledger", "init", "-o", "json").document["data"]["created"] == []
    check = recorded("ledger", "check", "-o", "json")
    assert (check.code, check.document["data"]["absent_tables"]) == (0, [])
    assert check.document["data"]["schema_version"] == check.document["data"]["tool_schema_version"]


def test_to_upgrade_what_is_of_this_version_changes_nothing(recorded: Program) -> None:
    assert recorded("ledger", "init").code == 0
    data = recorded("ledger", "upgrade", "-o", "json").document["data"]
    assert (data["from_version"], data["to_version"], data["copy"]) == (1, 1, None)


def test_there_is_nothing_to_upgrade_where_there_is_no_ledger(recorded: Program) -> None:
    assert recorded("ledger", "upgrade").code != 0


@pytest.mark.parametrize("words", ["check", "init", "upgrade", "prune --older-than 1d"])
def test_a_ledger_that_is_turned_off_cannot_be_looked_after(words: str, program: Program) -> None:
    result = program("ledger", *words.split(" "), "--ledger-url", "none")
    assert (result.code, result.stdout) == (2, "")


@pytest.mark.parametrize("words", ["check", "init", "upgrade", "prune --older-than 1d"])
def test_a_server_that_does_not_answer_is_told(words: str, program: Program) -> None:
    assert program("ledger", *words.split(" "), "--ledger-url", "mysql://u@127.0.0.1:1/x").code == 6


def completed(program: Program) -> None:
    """Two verifies with work of their own, one of them long ago, and an apply of that time."""
    with ledger_of(program) as ledger:
        for number, kind in ((0, "verify"), (200_000, "verify"), (1, "repair-apply")):
            run = begin(ledger, number, kind)  # type: ignore[arg-type]  # a kind
            open_work(ledger, run)
            end(ledger, run)


def test_pruning_is_a_count_unless_it_is_to_be_applied(recorded: Program) -> None:
    assert recorded("ledger", "init").code == 0
    completed(recorded)
    recorded.clock.at_ms = NOW_MS + 2 * DAY_MS
    result = recorded("ledger", "prune", "--older-than", "1d", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["dry_run"], data["runs"], data["events"]) == (0, True, 1, 1)
    assert recorded("ledger", "prune", "--older-than", "1d", "-o", "json").document["data"] == data
    assert "--apply" in result.stderr


def test_pruning_asks_and_wants_a_yes(recorded: Program) -> None:
    assert recorded("ledger", "init").code == 0
    completed(recorded)
    recorded.clock.at_ms = NOW_MS + 2 * DAY_MS
    argv = ("ledger", "prune", "--older-than", "1d", "--apply")
    unasked = recorded(*argv)
    assert (unasked.code, unasked.stdout) == (7, "")
    refused = recorded(*argv, answers=["n"])
    assert (refused.code, "nothing was removed" in refused.stderr) == (7, True)
    done = recorded(*argv, "--yes", "-o", "json")
    assert (done.code, done.document["data"]["dry_run"], done.document["data"]["events"]) == (0, False, 1)
    assert recorded(*argv, "-o", "json").document["data"]["runs"] == 0, "nothing is left to ask about"


def test_pruning_leaves_runs_and_everything_about_writes(recorded: Program) -> None:
    assert recorded("ledger", "init").code == 0
    completed(recorded)
    before = recorded("runs", "list", "-o", "json").document["data"]
    recorded.clock.at_ms = NOW_MS + 2 * DAY_MS
    assert recorded("ledger", "prune", "--older-than", "1d", "--apply", "--yes").code == 0
    assert recorded("runs", "list", "-o", "json").document["data"] == before
    applied = next(item["run_id"] for item in before["items"] if item["kind"] == "repair-apply")
    assert recorded("runs", "show", applied, "--events", "-o", "json").document["data"]["events"]


def test_pruning_removes_old_lists_of_findings(demo: Program) -> None:
    demo("verify", "--settle", "0")
    (kept,) = (demo.home / ".local/state/stovepipe/findings").iterdir()
    demo.clock.at_ms = NOW_MS + 100 * DAY_MS
    young = (NOW_MS + 99 * DAY_MS) / 1000
    os.utime(kept, (young, young))
    argv = ("ledger", "prune", "--older-than", "90d", "--apply", "--yes", "-o", "json")
    assert demo(*argv).document["data"]["files"] == 0
    os.utime(kept, (NOW_MS / 1000, NOW_MS / 1000))
    assert demo("ledger", "prune", "--older-than", "90d", "-o", "json").document["data"]["files"] == 1
    assert kept.exists()
    assert demo(*argv).document["data"]["files"] == 1
    assert not kept.exists()


@pytest.mark.parametrize("argv", [("--older-than", "soon"), ("--older-than", "0s"), ()])
def test_an_age_that_is_none_is_refused(argv: tuple[str, ...], program: Program) -> None:
    assert program("ledger", "prune", *argv).code == 2


def test_to_prune_and_not_to_is_refused(program: Program) -> None:
    assert program("ledger", "prune", "--older-than", "1d", "--apply", "--dry-run").code == 2


def test_the_configured_ledger_is_named_with_where_that_was_said(program: Program) -> None:
    program.environ["STOVEPIPE_LEDGER_URL"] = f"sqlite:///{program.home}/mine.db"
    data = program("ledger", "check", "-o", "json").document["data"]
    assert data["place"] == ledger_url(program).removeprefix("sqlite:///")
    assert data["origin"] == "environment STOVEPIPE_LEDGER_URL"


@pytest.mark.parametrize("words", ["check", "init", "upgrade", "prune --older-than 1d"])
def test_each_is_told_in_words_on_a_terminal(words: str, program: Program) -> None:
    assert program("ledger", "init").code == 0
    result = program("ledger", *words.split(" "), terminal=True)
    assert (result.code, bool(result.stdout.strip())) == (0, True)


def made_by_a_newer_version(program: Program, *, min_reader: int) -> None:
    file = program.home / ".local/state/stovepipe/ledger.db"
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE ledger_meta SET schema_version = 9, min_reader = ?, min_writer = 9", (min_reader,))


def test_a_ledger_of_a_newer_version_is_read_and_not_written(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        begin(ledger, 1)
    made_by_a_newer_version(demo, min_reader=1)
    assert demo("runs", "list").code == 0
    assert demo("runs", "show", "@latest").code == 0
    refused = demo("runs", "cancel", "@latest", "-o", "json")
    assert (refused.code, refused.document["errors"][0]["code"]) == (7, "ledger-too-new")
    assert len(refused.stderr.splitlines()) == 1
    assert demo("ledger", "init").code == demo("ledger", "upgrade").code == 7
    check = demo("ledger", "check", "-o", "json")
    data = check.document["data"]
    assert (check.code, data["can_read"], data["can_write"], data["schema_version"]) == (3, True, False, 9)


def test_jobs_meet_a_ledger_of_a_newer_version_by_whether_they_write(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        begin(ledger, 1)
    made_by_a_newer_version(demo, min_reader=1)
    verified = demo("verify", "--settle", "0", "-o", "json")
    assert (verified.code, verified.document["data"]["run_id"]) == (3, None)
    assert verified.stderr.count("nothing of this is on record") == 1
    assert demo("fixtures", "load", "demo").code == 7
    assert demo("backfill", "acceptances", "--apply", "--yes").code == 7
    assert demo("backfill", "acceptances", "-o", "json").document["data"]["mapped"] == 1, "nothing was written"


def test_a_ledger_that_this_version_must_not_even_read_is_left_alone(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        begin(ledger, 1)
    made_by_a_newer_version(demo, min_reader=9)
    assert demo("runs", "list").code == 7
    assert demo("queues", "list").code == 0
    assert demo("verify", "--settle", "0").code == 3
