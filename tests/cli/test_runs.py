"""Runs on record as an operator works with them: listed, shown, held, cancelled, and their rows taken back."""

import contextlib
import json
import sqlite3
from typing import Any

import pytest

from stovepipe_cli.reports import JsonValue, Written
from stovepipe_cli.storage.ledger.contract import Claimed
from stovepipe_cli.work.identity import this_worker
from tests.cli.documents import document
from tests.cli.every_command import database_file
from tests.cli.ledgers import QUEUE, ledger_of
from tests.cli.running import Program
from tests.support.runs import STARTED_MS, append, attempt, begin, end, open_work, run_id

WORKER = this_worker().name
ITEM = (
    "run_id",
    "queue",
    "kind",
    "status",
    "abandoned",
    "stopped_because",
    "started_at_ms",
    "finished_at_ms",
    "actor",
    "reason",
    "counts",
    "failures",
)


@pytest.fixture(params=["sqlite", "mariadb"])
def recorded(request: pytest.FixtureRequest, demo: Program) -> Program:
    """The program on the damaged queue, with a ledger of its own host and with one on a server."""
    if request.param == "mariadb":
        demo.environ["STOVEPIPE_LEDGER_URL"] = request.getfixturevalue("mariadb_database")
        assert demo("ledger", "init").code == 0
    return demo


def items(program: Program, *argv: str) -> list[dict[str, Any]]:
    found = program("runs", "list", *argv, "-o", "json").document["data"]["items"]
    assert isinstance(found, list)
    return found


def shown(program: Program, *argv: str) -> dict[str, Any]:
    data = program("runs", "show", *argv, "-o", "json").document["data"]
    assert isinstance(data, dict)
    return data


def entry(request_id: str, log_id: str, **more: JsonValue) -> Written:
    key: dict[str, str | int | float] = {"request_id": request_id, "log_id": log_id}
    after: dict[str, JsonValue] = {**key, "state": "accepted", **more}
    return Written("create-log", "request_log", key, None, after)


