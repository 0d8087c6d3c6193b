"""Databases and queues that are not configured, not there, not answering or not what they should be."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Program

QUEUE = "demo/main"


NO_QUEUE_NEEDED = ("queues list", "db check", "db ping")


QUEUE_NEEDED = ("history show 1", "issues list", "verify", "repair plan", "backfill acceptances")


JUDGING = ("verify", "repair plan", "backfill acceptances")


@pytest.mark.parametrize("words", [*NO_QUEUE_NEEDED, *(f"{each} -q main" for each in QUEUE_NEEDED)])
def test_with_nothing_configured_it_says_where_it_looked_and_what_to_try(words: str, program: Program) -> None:
    result = program(*words.split(" "))
    home = program.home
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "stovepipe: no database is configured; looked at: flag --database-url; environment STOVEPIPE_DATABASE_URL; "
        f"the profile file {home}/.config/stovepipe/config.yaml; environment STORAGE_MYSQL_DSN; "
        f"the embedded database {home}/.local/share/stovepipe/stovepipe.db\n"
        "  try: stovepipe demo, or stovepipe config init\n"
    )


@pytest.mark.parametrize("words", ["db init", "config init", "fixtures load demo"])
def test_a_home_that_takes_no_directory_is_told(words: str, home: Path) -> None:
    (home / "file").touch()
    result = Program(home / "file")(*words.split(" "), "-o", "json")
    (error,) = result.document["errors"]
    assert (result.code, error["code"]) == (2, "invalid-input")
    assert "cannot be made: Not a directory" in error["message"]


def test_the_embedded_database_is_used_once_something_created_it(program: Program) -> None:
    assert program("fixtures", "load", "healthy").code == 0
    file = program.home / ".local/share/stovepipe/stovepipe.db"
    assert file.is_file()
    assert program("verify", "-q", QUEUE).code == 0
    assert program("queues", "list", "-o", "json").document["target"]["database"] == str(file)


@pytest.mark.parametrize("words", ["db init", "dbs init"])
def test_db_init_creates_the_embedded_database(words: str, program: Program) -> None:
    assert program(*words.split(" ")).code == 0
    assert (program.home / ".local/share/stovepipe/stovepipe.db").is_file()


@pytest.mark.parametrize("words", QUEUE_NEEDED)
def test_without_a_queue_it_does_not_guess(words: str, healthy: Program) -> None:
    del healthy.environ["STOVEPIPE_QUEUE"]
    result = healthy(*words.split(" "))
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "stovepipe: no queue is named\n  add --queue NAME, or set STOVEPIPE_QUEUE; 'stovepipe queues list' shows them\n"
    )


@pytest.mark.parametrize("words", JUDGING)
def test_an_unknown_queue_is_not_clean_and_a_near_name_is_offered(words: str, healthy: Program) -> None:
    result = healthy(*words.split(" "), "-q", "demo/mian")
    assert (result.code, result.stdout) == (5, "")
    assert result.stderr == "stovepipe: queue 'demo/mian' has no row in any table\n  did you mean 'demo/main'?\n"


@pytest.mark.parametrize("words", JUDGING)
def test_an_unknown_queue_without_a_near_name_leads_to_the_list(words: str, healthy: Program) -> None:
    result = healthy(*words.split(" "), "-q", "zzz")
    assert result.code == 5
    assert "stovepipe queues list" in result.stderr


@pytest.mark.parametrize("words", JUDGING)
def test_an_unknown_queue_is_fine_where_somebody_says_so(words: str, healthy: Program) -> None:
    assert healthy(*words.split(" "), "-q", "demo/mian", "--allow-empty").code == 0


def test_a_list_of_an_unknown_queue_is_empty_and_says_so(healthy: Program) -> None:
    result = healthy("issues", "list", "-q", "demo/mian")
    assert (result.code, result.rows) == (0, [["task_id", "unit_id", "first_seen_build_id"]])
    assert "queue 'demo/mian' has no row in any table; did you mean 'demo/main'?\n" in result.stderr


def test_a_queue_name_that_differs_in_case_is_another_queue(healthy: Program) -> None:
    result = healthy("verify", "-q", "Demo/Main")
    assert result.code == 5
    assert "did you mean 'demo/main'?" in result.stderr


@pytest.fixture
def unlogged(healthy: Program, database: Callable[[str], Path]) -> Program:
    """A queue with requests, and neither history nor what is projected from it."""
    connection = sqlite3.connect(database("healthy"))
    for table in ("request_log", "request_summary", "request_acceptance"):
        connection.execute(f"DELETE FROM {table}")
    connection.commit()
    connection.close()
    return healthy


def test_a_queue_whose_log_is_empty_is_incomplete_and_never_clean(unlogged: Program) -> None:
    result = unlogged("verify", "--settle", "0", "-o", "json")
    assert (result.code, result.document["verdict"]) == (4, "incomplete")
    assert "no request in this queue has history: set history_since" in result.document["data"]["blocking"]


def test_a_queue_whose_log_is_empty_is_damaged_where_history_was_expected(unlogged: Program) -> None:
    result = unlogged("verify", "--settle", "0", "--history-since", "103", "-o", "json")
    assert result.code == 3
    assert result.document["data"]["counts"]["H101"] > 0


def test_a_password_in_argv_is_refused_with_the_alternatives(healthy: Program) -> None:
    for url in ("mysql://u:hunter2@h/d", "mysql+pymysql://u:hunter2@h/d", "u:hunter2@tcp(h:3306)/d"):
        for argv in (
            ("verify", "--database-url", url),
            (f"--database-url={url}", "verify"),
            ("verify", "--ledger-url", url),
            ("verify", "--databse-url", url),
            (url,),
            ("history", "show", url),
            ("-q", url, "verify"),
        ):
            result = healthy(*argv, "-o", "json")
            assert (result.code, result.document["errors"][0]["code"]) == (2, "usage")
            assert "every user of this machine" in result.document["errors"][0]["message"]
            assert "password_file" in result.document["errors"][0]["hint"]
            assert "hunter2" not in result.stdout + result.stderr


SERVICE = {"STORAGE_MYSQL_DSN": "svc:pw@tcp(127.0.0.1:1)/submitqueue"}


@pytest.mark.parametrize("words", ["db init", "fixtures load healthy", "backfill acceptances -q m --apply --yes"])
def test_the_services_own_login_serves_no_write_unasked(words: str, program: Program) -> None:
    result = program(*words.split(" "), environ=SERVICE)
    assert (result.code, result.stdout) == (7, "")
    assert "STORAGE_MYSQL_DSN" in result.stderr
    assert "--use-service-dsn" in result.stderr
    asked = program(*words.split(" "), "--use-service-dsn", environ=SERVICE)
    assert asked.code == 6, "it should have tried"


def test_the_services_own_login_serves_reads(program: Program) -> None:
    assert program("verify", "-q", "m", environ=SERVICE).code == 6


def test_a_dead_server_is_storage_unavailable_at_once(program: Program) -> None:
    started = time.monotonic()
    for words in (*NO_QUEUE_NEEDED, *QUEUE_NEEDED):
        result = program(*words.split(" "), "-q", "main", "--database-url", "mysql://u@127.0.0.1:1/x")
        assert (result.code, result.stdout) == (6, "")
        assert result.stderr.startswith("stovepipe: ")
        assert "127.0.0.1:1" in result.stderr
        assert "Traceback" not in result.stderr
    assert time.monotonic() - started < 10


def test_ping_waits_for_a_dead_server_as_long_as_it_was_told(program: Program) -> None:
    result = program("db", "ping", "--wait", "3s", "--database-url", "mysql://u@127.0.0.1:1/x")
    assert result.code == 6
    assert 2 < program.clock.slept <= 3


def test_a_file_that_is_no_database_is_told_by_name(program: Program, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database\n" * 100)
    result = program("verify", "-q", "main", "--database-url", f"sqlite:///{tmp_path}/notes.txt")
    assert result.code in {2, 6}
    assert f"{tmp_path}/notes.txt" in result.stderr


def test_an_absent_file_is_told_by_name_and_not_created(program: Program, tmp_path: Path) -> None:
    result = program("verify", "-q", "main", "--database-url", f"sqlite:///{tmp_path}/absent.db")
    assert (result.code, result.stdout) == (6, "")
    assert f"{tmp_path}/absent.db" in result.stderr
    assert not (tmp_path / "absent.db").exists()


def test_a_database_without_the_tables_is_a_schema_mismatch(program: Program, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE something (id INTEGER)")
    connection.commit()
    connection.close()
    url = f"sqlite:///{tmp_path}/other.db"
    issues = program("issues", "list", "-q", "main", "--database-url", url, "-o", "json")
    assert (issues.code, issues.document["errors"][0]["code"]) == (2, "schema-mismatch")
    assert "'open_issue'" in issues.document["errors"][0]["message"]
    for words in JUDGING:
        assert program(*words.split(" "), "-q", "main", "--database-url", url).code in {2, 4, 5}, "never clean"


def test_the_message_database_is_told_from_the_storage_database(program: Program, tmp_path: Path) -> None:
    """Both have the same name on servers of their own."""
    connection = sqlite3.connect(tmp_path / "messages.db")
    connection.execute("CREATE TABLE queue_messages (id INTEGER)")
    connection.commit()
    connection.close()
    url = f"sqlite:///{tmp_path}/messages.db"
    for words in ("queues list", "issues list", *JUDGING, "db check"):
        result = program(*words.split(" "), "-q", "main", "--database-url", url)
        assert (words, result.code, result.stdout) == (words, 2, "")
        assert "this is the message-queue database" in result.stderr
        assert "storage DSN" in result.stderr
