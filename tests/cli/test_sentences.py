"""What the program says, and the code it exits with, where something about the invocation is not right."""

import base64
import hashlib
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.cursor import CURSOR_VERSION, encode_cursor
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.storage.contract.rows import RequestRow, RequestURIRow, Row
from stovepipe_cli.storage.open import open_storage
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
    assert result.stderr == "stovepipe: no queue is named\n  add --queue NAME, or set STOVEPIPE_QUEUE\n"


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


# Asking before a write


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
    assert "no ledger is configured" in result.stderr
    assert program(*argv, "--ledger-url", "none").code == 7, "a ledger that is turned off is none"


def test_a_protected_profile_takes_no_fixtures(protected: Program) -> None:
    result = protected("fixtures", "load", "healthy", "--into-existing")
    assert result.code == 7
    assert "protected" in result.stderr


# Limits and cursors


@pytest.fixture
def pages(healthy: Program) -> Program:
    """A queue with five open issues."""
    with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        for number in range(5):
            factory.for_queue(QUEUE).open_issues.create(OpenIssue(QUEUE, f"//secretive:{number}", "u", "b-1"))
    return healthy


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "1.5", ""])
def test_a_limit_out_of_range_is_a_usage_error(limit: str, pages: Program) -> None:
    result = pages("issues", "list", f"--limit={limit}", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (2, "usage")


@pytest.mark.parametrize("limit", [1, 2, 4, 5, 6, 1000])
def test_pages_hold_every_item_once(limit: int, pages: Program) -> None:
    seen: list[str] = []
    cursor: list[str] = []
    while True:
        result = pages("issues", "list", "--limit", str(limit), *cursor, "-o", "json")
        data = result.document["data"]
        seen += [item["task_id"] for item in data["items"]]
        assert len(data["items"]) <= limit
        if data["next_cursor"] is None:
            break
        cursor = ["--cursor", data["next_cursor"]]
        assert data["next_cursor"] in result.stderr
    assert seen == [f"//secretive:{number}" for number in range(5)]


def test_all_is_every_item_without_a_cursor(pages: Program) -> None:
    data = pages("issues", "list", "--limit", "1", "--all", "-o", "json").document["data"]
    assert (len(data["items"]), data["next_cursor"]) == (5, None)


def bad_cursors(good: str) -> dict[str, str]:
    body = json.dumps([CURSOR_VERSION + 1, "0" * 16, ["c2VjcmV0aXZl"]]).encode()
    newer = hashlib.sha256(b"stovepipe-cursor" + body).digest()[:4] + body
    return {
        "empty": "",
        "an object": "{}",
        "an object in base64": base64.urlsafe_b64encode(b"{}").decode(),
        "a list": '["//secretive:1"]',
        "a list in base64": base64.urlsafe_b64encode(b'["//secretive:1","u"]').decode(),
        "truncated": good[:-5],
        "one letter changed": good[:12] + ("A" if good[12] != "A" else "B") + good[13:],
        "longer": good + "AAAA",
        "not ascii": good + "é",
        "of the next version": base64.urlsafe_b64encode(newer).decode().rstrip("="),
        "of another queue": encode_cursor(
            queue="other", listing="open-issues", order="task,unit", key=("//secretive:1", "u")
        ),
        "of another listing": encode_cursor(
            queue=QUEUE, listing="requests", order="task,unit", key=("//secretive:1", "u")
        ),
        "of another kind of key": encode_cursor(queue=QUEUE, listing="open-issues", order="task,unit", key=(1, 2)),
    }


def test_a_cursor_that_is_not_of_this_listing_is_refused_and_not_repeated(pages: Program) -> None:
    good = pages("issues", "list", "--limit", "2", "-o", "json").document["data"]["next_cursor"]
    for kind, cursor in bad_cursors(good).items():
        result = pages("issues", "list", f"--cursor={cursor}", "-o", "json")
        error: dict[str, Any] = result.document["errors"][0]
        assert (kind, result.code, error["code"]) == (kind, 7, "invalid-cursor")
        assert error["hint"] == "list again without --cursor and page on from there"
        assert "secretive" not in result.stdout + result.stderr, kind
        assert not cursor or cursor not in error["message"], kind


def test_a_cursor_of_another_prefix_is_refused(pages: Program) -> None:
    cursor = pages("issues", "list", "--limit", "2", "-o", "json").document["data"]["next_cursor"]
    assert pages("issues", "list", "--task", "//s", "--cursor", cursor).code == 7


# What a request may be called


@pytest.fixture
def commits(healthy: Program) -> Program:
    """Two requests whose commits begin alike, and one whose commit is another's beginning."""
    commits = {"501": "abcdef01", "502": "abcdef02", "503": "abc", "504": "fe0123"}
    rows: list[Row] = []
    for number, commit in commits.items():
        uri = f"git://origin/demo/main/{commit}"
        rows += [RequestRow(number, uri, "accepted", "", "", 1, ""), RequestURIRow(uri, number, 1)]
    with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        factory.for_queue(QUEUE).bulk.insert(rows)
    return healthy


@pytest.mark.parametrize(
    ("reference", "request_id"),
    [
        ("117", "117"),
        ("@latest", "117"),
        ("@last-green", "111"),
        ("abcdef01", "501"),
        ("abc", "503"),
        ("fe0123", "504"),
        ("fe", "504"),
    ],
)
def test_a_request_is_found_by_id_number_bookmark_and_commit(reference: str, request_id: str, commits: Program) -> None:
    result = commits("history", "show", reference, "-o", "json")
    assert (result.code, result.document["data"]["request_id"]) == (0, request_id)


def test_a_request_of_the_older_form_is_found_by_its_number(program: Program, database: Callable[[str], Path]) -> None:
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('u501')}", "STOVEPIPE_QUEUE": QUEUE}
    for reference in ("192", "request/demo/main/192"):
        document = program("history", "show", reference, "-o", "json").document
        assert document["data"]["request_id"] == "request/demo/main/192"