def test_the_document_of_a_list(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        end(ledger, begin(ledger, 1, reason="nightly"), counts={"H102": 2})
    item = {
        "run_id": run_id(1),
        "queue": QUEUE,
        "kind": "verify",
        "status": "COMPLETED",
        "abandoned": False,
        "stopped_because": None,
        "started_at_ms": STARTED_MS + 1_000,
        "finished_at_ms": STARTED_MS + 6_000,
        "actor": "ann@host",
        "reason": "nightly",
        "counts": {"H102": 2},
        "failures": [],
    }
    expected = document(demo, command="runs list", target=None, data={"items": [item], "next_cursor": None})
    result = demo("runs", "list", "-o", "json")
    assert result.document == expected
    assert tuple(item) == ITEM


def test_runs_are_listed_newest_first_page_by_page(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        for number in range(3):
            end(ledger, begin(ledger, number))
    first = recorded("runs", "list", "--limit", "2", "-o", "json").document["data"]
    rest = recorded("runs", "list", "--limit", "2", "--cursor", first["next_cursor"], "-o", "json").document["data"]
    assert [item["run_id"] for item in (*first["items"], *rest["items"])] == [run_id(2), run_id(1), run_id(0)]
    assert rest["next_cursor"] is None


def test_a_cursor_of_another_choice_is_refused(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        for number in range(3):
            begin(ledger, number)
    token = demo("runs", "list", "--limit", "1", "-o", "json").document["data"]["next_cursor"]
    assert demo("runs", "list", "--limit", "1", "--kind", "verify", "--cursor", token).code == 7
    assert demo("issues", "list", "--cursor", token).code == 7


@pytest.mark.parametrize("argv", [("--limit", "0"), ("--limit", "1001"), ("--kind", "verfy"), ("--status", "done")])
def test_a_wrong_option_of_a_list_is_refused(argv: tuple[str, ...], demo: Program) -> None:
    assert demo("runs", "list", *argv).code == 2


def test_runs_are_chosen_by_kind_status_and_time(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        end(ledger, begin(ledger, 1))
        end(ledger, begin(ledger, 2, "repair-plan"), "FAILED", failures=("no rights",))
        open_work(ledger, begin(ledger, 3, "repair-apply"))
    assert [item["run_id"] for item in items(recorded, "--kind", "repair-plan")] == [run_id(2)]
    assert [item["run_id"] for item in items(recorded, "--status", "FAILED")] == [run_id(2)]
    assert [item["run_id"] for item in items(recorded, "--status", "abandoned")] == [run_id(3)]
    assert len(items(recorded, "--since", "2026-01-01T12:00:02Z")) == 2
    assert items(recorded, "--since", "2026-01-02T00:00:00Z") == []


def test_a_list_says_that_a_file_is_of_one_host_and_a_servers_ledger_does_not(recorded: Program) -> None:
    is_file = "STOVEPIPE_LEDGER_URL" not in recorded.environ
    assert ("the ledger is a file of this host" in recorded("runs", "list").stderr) is is_file


def test_an_empty_list_is_an_answer(demo: Program) -> None:
    result = demo("runs", "list", "-o", "json")
    assert (result.code, result.document["data"]) == (0, {"items": [], "next_cursor": None})
    assert "queue 'demo/main' has no such run on record" in result.stderr
    assert not (demo.home / ".local/state/stovepipe/ledger.db").exists(), "a look makes no ledger"


def test_an_abandoned_run_is_shown_as_such_with_what_to_do(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        open_work(ledger, begin(ledger, 1, "repair-apply"))
    listed = demo("runs", "list", "-o", "table")
    assert "abandoned" in listed.stdout
    assert f"stovepipe runs show {run_id(1)}" in listed.stderr
    report = demo("runs", "show", "@latest", "-o", "table")
    assert report.stdout.splitlines()[-1].startswith("abandoned nobody works at it")
    assert f"stovepipe runs cancel -q {QUEUE} {run_id(1)}" in report.stderr


def test_a_run_is_shown_by_id_by_a_beginning_of_it_and_as_the_latest(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        begin(ledger, 1)
        begin(ledger, 2)
    assert shown(recorded, run_id(1))["run_id"] == shown(recorded, run_id(1)[:13])["run_id"] == run_id(1)
    assert shown(recorded, "@latest")["run_id"] == run_id(2)
    ambiguous = recorded("runs", "show", run_id(1)[:8])
    assert ambiguous.code == 2
    assert all(run_id(number) in ambiguous.stderr for number in (1, 2))
    assert recorded("runs", "show", "ffffffff").code == 5


def test_a_run_of_another_queue_is_not_found(recorded: Program) -> None:
    with ledger_of(recorded, "other") as ledger:
        begin(ledger, 1)
    assert recorded("runs", "show", run_id(1)).code == 5
    assert recorded("runs", "show", run_id(1), "-q", "other").code == 0


def test_a_run_is_shown_with_its_header_lineage_steps_workers_and_hold(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        told = {"profile": "prod", "target": {"identity": "x", "host": "db"}, "options": {"only": ["H102"]}}
        run = begin(ledger, 1, "repair-apply", **told, revisions={"plan": "sha256:1"})
        open_work(ledger, run)
        assert isinstance(ledger.steps.claim_step(run.run_id, 0, WORKER, ttl_ms=60_000, covers={}), Claimed)
        ledger.holds.put(run.run_id, reason="replica", actor="bob@host")
    data = shown(recorded, "@latest")
    assert tuple(data)[: len(ITEM)] == ITEM
    assert (data["abandoned"], data["profile"], data["options"]) == (False, "prod", {"only": ["H102"]})
    assert (data["target"], data["revisions"]) == ({"host": "db", "identity": "x"}, {"plan": "sha256:1"})
    assert data["steps"] == {"running": 1}
    assert [(each["step_index"], each["worker"]) for each in data["workers"]] == [(0, WORKER)]
    assert (data["hold"]["reason"], data["hold"]["actor"]) == ("replica", "bob@host")
    assert data["events"] is data["rows"] is None


def test_events_are_lines_of_ndjson_and_rows_of_tsv(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        run = begin(ledger, 1, "repair-apply")
        open_work(ledger, run)
        append(ledger, run, "WorkflowCancelled", body={"stopped_because": "enough"})
    *events, summary = recorded("runs", "show", "@latest", "--events", "-o", "ndjson").lines
    assert [(each["kind"], each["sequence"], each["event"]) for each in events] == [
        ("event", 1, "WorkflowStarted"),
        ("event", 2, "WorkflowCancelled"),
    ]
    assert summary["data"]["run_id"] == run_id(1)
    assert {"events", "rows"} & set(summary["data"]) == set()
    head, *rows = recorded("runs", "show", "@latest", "--events").rows
    assert (head[0], head[3], len(rows)) == ("sequence", "event", 2)
    data = shown(recorded, "@latest", "--events")
    assert data["events"][1]["body"] == {"stopped_because": "enough"}
    told = recorded("runs", "show", "@latest", "--events", "-o", "table").stdout
    assert "WorkflowCancelled" in told


def test_rows_are_told_with_those_of_an_attempt_that_died(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        run = begin(ledger, 1, "repair-apply")
        open_work(ledger, run)
        attempt(ledger, run, 0, entry("204", "state/1"))
        attempt(ledger, run, 1, entry("205", "state/1"), died=True)
    data = shown(recorded, "@latest", "--rows")
    assert [(each["key"]["request_id"], each["is_certain"]) for each in data["rows"]] == [("204", True), ("205", False)]
    *rows, _ = recorded("runs", "show", "@latest", "--rows", "-o", "ndjson").lines
    assert [each["kind"] for each in rows] == ["row", "row"]
    assert "perhaps" in recorded("runs", "show", "@latest", "--rows", "-o", "table").stdout


def test_undo_takes_out_what_the_run_inserted_and_nothing_else(demo: Program) -> None:
    identity = demo("db", "ping", "-o", "json").document["data"]["identity"]
    file = database_file(demo)
    rows = "SELECT request_id, log_id FROM request_log ORDER BY 1, 2"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        before = connection.execute(rows).fetchall()
    with ledger_of(demo) as ledger:
        run = begin(ledger, 1, "repair-apply", target={"identity": identity})
        tag = f'{{"repair_run_id": "{run.run_id}"}}'
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            insert = (
                "INSERT INTO request_log (queue, request_id, log_id, timestamp_ms, state, event, request_version, "
                "outcome_reason, metadata) VALUES (?, '204', ?, 5, 'accepted', '', 1, '', ?)"
            )
            # What it wrote, what it perhaps wrote, and what somebody else wrote where it was about to.
            tags = {"state/91": tag, "state/92": tag, "state/93": "{}"}
            connection.executemany(insert, [(QUEUE, log_id, metadata) for log_id, metadata in tags.items()])
        attempt(ledger, run, 0, entry("204", "state/91", timestamp_ms=5, metadata={"repair_run_id": run.run_id}))
        mark = {"repair_run_id": run.run_id}
        died = [entry("204", f"state/{number}", timestamp_ms=None, metadata=mark) for number in (92, 93, 94)]
        attempt(ledger, run, 1, *died, entry("204", "state/95", timestamp_ms=None, metadata={}), died=True)
    result = demo("runs", "show", "@latest", "--undo-sql")
    assert (result.code, "nothing has run this script" in result.stderr) == (0, True)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert len(connection.execute(rows).fetchall()) == len(before) + 3, "it is shown and not run"
        connection.executescript(result.stdout)
        assert connection.execute(rows).fetchall() == sorted([*before, ("204", "state/93")])
    unsure = [line for line in result.stdout.splitlines() if line.startswith("-- perhaps inserted")]
    assert ["state/95" in line for line in unsure] == [True], "an entry without a mark is for the reader to look at"
    data = shown(demo, "@latest", "--undo-sql")
    assert tuple(data) == ("run_id", "rows", "sql")
    assert data["sql"] == result.stdout


def test_undo_is_refused_for_another_database(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        begin(ledger, 1, "repair-apply", target={"identity": "sqlite:elsewhere"})
    result = demo("runs", "show", "@latest", "--undo-sql")
    assert result.code == 7
    assert "sqlite:elsewhere" in result.stderr
    assert demo("runs", "show", "@latest", "--undo-sql", "--rows").code == 2


def test_a_step_that_a_run_was_ended_in_the_middle_of_is_no_longer_told_as_running(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        run = begin(ledger, 1, "repair-apply")
        open_work(ledger, run)
        ledger.steps.claim_step(run.run_id, 0, "worker", ttl_ms=60_000, covers={"batch": 0})
    assert " running 1\n" in demo("runs", "show", "@latest", "-o", "table").stdout
    assert demo("runs", "cancel", "@latest").code == 0
    assert " left undone 1\n" in demo("runs", "show", "@latest", "-o", "table").stdout


def test_a_cancelled_run_says_by_whom_and_why(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        open_work(ledger, begin(ledger, 1, "repair-apply"))
    result = recorded("runs", "cancel", "@latest", "--reason", "wrong queue", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["changed"], data["did"]) == (0, True, "cancelled")
    assert (data["run"]["status"], data["run"]["abandoned"]) == ("CANCELLED", False)
    assert data["run"]["stopped_because"].endswith(": wrong queue")
    with ledger_of(recorded) as ledger:
        ending = ledger.steps.ending(run_id(1))
    assert ending is not None
    assert ending.kind == "WorkflowCancelled"


def test_to_cancel_again_changes_nothing_and_a_completed_run_is_not_cancelled(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        begin(ledger, 1)
        end(ledger, begin(ledger, 2))
    assert recorded("runs", "cancel", run_id(1)).code == 0
    first = shown(recorded, run_id(1))
    again = recorded("runs", "cancel", run_id(1), "-o", "json")
    assert (again.code, again.document["data"]["changed"]) == (0, False)
    assert shown(recorded, run_id(1)) == first
    assert recorded("runs", "cancel", run_id(2)).code == 8
    assert shown(recorded, run_id(2))["status"] == "COMPLETED"


def test_a_run_is_held_and_released(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        begin(ledger, 1, "repair-apply")
    held = recorded("runs", "hold", "@latest", "--reason", "replica", "-o", "json").document["data"]
    assert (held["changed"], held["hold"]["reason"]) == (True, "replica")
    second = recorded("runs", "hold", "@latest", "--reason", "other", "-o", "json").document["data"]
    assert (second["changed"], second["hold"]["reason"]) == (False, "replica"), "the first hold stands"
    assert recorded("runs", "release", "@latest", "-o", "json").document["data"]["hold"] is None
    assert recorded("runs", "release", "@latest", "-o", "json").document["data"]["changed"] is False


def test_a_hold_wants_a_reason_and_a_run_that_has_not_ended(recorded: Program) -> None:
    with ledger_of(recorded) as ledger:
        end(ledger, begin(ledger, 1))
    assert recorded("runs", "hold", "@latest").code == 2
    assert recorded("runs", "hold", "@latest", "--reason", " ").code == 2
    assert recorded("runs", "hold", "@latest", "--reason", "x").code == 8


@pytest.mark.parametrize("words", ["runs list", "runs show @latest", "runs cancel @latest", "runs release @latest"])
def test_without_a_ledger_there_is_nothing_to_look_at(words: str, demo: Program) -> None:
    result = demo(*words.split(" "), "--ledger-url", "none")
    assert result.code == 2
    assert "there is no ledger: flag --ledger-url turns it off" in result.stderr


@pytest.mark.parametrize("words", ["runs list", "runs show @latest"])
def test_a_ledger_that_nobody_answers_for_is_a_failure_of_its_own_kind(words: str, demo: Program) -> None:
    assert demo(*words.split(" "), "--ledger-url", "mysql://u@127.0.0.1:1/x").code == 6


def test_runs_are_of_one_queue(program: Program) -> None:
    assert program("runs", "list").code == 2


def test_hostile_text_on_record_reaches_no_terminal(demo: Program) -> None:
    with ledger_of(demo) as ledger:
        end(ledger, begin(ledger, 1, reason="\x1b[2Jgone [red]"), "FAILED", failures=("\u202etxet",))
    for argv in (("runs", "list"), ("runs", "show", "@latest")):
        result = demo(*argv, "--color", "never", terminal=True, width=200)
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
        assert "[red]" in result.stdout


def test_what_holds_a_run_back_is_shown_with_value_limit_source_and_since_when(demo: Program) -> None:
    pause_file = demo.home / "pause"
    pause_file.touch()
    result = demo("backfill", "acceptances", "--apply", "--yes", "--pause-file", pause_file, "--throttle-timeout", "3s")
    assert result.code == 4
    data = shown(demo, "@latest")
    assert (data["status"], data["kind"]) == ("RUNNING", "backfill-acceptances")
    assert tuple(data["throttle"]) == ("limit", "reason", "since", "since_ms", "source", "value")
    assert str(pause_file) in json.dumps(data["throttle"])
    pause_file.unlink()
    assert demo("runs", "resume", "@latest").code == 0
    data = shown(demo, "@latest")
    assert (data["status"], data["throttle"]) == ("COMPLETED", None)
