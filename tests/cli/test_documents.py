"""The JSON document of each command, whole: on success, with findings, empty, refused and failed."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli import __version__
from stovepipe_cli.reports.exit_codes import EXIT_CODES
from stovepipe_cli.storage.contract.tables import TABLES
from tests.cli.running import NOW_MS, Program, Result

QUEUE = "demo/main"
FIRST, SECOND = "request/demo/main/192", "request/demo/main/193"
FIRST_URI, SECOND_URI = "git://origin/demo/main/b1dcc10f5617", "git://origin/demo/main/086c0b442359"


@pytest.fixture
def uris(program: Program, database: Callable[[str], Path]) -> Program:
    """The program on a queue in which two commits lead to no request."""
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('u501')}", "STOVEPIPE_QUEUE": QUEUE}
    return program


def document(result: Result, program: Program, **expected: Any) -> dict[str, Any]:
    """The document that is expected, of which the target and what nobody names is filled in."""
    file = program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    target = {
        "profile": None,
        "origin": "environment STOVEPIPE_DATABASE_URL",
        "host": "",
        "database": file,
        "server_version": sqlite3.sqlite_version,
    }
    usual: dict[str, Any] = {
        "queue": QUEUE,
        "target": target,
        "verdict": "clean",
        "exit_code": 0,
        "data": None,
        "errors": [],
    }
    return {"schema": "stovepipe/v1", **usual, **expected}


def failure(code: str, message: str, hint: str | None, *, retryable: bool = False) -> list[dict[str, Any]]:
    return [{"code": code, "message": message, "hint": hint, "retryable": retryable}]


def checked(requests: int = 5, builds: int = 2, facts: int = 2, acceptances: int = 4, uris: int = 2) -> dict[str, Any]:
    passes = {"requests": requests, "builds": builds, "facts": facts, "acceptances": acceptances, "uris": uris}
    return {name: {"checked": number, "skipped": 0, "absent": False} for name, number in passes.items()}


def unmapped(request_id: str, uri: str, digest: str, at_ms: int) -> dict[str, Any]:
    return {
        "id": f"U501:{digest}",
        "code": "U501",
        "name": "uri-mapping-missing",
        "severity": "error",
        "request_id": request_id,
        "subject": {"table": "request_uri", "key": {"uri": uri}},
        "expected": f"a row for request '{request_id}'",
        "found": "none",
        "reads": [{"at_ms": at_ms, "found": "none"}],
        "message": f"commit '{uri}' of request '{request_id}' leads to no request",
        "repair": f"stovepipe repair plan -q demo/main --request {request_id}",
    }


def verified(**expected: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "run_id": None,
        "scope": None,
        "coverage": checked(),
        "counts": {},
        "findings": [],
        "findings_total": 0,
        "legacy_requests": 1,
        "pending": 0,
        "history_since": "request/demo/main/191",
        "notes": [],
        "blocking": [],
        "pending_findings": [],
        "severities": {},
        "fail_on": "error",
    }
    return {**usual, **expected}


def test_verify_with_findings(uris: Program) -> None:
    result = uris("verify", "--settle", "0", "-o", "json")
    at_ms = result.document["data"]["findings"][0]["reads"][0]["at_ms"]
    data = verified(
        counts={"U501": 2},
        findings=[
            unmapped(FIRST, FIRST_URI, "91fa52998b9f2b23", at_ms),
            unmapped(SECOND, SECOND_URI, "87edd8f812e4b506", at_ms),
        ],
        findings_total=2,
        severities={"error": 2},
    )
    assert result.document == document(result, uris, command="verify", verdict="findings", exit_code=3, data=data)
    assert result.stderr == "next: stovepipe repair plan -q demo/main\n"


def test_verify_confirms_its_findings_after_a_while(uris: Program) -> None:
    result = uris("verify", "--settle", "7s", "-o", "json")
    assert [len(finding["reads"]) for finding in result.document["data"]["findings"]] == [2, 2]
    assert uris.clock.slept == 7


def test_verify_of_a_part_names_its_scope(uris: Program) -> None:
    result = uris("verify", "--request", "@latest", "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["verdict"], data["findings"]) == (0, "clean", [])
    assert data["scope"] == "request 'request/demo/main/194'"


def test_verify_of_a_healthy_queue_is_clean(healthy: Program) -> None:
    result = healthy("verify", "-o", "json")
    data = result.document["data"]
    assert result.document == document(
        result,
        healthy,
        command="verify",
        data=verified(legacy_requests=2, history_since="103", coverage=data["coverage"], notes=data["notes"]),
    )
    assert all(part["checked"] and not part["skipped"] for part in data["coverage"].values())
    assert (result.stderr, healthy.clock.slept) == ("", 0)


def plan_entry(request_id: str, uri: str) -> dict[str, Any]:
    return {
        "action": "create-uri",
        "code": "U501",
        "request_id": request_id,
        "log_id": None,
        "entry": {"uri": uri, "request_id": request_id, "version": 1},
        "before": None,
        "evidence": [{"table": "request", "key": {"id": request_id}, "values": {"uri": uri}}],
        "timestamp_source": None,
        "status": "ready",
        "reason": "the request has this uri",
    }


def planned(result: Result, program: Program, **expected: Any) -> dict[str, Any]:
    data = result.document["data"]
    file = program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    usual = {
        "plan_id": data["plan_id"],
        "format": 1,
        "queue": QUEUE,
        "target": {"profile": None, "host": "", "database": file, "identity": data["target"]["identity"]},
        "tool_version": __version__,
        "schema_fingerprint": data["schema_fingerprint"],
        "created_at_ms": NOW_MS,
        "expires_at_ms": NOW_MS + 24 * 60 * 60 * 1000,
        "options": {
            "select": [],
            "request_ids": [],
            "failed_reasons": {},
            "superseded_by": {},
            "allow_retention_time": False,
            "insert_only": False,
            "no_tag": False,
            "history_since": "request/demo/main/191",
            "min_age_ms": 900_000,
            "settle_ms": 0,
        },
        "entries": [],
        "counts": {"ready": 0, "needs-operator": 0, "not-derivable": 0},
        "digest": data["digest"],
    }
    return {**usual, **expected}


def test_repair_plan(uris: Program) -> None:
    result = uris("repair", "plan", "--settle", "0", "-o", "json")
    data = planned(
        result,
        uris,
        entries=[plan_entry(FIRST, FIRST_URI), plan_entry(SECOND, SECOND_URI)],
        counts={"ready": 2, "needs-operator": 0, "not-derivable": 0, "create-uri": 2},
    )
    assert result.document == document(result, uris, command="repair plan", data=data)


def test_repair_plan_of_nothing(uris: Program) -> None:
    result = uris("repair", "plan", "--settle", "0", "--select", "H", "--detailed-exitcode", "-o", "json")
    options = {**planned(result, uris)["options"], "select": ["H"]}
    assert result.document == document(result, uris, command="repair plan", data=planned(result, uris, options=options))


def test_repair_plan_with_a_detailed_exit_code(uris: Program) -> None:
    result = uris("repair", "plan", "--settle", "0", "--detailed-exitcode", "-o", "json")
    assert (result.code, result.document["verdict"]) == (3, "clean")


def written(request_id: str, uri: str) -> dict[str, Any]:
    after = {"uri": uri, "request_id": request_id, "version": 1}
    return {"action": "create-uri", "table": "request_uri", "key": {"uri": uri}, "before": None, "after": after}


def applied(**expected: Any) -> dict[str, Any]:
    usual = {
        "dry_run": False,
        "applied": 0,
        "identical": 0,
        "drifted": 0,
        "conflicts": 0,
        "failed": 0,
        "remaining_findings": [],
        "receipt": {"path": None, "written": []},
        "problems": [],
        "stopped_because": None,
    }
    return {**usual, **expected}


@pytest.fixture
def plan(uris: Program) -> Path:
    """A plan for both commits."""
    file = uris.home / "plan.json"
    assert uris("repair", "plan", "--settle", "0", "--out", file).code == 0
    return file


def test_repair_apply_and_again(uris: Program, plan: Path) -> None:
    result = uris("repair", "apply", plan, "--yes", "-o", "json")
    run_id = result.document["data"]["run_id"]
    receipt = {
        "path": f"{plan}.receipt-{run_id}.ndjson",
        "written": [written(FIRST, FIRST_URI), written(SECOND, SECOND_URI)],
    }
    data = applied(run_id=run_id, applied=2, receipt=receipt)
    assert result.document == document(result, uris, command="repair apply", data=data)
    again = uris("repair", "apply", plan, "--yes", "-o", "json").document["data"]
    assert (again["applied"], again["identical"], again["receipt"]["written"]) == (0, 2, [])


def test_repair_apply_of_a_dry_run(uris: Program, plan: Path) -> None:
    result = uris("repair", "apply", plan, "--dry-run", "-o", "json")
    data = result.document["data"]
    assert (result.code, data["dry_run"], data["applied"], data["receipt"]["path"]) == (0, True, 2, None)
    assert uris("verify", "--settle", "0").code == 3, "a dry run wrote something"
    assert list(plan.parent.glob("*.receipt-*")) == []


def test_repair_apply_of_rows_that_drifted_is_findings(
    uris: Program, plan: Path, database: Callable[[str], Path]
) -> None:
    with sqlite3.connect(database("u501")) as connection:
        connection.execute("UPDATE request SET uri = 'git://elsewhere' WHERE id = ?", (FIRST,))
    connection.close()
    result = uris("repair", "apply", plan, "--yes", "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["verdict"]) == (3, "findings")
    assert (data["drifted"], data["applied"] + data["drifted"]) == (1, 2)
    assert FIRST in data["problems"][0]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda text: text.replace('"version": 1', '"version": 2'), "digest"),
        (lambda text: text[: len(text) // 2], "JSON"),
        (lambda _: "[]", "object"),
    ],
)
def test_repair_apply_refuses_a_plan_that_was_changed(
    uris: Program, plan: Path, edit: Callable[[str], str], why: str
) -> None:
    plan.write_text(edit(plan.read_text()))
    result = uris("repair", "apply", plan, "--yes", "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (7, "refused")
    assert why in result.document["errors"][0]["message"]


def test_repair_apply_refuses_a_plan_of_another_queue(uris: Program, plan: Path) -> None:
    result = uris("repair", "apply", plan, "--yes", "-q", "other", "-o", "json")
    assert (result.code, result.document["errors"]) == (
        7,
        failure("refused", "the plan is for queue 'demo/main', not for 'other'", "apply it with -q 'demo/main'"),
    )


def test_repair_apply_refuses_a_plan_that_expired(uris: Program, plan: Path) -> None:
    uris.clock.at_ms += 24 * 60 * 60 * 1000
    result = uris("repair", "apply", plan, "--yes", "-o", "json")
    hint = "make a new plan with 'stovepipe repair plan'"
    assert (result.code, result.document["errors"]) == (7, failure("refused", "the plan has expired", hint))


def test_repair_apply_refuses_a_plan_of_another_database(
    uris: Program, plan: Path, database: Callable[[str], Path]
) -> None:
    other = f"sqlite:///{database('demo')}"
    result = uris("repair", "apply", plan, "--yes", "-o", "json", environ={"STOVEPIPE_DATABASE_URL": other})
    error = result.document["errors"][0]
    identity = uris("db", "ping", "-o", "json").document["data"]["identity"]
    assert (result.code, error["code"]) == (7, "refused")
    assert error["message"].startswith(f"the plan was made for database '{identity}', this one is 'sqlite:")


def test_repair_apply_takes_the_whole_output_of_repair_plan_from_stdin(uris: Program) -> None:
    made = uris("repair", "plan", "--settle", "0", "-o", "json").stdout
    result = uris("repair", "apply", "-", "--yes", "-o", "json", stdin=made)
    assert (result.code, result.document["data"]["applied"]) == (0, 2)
    assert result.document["data"]["receipt"]["path"] is None


def test_repair_apply_without_a_plan_is_for_a_terminal_alone(uris: Program) -> None:
    result = uris("repair", "apply", "--yes", "-o", "json")
    message = "no plan is given, and nobody is there to read a fresh one; nothing was written"
    hint = "make one with: stovepipe repair plan --out plan.json"
    assert (result.code, result.document["errors"]) == (7, failure("refused", message, hint))


def test_backfill_and_again(program: Program, database: Callable[[str], Path]) -> None:
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('a401')}", "STOVEPIPE_QUEUE": QUEUE}
    counts = {"scanned": 5, "unknown_acceptance": 1, "conflicts": 0, "quarantined": 0, "problems": []}
    dry = program("backfill", "acceptances", "-o", "json")
    wet = program("backfill", "acceptances", "--apply", "--yes", "-o", "json")
    again = program("backfill", "acceptances", "--apply", "--yes", "-o", "json")
    for result, is_dry, mapped, before in ((dry, True, 2, 2), (wet, False, 2, 2), (again, False, 0, 4)):
        run_id = result.document["data"]["run_id"]
        data = {"run_id": run_id, "dry_run": is_dry, **counts, "mapped": mapped, "already_mapped": before}
        assert result.document == document(result, program, command="backfill acceptances", data=data)


def test_queues_list(healthy: Program) -> None:
    result = healthy("queues", "list", "-o", "json")
    item = {"queue": QUEUE, "last_verified_at_ms": None, "last_verified_at": None}
    data = {"items": [item], "next_cursor": None}
    assert result.document == document(result, healthy, command="queues list", data=data)


def test_queues_list_of_an_empty_database(program: Program, database: Callable[[str], Path]) -> None:
    program.environ["STOVEPIPE_DATABASE_URL"] = f"sqlite:///{database('empty')}"
    result = program("queues", "list", "-o", "json")
    data: dict[str, Any] = {"items": [], "next_cursor": None}
    assert result.document == document(result, program, command="queues list", queue=None, data=data)
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
        result,
        healthy,
        command="history show",
        data={
            "request_id": "117",
            "uri": uri,
            "request": {**request, "build_strategy": "", "base_uri": "", "terminal_build_id": ""},
            "entries": [entry],
            "gaps": [],
            "marks": [],
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
    assert first.document == document(first, program, command="db init", queue=None, data=created)
    assert second.document["data"] == {"created": [], "existing": list(TABLES)}


def test_db_check(healthy: Program) -> None:
    result = healthy("db", "check", "-o", "json")
    data = {
        "backend": "sqlite",
        "server_version": sqlite3.sqlite_version,
        "schema_fingerprint": result.document["data"]["schema_fingerprint"],
        "items": [],
    }
    assert result.document == document(result, healthy, command="db check", data=data)
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
    assert result.document == document(result, healthy, command="db ping", data=data)
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
        assert result.document == document(result, program, command="fixtures load", queue=None, data=data)


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
    file = program.home / ".config/stovepipe/config.yaml"
    assert items["profile"] == ("prod", "environment STOVEPIPE_PROFILE")
    assert items["tz"] == ("local", "flag --tz")
    assert items["queue"] == ("main", f"profile 'prod' ({file})")
    assert items["database"] == ("mysql://audit@db.example:3307/q", f"profile 'prod' ({file})")
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