def test_a_commit_that_fits_two_is_refused_with_both(commits: Program) -> None:
    result = commits("history", "show", "abcdef", "-o", "json")
    (error,) = result.document["errors"]
    assert (result.code, error["code"]) == (2, "usage")
    assert "'git://origin/demo/main/abcdef01', 'git://origin/demo/main/abcdef02'" in error["message"]


def test_a_request_is_found_by_its_whole_uri(commits: Program) -> None:
    uri = "git://origin/demo/main/abcdef02"
    assert commits("history", "show", "--uri", uri, "-o", "json").document["data"]["request_id"] == "502"


@pytest.mark.parametrize("argv", [["--uri", "git://nowhere"], ["f00d"], ["request/demo/main/9"], ["999999999"]])
def test_what_names_no_request_is_not_found(argv: list[str], commits: Program) -> None:
    result = commits("history", "show", *argv, "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (5, "not-found")


def test_an_unknown_bookmark_is_a_usage_error(commits: Program) -> None:
    result = commits("history", "show", "@newest")
    assert result.code == 2
    assert "use @latest or @last-green" in result.stderr


@pytest.mark.parametrize("argv", [[], ["117", "--uri", "git://x"]])
def test_exactly_one_request_is_named(argv: list[str], healthy: Program) -> None:
    assert healthy("history", "show", *argv).code == 2


# Values that cannot be


@pytest.mark.parametrize(
    "argv",
    [
        "verify --since 2026-01-01T00:00",
        "verify --since yesterday",
        "verify --settle 5",
        "verify --min-age -1s",
        "verify --last 0",
        "verify --fail-on fatal",
        "verify --select Z9",
        "verify --max-findings 0",
        "verify --run-time 0",
        "verify --connect-timeout soon",
        "verify --last 5 --request 117",
        "repair plan --expires never",
        "repair plan --failed-reason 42",
        "repair plan --allow-retention-time --no-tag",
        "backfill acceptances --batch 0",
        "backfill acceptances --rate 0",
        "db ping --wait long",
        "fixtures load no-such-scenario",
        "rules explain H",
    ],
)
def test_a_value_that_cannot_be_is_refused_in_a_sentence(argv: str, healthy: Program) -> None:
    result = healthy(*argv.split(" "))
    assert (result.code, result.stdout) == (2, "")
    message, hint = result.stderr.splitlines()
    assert message.startswith("stovepipe: ")
    assert hint.startswith("  ")


def test_a_time_without_a_zone_is_refused_with_two_right_spellings(healthy: Program) -> None:
    result = healthy("verify", "--since", "2026-01-01T08:00")
    assert "'2026-01-01T08:00Z'" in result.stderr
    assert "'2026-01-01T08:00+02:00'" in result.stderr


@pytest.mark.parametrize(("typed", "meant"), [("verfy", "verify"), ("histroy", "history"), ("history sho", "show")])
def test_a_misspelt_command_is_answered_with_the_right_one(typed: str, meant: str, program: Program) -> None:
    result = program(*typed.split(" "))
    assert result.code == 2
    assert f"Did you mean '{meant}'?" in result.stderr


def test_an_option_without_its_value_is_a_usage_error_in_json_too(program: Program) -> None:
    result = program("verify", "-o", "json", "--queue")
    assert (result.code, result.document["command"]) == (2, "verify")
