"""The whole JSON documents of lists, history, databases, fixtures, configuration and help."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.reports.exit_codes import EXIT_CODES
from stovepipe_cli.storage.contract.tables import TABLES
from tests.cli.documents import QUEUE, document, failure
from tests.cli.running import Program


def test_queues_list(healthy: Program) -> None:
    result = healthy("queues", "list", "-o", "json")
    item = {"queue": QUEUE, "last_verified_at_ms": None, "last_verified_at": None, "last_verdict": None}
    data = {"items": [item], "next_cursor": None}
    assert result.document == document(healthy, command="queues list", data=data)


def test_queues_list_of_an_empty_database(program: Program, database: Callable[[str], Path]) -> None:
    program.environ["STOVEPIPE_DATABASE_URL"] = f"sqlite:///{database('empty')}"
    result = program("queues", "list", "-o", "json")
    data: dict[str, Any] = {"items": [], "next_cursor": None}
    assert result.document == document(program, command="queues list", queue=None, data=data)
    assert result.stderr == "this database holds no queue\n"


def test_history_show(healthy: Program) -> None:
    result = healthy("history", "show", "117", "-o", "json")
    data = result.document["data"]
    uri = data["uri"]
    request = {"id": "117", "uri": uri, "state": "accepted", "version": 1}
    entry = {
        "log_id": "state/1",
        "timestamp_ms": data["entries"][0]["timestamp_ms"],
        "time": data["entries"][0]["time"],
        "state": "accepted",
        "event": "",
        "request_version": 1,
        "outcome_reason": "",
        "metadata": {},
    }
    assert result.document == document(
        healthy,
        command="history show",
        data={
            "request_id": "117",
            "uri": uri,
            "request": {**request, "build_strategy": "", "base_uri": "", "terminal_build_id": ""},
            "entries": [entry],
            "gaps": [],
            "marks": [],
            "entries_total": 1,
        },
    )
    assert entry["time"].endswith("Z")


def test_history_show_names_the_missing_entries(demo: Program) -> None:
    result = demo("history", "show", "204", "-o", "json")
    gaps = [(gap["code"], gap["log_id"]) for gap in result.document["data"]["gaps"]]
    fact = next(log_id for code, log_id in gaps if code == "E206")
    assert (result.code, result.document["verdict"]) == (0, "clean"), "gaps are data"
    assert sorted(gaps) == [("E206", fact), ("H102", "state/3"), ("H103", "state/1")]
    assert fact.startswith("event/validation_fact_recorded/")


def test_history_of_a_request_without_a_row_is_an_answer(demo: Program) -> None:
    result = demo("history", "show", "211", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["request"], len(data["entries"])) == (0, None, 2)


def test_history_of_a_request_without_entries_is_an_answer(demo: Program) -> None:
    result = demo("history", "show", "201", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["request"]["id"], data["entries"]) == (0, "201", [])


def test_history_of_nothing(demo: Program) -> None:
    result = demo("history", "show", "999", "-o", "json")
    message = "queue 'demo/main' has no request '999' and no history of one"
    hint = "name it by its id, its number, @latest, @last-green or its commit"
    assert (result.code, result.document["data"]) == (5, None)
    assert result.document["errors"] == failure("not-found", message, hint)


def test_db_init_and_again(program: Program, tmp_path: Path) -> None:
    program.environ["STOVEPIPE_DATABASE_URL"] = f"sqlite:///{tmp_path}/new.db"
    first, second = program("db", "init", "-o", "json"), program("db", "init", "-o", "json")
    created = {"created": list(TABLES), "existing": []}
    assert first.document == document(program, command="db init", queue=None, data=created)
    assert second.document["data"] == {"created": [], "existing": list(TABLES)}


def test_db_check(healthy: Program) -> None:
    result = healthy("db", "check", "-o", "json")
    data = {
        "backend": "sqlite",
        "server_version": sqlite3.sqlite_version,
        "schema_fingerprint": result.document["data"]["schema_fingerprint"],
        "items": [],
    }
    assert result.document == document(healthy, command="db check", data=data)
    assert data["schema_fingerprint"].startswith("sha256:")


def test_db_check_tells_what_stops_a_command(healthy: Program, database: Callable[[str], Path]) -> None:
    connection = sqlite3.connect(database("healthy"))
    connection.execute("DROP TABLE request_log")
    connection.commit()
    connection.close()
    result = healthy("db", "check", "-o", "json")
    (item,) = result.document["data"]["items"]
    assert (result.code, result.document["verdict"]) == (3, "findings")
    assert (item["kind"], item["table"], item["harmless"]) == ("table-absent", "request_log", False)


def test_db_ping(healthy: Program) -> None:
    result = healthy("db", "ping", "-o", "json")
    data = result.document["data"]
    assert result.document == document(healthy, command="db ping", data=data)
    assert tuple(data) == (
        "backend",
        "driver",
        "host",
        "database",
        "server_version",
        "identity",
        "read_only",
        "server_time_ms",
        "server_time",
        "round_trip_ms",
    )


def test_fixtures_load_and_again(program: Program, tmp_path: Path) -> None:
    program.environ["STOVEPIPE_DATABASE_URL"] = f"sqlite:///{tmp_path}/new.db"
    assert program("db", "init").code == 0
    for created, unchanged in ((35, 0), (0, 35)):
        result = program("fixtures", "load", "u501", "-o", "json")
        digest = result.document["data"]["digest"]
        data = {"file": "u501.yaml", "digest": digest, "created": created, "unchanged": unchanged}
        assert result.document == document(program, command="fixtures load", queue=None, data=data)


def test_fixtures_load_refuses_a_queue_with_other_rows(demo: Program) -> None:
    result = demo("fixtures", "load", "u501", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (7, "refused")
    assert result.document["errors"][0]["hint"].startswith("nothing was loaded")


def test_config_path_and_init_and_again(program: Program) -> None:
    file = program.home / ".config" / "stovepipe" / "config.yaml"
    for words, origin in (("config path", "default"), ("config init", "written now")):
        result = program(*words.split(" "), "-o", "json")
        item = {"name": "config_file", "value": str(file), "origin": origin}
        assert result.document == {
            "schema": "stovepipe/v1",
            "command": words,
            "queue": None,
            "target": None,
            "verdict": "clean",
            "exit_code": 0,
            "data": {"items": [item], "next_cursor": None},
            "errors": [],
        }
    assert file.stat().st_mode & 0o777 == 0o600
    again = program("config", "init", "-o", "json")
    hint = "choose another name, or move the file away"
    assert (again.code, again.document["errors"]) == (
        7,
        failure("refused", f"'{file}' exists and is left as it is", hint),
    )


def test_the_file_that_config_init_writes_can_be_read(program: Program) -> None:
    assert program("config", "init").code == 0
    result = program("config", "show", "-o", "json")
    assert (result.code, result.stderr) == (0, "")


@pytest.mark.parametrize("words", ["config path", "config init", "rules list", "help exit-codes"])
def test_a_broken_configuration_does_not_stop_what_helps_with_it(words: str, program: Program) -> None:
    broken = {"STOVEPIPE_PROFILE": "nobody", "STOVEPIPE_DATABASE_URL": "::"}
    result = program(*words.split(" "), environ=broken)
    assert (result.code, result.stderr.startswith("stovepipe:")) == (0, False)


def test_config_show_tells_the_origin_of_each_value(program: Program) -> None:
    program.configure("profiles:\n  prod:\n    database_url: mysql://audit@db.example:3307/q\n    queues: [main]\n")
    result = program("--tz", "local", "config", "show", "-o", "json", environ={"STOVEPIPE_PROFILE": "prod"})
    items = {item["name"]: (item["value"], item["origin"]) for item in result.document["data"]["items"]}
    assert items["config_file"] == (str(program.home / ".config/stovepipe/config.yaml"), "default")
    assert items["profile"] == ("prod", "environment STOVEPIPE_PROFILE")
    assert items["tz"] == ("local", "flag --tz")
    assert items["queue"] == ("main", "profile 'prod'")
    assert items["database"] == ("mysql://audit@db.example:3307/q", "profile 'prod'")
    assert items["min_age"] == ("15m", "default")


def test_rules_explain(program: Program) -> None:
    result = program("rules", "explain", "U501", "-o", "json")
    data = result.document["data"]
    assert tuple(data) == ("code", "name", "severity", "explanation", "repaired_by", "tables")
    assert (data["code"], data["name"], data["repaired_by"]) == ("U501", "uri-mapping-missing", "repair")


def test_rules_explain_of_no_rule(program: Program) -> None:
    result = program("rules", "explain", "U555", "-o", "json")
    assert (result.code, result.document["verdict"]) == (2, "error")
    assert "'U555'" in result.document["errors"][0]["message"]


def test_help_exit_codes_is_the_one_table(program: Program) -> None:
    result = program("help", "exit-codes", "-o", "json")
    items = [{"code": each.code, "name": each.name, "meaning": each.meaning} for each in EXIT_CODES]
    assert result.document["data"] == {"items": items, "next_cursor": None}
    assert [item["code"] for item in items] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 141, 143]


def test_demo(program: Program) -> None:
    result = program("demo", "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["target"], data["is_as_expected"]) == (0, None, True)
    assert tuple(data) == (
        "scenario",
        "queue",
        "description",
        "loaded",
        "history",
        "before",
        "plan",
        "applied",
        "after",
        "mended",
        "left",
        "not_left",
        "is_as_expected",
    )
