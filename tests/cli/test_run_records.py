"""What jobs leave in the ledger, and that they go on without one where they write nothing else."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli import __version__
from stovepipe_cli.audit.rules import rules_digest
from stovepipe_cli.storage.open import open_storage
from tests.cli.every_command import database_file
from tests.cli.ledgers import QUEUE, ledger_of
from tests.cli.running import NOW_MS, Process, Program
from tests.support.waiting import comes_true


@pytest.fixture(params=["sqlite", "mariadb"])
def recorded(request: pytest.FixtureRequest, demo: Program) -> Program:
    """The program on the damaged queue, with a ledger of its own host and with one on a server."""
    if request.param == "mariadb":
        demo.environ["STOVEPIPE_LEDGER_URL"] = request.getfixturevalue("mariadb_database")
        assert demo("ledger", "init").code == 0
    return demo


def latest(program: Program, queue: str = QUEUE) -> dict[str, Any]:
    data = program("runs", "show", "@latest", "-q", queue, "-o", "json").document["data"]
    assert isinstance(data, dict)
    return data


def test_a_verify_is_on_record_with_all_that_it_rests_on(recorded: Program) -> None:
    result = recorded("verify", "--settle", "0", "--reason", "nightly", "--last", "500", "-o", "json")
    data = result.document["data"]
    run = latest(recorded)
    assert run["run_id"] == data["run_id"]
    assert (run["kind"], run["status"], run["abandoned"], run["reason"]) == ("verify", "COMPLETED", False, "nightly")
    assert (run["started_at_ms"], run["counts"], run["failures"]) == (NOW_MS, data["counts"], [])
    assert run["actor"].endswith(f"@{socket.gethostname()}")
    assert run["target"]["database"] == recorded.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    assert run["target"]["identity"].startswith("sqlite:")
    assert (run["revisions"]["tool"], run["revisions"]["rules"]) == (__version__, rules_digest())
    assert run["revisions"]["schema"].startswith("sha256:")
    assert (run["options"]["last"], run["options"]["settle"]) == (500, "0")
    assert (run["result"]["verdict"], run["result"]["exit_code"]) == ("findings", 3)


def test_a_plan_is_on_record_with_its_digest(recorded: Program) -> None:
    data = recorded("repair", "plan", "--settle", "0", "--reason", "before the freeze", "-o", "json").document["data"]
    run = latest(recorded)
    assert (run["kind"], run["status"], run["reason"]) == ("repair-plan", "COMPLETED", "before the freeze")
    assert (run["result"]["plan_id"], run["result"]["plan_digest"]) == (data["plan_id"], data["digest"])
    assert run["counts"] == data["counts"]


def test_a_load_of_fixtures_is_on_record_with_the_digest_of_the_file(recorded: Program) -> None:
    data = recorded("fixtures", "load", "demo", "--reason", "again", "-o", "json").document["data"]
    run = latest(recorded)
    assert (run["kind"], run["status"], run["reason"]) == ("fixtures-load", "COMPLETED", "again")
    assert run["revisions"]["fixture"] == data["digest"]
    assert run["counts"] == {"created": 0, "unchanged": data["unchanged"]}


def test_each_queue_of_a_verify_of_several_is_a_run_of_its_own(recorded: Program) -> None:
    result = recorded("verify", "--all-queues", "--settle", "0", "-o", "json")
    assert result.code == 3
    assert latest(recorded)["options"]["all_queues"] is True


def test_a_verify_that_fails_is_on_record_as_failed(recorded: Program) -> None:
    assert recorded("verify", "-q", "nowhere").code == 5
    run = latest(recorded, "nowhere")
    assert (run["status"], run["failures"]) == ("FAILED", ["queue 'nowhere' has no row in any table"])


def test_a_queue_that_fails_among_several_is_on_record_as_failed(recorded: Program) -> None:
    result = recorded("verify", "--queues-from", "-", "--settle", "0", "-o", "json", stdin=f"nowhere\n{QUEUE}\n")
    assert result.code == 5
    assert latest(recorded, "nowhere")["status"] == "FAILED"
    assert latest(recorded)["status"] == "COMPLETED"


def test_an_incomplete_verify_says_on_record_what_kept_it(demo: Program) -> None:
    with contextlib.closing(sqlite3.connect(database_file(demo))) as connection, connection:
        connection.execute("DROP TABLE request_uri")
    assert demo("verify", "--settle", "0").code == 3
    run = latest(demo)
    assert (run["status"], run["result"]["verdict"]) == ("COMPLETED", "findings")
    assert run["stopped_because"].startswith("incomplete: table 'request_uri' is absent")
    (item,) = demo("queues", "list", "-o", "json").document["data"]["items"]
    assert item["last_verdict"] is None, "it was no look at the whole queue"


def test_options_on_record_hold_no_login(demo: Program, mariadb_database: str) -> None:
    demo.environ |= {"STOVEPIPE_LEDGER_URL": f"sqlite:///{demo.home}/own.db"}
    assert demo("db", "init", "--database-url", mariadb_database).code == 0
    demo("verify", "--allow-empty", "--database-url", mariadb_database)
    options = latest(demo)["options"]
    assert "database_url" not in options
    assert options["database"].startswith("mysql://")
    assert "***" not in options["database"] or ":***@" in options["database"]


@pytest.mark.parametrize("words", ["verify --settle 0", "repair plan --settle 0", "verify --all-queues --settle 0"])
def test_without_a_ledger_a_job_that_writes_nothing_goes_on_and_says_so_once(words: str, demo: Program) -> None:
    result = demo(*words.split(" "), "--ledger-url", "none", "-o", "json")
    assert result.code == (0 if "plan" in words else 3)
    assert result.stderr.count("there is no ledger: nothing of this is on record") == 1
    if words == "verify --settle 0":
        assert result.document["data"]["run_id"] is None


@pytest.mark.parametrize("words", ["verify --settle 0", "repair plan --settle 0", "verify --all-queues --settle 0"])
def test_with_a_ledger_that_nobody_answers_for_it_goes_on_as_well(words: str, demo: Program) -> None:
    result = demo(*words.split(" "), "--ledger-url", "mysql://u@127.0.0.1:1/x", "-o", "json")
    assert result.code == (0 if "plan" in words else 3)
    assert result.stderr.count("warning: nothing of this is on record") == 1
    if words == "verify --settle 0":
        assert result.document["data"]["run_id"] is None


def test_what_is_not_on_record_comes_with_what_to_do_about_it(demo: Program) -> None:
    result = demo("verify", "--settle", "0", "--ledger-url", "mysql://u@127.0.0.1:1/x")
    (told,) = [line for line in result.stderr.splitlines() if "nothing of this is on record" in line]
    assert "; check host, port and network" in told


def test_with_a_ledger_that_cannot_be_made_a_verify_goes_on(demo: Program) -> None:
    (demo.home / ".local").write_text("a file where a directory would have to be")
    result = demo("verify", "--settle", "0", "-o", "json")
    assert (result.code, result.document["data"]["run_id"]) == (3, None)
    assert "nothing of this is on record" in result.stderr


def test_fixtures_are_not_loaded_where_that_cannot_be_put_on_record(
    program: Program, database: Callable[[str], Path]
) -> None:
    url = f"sqlite:///{database('empty')}"
    argv = ("fixtures", "load", "demo", "--database-url", url)
    assert program(*argv, "--ledger-url", "mysql://u@127.0.0.1:1/x").code == 6
    with open_storage(url) as factory:
        assert factory.directory.list_after(None, 1) == ()
    assert program(*argv, "--ledger-url", "none").code == 0


def test_rows_whose_record_cannot_be_closed_stay_and_the_code_tells(
    program: Program, database: Callable[[str], Path], home: Path
) -> None:
    url, ledger = f"sqlite:///{database('empty')}", home / "ledger.db"
    program.environ |= {"STOVEPIPE_LEDGER_URL": f"sqlite:///{ledger}", "STOVEPIPE_DATABASE_URL": url}
    assert program("ledger", "init").code == 0
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON run_end BEGIN SELECT RAISE(ABORT, 'full'); END")
    document = program("fixtures", "load", "demo", "-o", "json").document
    (error,) = document["errors"]
    assert document["exit_code"] != 0
    assert error["message"].startswith("everything was written, but the end of run ")
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("DROP TRIGGER full")
    again = program("fixtures", "load", "demo", "-o", "json").document
    assert (again["exit_code"], again["data"]["created"]) == (0, 0)
    runs = program("runs", "list", "-q", QUEUE, "-o", "json").document["data"]["items"]
    assert {each["status"] for each in runs} == {"RUNNING", "COMPLETED"}, "nobody closed the first one as passed"


def test_every_finding_is_kept_beside_a_ledger_of_this_host(demo: Program) -> None:
    demo("verify", "--settle", "0", "--max-findings", "1")
    run = latest(demo)
    kept = Path(run["result"]["findings_file"])
    assert kept == demo.home / f".local/state/stovepipe/findings/{run['run_id']}.ndjson"
    found = [json.loads(line)["code"] for line in kept.read_text().splitlines()]
    assert {code: found.count(code) for code in found} == run["counts"]
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_findings_file_that_was_asked_for_is_the_only_one(demo: Program) -> None:
    demo("verify", "--settle", "0", "--findings-file", demo.home / "own.ndjson")
    run = latest(demo)
    assert (run["result"]["findings_file"], run["options"]["findings_file"]) == (None, str(demo.home / "own.ndjson"))
    assert list((demo.home / ".local/state/stovepipe").glob("findings/*")) == []


def test_a_clean_verify_keeps_no_list(healthy: Program) -> None:
    assert healthy("verify", "--settle", "0").code == 0
    assert latest(healthy)["result"]["findings_file"] is None
    assert list((healthy.home / ".local/state/stovepipe/findings").iterdir()) == []


def test_the_entries_of_a_plan_are_kept_as_well(demo: Program) -> None:
    data = demo("repair", "plan", "--settle", "0", "-o", "json").document["data"]
    kept = Path(latest(demo)["result"]["findings_file"])
    assert [json.loads(line) for line in kept.read_text().splitlines()] == data["entries"]


def test_a_ledger_on_a_server_has_no_lists_beside_it(demo: Program, mariadb_database: str) -> None:
    demo.environ["STOVEPIPE_LEDGER_URL"] = mariadb_database
    assert demo("ledger", "init").code == 0
    demo("verify", "--settle", "0")
    assert latest(demo)["result"]["findings_file"] is None


def test_a_verify_that_was_killed_shows_as_abandoned_and_never_as_passed(process: Process, demo: Program) -> None:
    with process.start("verify", "--settle", "60s", environ=demo.environ) as verify:

        def is_on_record() -> bool:
            with ledger_of(demo) as ledger:
                return bool(ledger.runs.runs_in_queue(limit=1))

        assert comes_true(is_on_record, within_seconds=30)
        (item,) = demo("runs", "list", "-o", "json").document["data"]["items"]
        assert (item["status"], item["abandoned"]) == ("RUNNING", False), "it is at work"
        os.kill(verify.pid, signal.SIGKILL)
        verify.wait()
    result = demo("runs", "list", "-o", "json")
    (item,) = result.document["data"]["items"]
    assert (item["status"], item["abandoned"], item["finished_at_ms"]) == ("RUNNING", True, None)
    shown = demo("runs", "list", "-o", "table").stdout
    assert "abandoned" in shown
    assert "COMPLETED" not in shown
    assert latest(demo)["result"] == {}


@pytest.mark.parametrize(("number", "why"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_verify_that_a_signal_ends_is_on_record_as_cancelled(
    number: int, why: str, process: Process, demo: Program
) -> None:
    with process.start("verify", "--settle", "60s", environ=demo.environ) as verify:

        def is_on_record() -> bool:
            with ledger_of(demo) as ledger:
                return bool(ledger.runs.runs_in_queue(limit=1))

        assert comes_true(is_on_record, within_seconds=30)
        os.kill(verify.pid, number)
        assert verify.wait() == 128 + number
    run = latest(demo)
    assert (run["status"], run["stopped_because"]) == ("CANCELLED", why)


@pytest.mark.parametrize("output", ["tsv", "json", "ndjson"])
def test_a_reader_that_went_away_is_told_on_record(output: str, process: Process, demo: Program) -> None:
    script = f'"$@" verify --settle 0 -o {output} >&-'
    assert process(environ=demo.environ, script=script).code == 141
    run = latest(demo)
    assert (run["status"], run["stopped_because"]) == ("CANCELLED", "consumer closed")
    assert run["counts"], "what was found is known all the same"


def test_the_history_and_lists_do_not_touch_the_ledger(demo: Program) -> None:
    for words in ("history show 204", "requests list", "issues list", "facts list --uri git://x", "rules list"):
        demo(*words.split(" "))
    assert not (demo.home / ".local").exists()


def test_the_histories_that_were_lost_since_the_last_verify_are_a_finding(healthy: Program) -> None:
    assert healthy("verify", "--settle", "0").code == 0
    lose_first_history(database_file(healthy))
    result = healthy("verify", "--settle", "0", "-o", "json")
    assert (result.code, [each["code"] for each in result.document["data"]["findings"]]) == (3, ["H118"])
    again = healthy("verify", "--settle", "0", "-o", "json")
    assert again.document["data"]["counts"] == {"H118": 1}, "the boundary on record never rises"
    since = result.document["data"]["findings"][0]["found"]
    assert healthy("verify", "--settle", "0", "--history-since", since).code == 0


def test_a_narrowed_or_incomplete_verify_leaves_no_boundary(healthy: Program) -> None:
    assert healthy("verify", "--settle", "0", "--ignore", "Q").code == 0
    lose_first_history(database_file(healthy))
    assert healthy("verify", "--settle", "0").code == 0


def test_queues_are_listed_with_their_last_whole_verify(recorded: Program) -> None:
    (before,) = recorded("queues", "list", "-o", "json").document["data"]["items"]
    assert (before["last_verified_at_ms"], before["last_verdict"]) == (None, None)
    recorded("verify", "--settle", "0", "--last", "1")
    (narrowed,) = recorded("queues", "list", "-o", "json").document["data"]["items"]
    assert narrowed == before
    recorded("verify", "--settle", "0")
    (after,) = recorded("queues", "list", "-o", "json").document["data"]["items"]
    assert after == {
        "queue": QUEUE,
        "last_verified_at_ms": NOW_MS,
        "last_verified_at": "2026-01-01T12:00:00.000Z",
        "last_verdict": "findings",
    }


def test_queues_are_listed_also_where_the_ledger_is_gone(demo: Program) -> None:
    result = demo("queues", "list", "--ledger-url", "mysql://u@127.0.0.1:1/x", "-o", "json")
    assert (result.code, result.document["data"]["items"][0]["last_verdict"]) == (0, None)
    assert "when a queue was last verified is not known" in result.stderr


def lose_first_history(file: Path) -> None:
    """Delete the entries of the request at which history begins."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        (first,) = connection.execute(
            "SELECT request_id FROM request_log WHERE log_id = 'state/1' ORDER BY CAST(request_id AS INTEGER) LIMIT 1"
        ).fetchone()
        connection.execute("DELETE FROM request_log WHERE request_id = ?", (first,))
        connection.execute("DELETE FROM request_summary WHERE request_id = ?", (first,))
        connection.execute("DELETE FROM request_acceptance WHERE CAST(request_id AS TEXT) = ?", (first,))
