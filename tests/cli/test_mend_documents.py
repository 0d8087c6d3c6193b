"""The whole JSON documents of repair and backfill: applied, repeated, dry, drifted and refused."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli import __version__
from tests.cli.documents import FIRST, FIRST_URI, QUEUE, SECOND, SECOND_URI, document, failure
from tests.cli.running import NOW_MS, Program, Result


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


def planned(result: Result, program: Program, **expected: object) -> dict[str, Any]:
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
    assert result.document == document(uris, command="repair plan", data=data)


def test_repair_plan_of_nothing(uris: Program) -> None:
    result = uris("repair", "plan", "--settle", "0", "--select", "H", "--detailed-exitcode", "-o", "json")
    options = {**planned(result, uris)["options"], "select": ["H"]}
    assert result.document == document(uris, command="repair plan", data=planned(result, uris, options=options))


def test_repair_plan_with_a_detailed_exit_code(uris: Program) -> None:
    result = uris("repair", "plan", "--settle", "0", "--detailed-exitcode", "-o", "json")
    assert (result.code, result.document["verdict"]) == (3, "clean")


def written(request_id: str, uri: str) -> dict[str, Any]:
    after = {"uri": uri, "request_id": request_id, "version": 1}
    return {"action": "create-uri", "table": "request_uri", "key": {"uri": uri}, "before": None, "after": after}


def applied(**expected: object) -> dict[str, Any]:
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


def test_repair_apply_and_again(uris: Program, plan: Path) -> None:
    result = uris("repair", "apply", plan, "--yes", "-o", "json")
    run_id = result.document["data"]["run_id"]
    receipt = {
        "path": f"{plan}.receipt-{run_id}.ndjson",
        "written": [written(FIRST, FIRST_URI), written(SECOND, SECOND_URI)],
    }
    data = applied(run_id=run_id, applied=2, receipt=receipt)
    assert result.document == document(uris, command="repair apply", data=data)
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
    counts |= {"summaries_updated": 0, "outside_window": 0, "stopped_because": None}
    dry = program("backfill", "acceptances", "-o", "json")
    wet = program("backfill", "acceptances", "--apply", "--yes", "-o", "json")
    again = program("backfill", "acceptances", "--apply", "--yes", "-o", "json")
    for result, is_dry, mapped, before in ((dry, True, 2, 2), (wet, False, 2, 2), (again, False, 0, 4)):
        run_id = result.document["data"]["run_id"]
        data = {"run_id": run_id, "dry_run": is_dry, **counts, "mapped": mapped, "already_mapped": before}
        assert result.document == document(program, command="backfill acceptances", data=data)
