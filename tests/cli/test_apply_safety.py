"""What stands between a plan and a database: refusals, the record of what was done, and the way back."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.repair.plan_digest import document_digest
from tests.cli.documents import FIRST, SECOND
from tests.cli.running import Program


def edited(plan: Path, edit: Callable[[str], str]) -> Path:
    plan.write_text(edit(plan.read_text()))
    return plan


def resealed(plan: Path, **changes: object) -> Path:
    """The plan with other fields and a digest that fits them, as a careful forger would make it."""
    document = {**json.loads(plan.read_text()), **changes}
    document["digest"] = document_digest(document)
    plan.write_text(json.dumps(document))
    return plan


def rows_of(program: Program, table: str) -> int:
    file = program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        (count,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    return int(count)


@pytest.mark.parametrize(
    "broken",
    [
        lambda plan: edited(plan, lambda text: text.replace("create-uri", "create-\0uri")),
        lambda plan: edited(plan, lambda text: text.replace("create-uri", "create-\\u0000uri")),
        lambda plan: resealed(plan, plan_id="a\0b", surprise=1),
        lambda plan: edited(plan, lambda text: text.replace('"format": 1', '"format": ' + "9" * 5000)),
        lambda plan: edited(plan, lambda text: text.replace('"format": 1', '"format": 1e999')),
        lambda plan: resealed(plan, created_at_ms=-(2**63), expires_at_ms=2**63 - 1, format=2),
        lambda plan: resealed(plan, surprise="a field of tomorrow"),
        lambda plan: resealed(plan, entries=[{}]),
        lambda plan: edited(plan, lambda _: "[" * 200_000 + "]" * 200_000),
        lambda plan: edited(plan, lambda _: '{"a":' * 200_000 + "1" + "}" * 200_000),
        lambda plan: edited(plan, lambda _: ""),
        lambda plan: edited(plan, lambda text: text.replace("git://", "git+ssh://", 1)),
    ],
    ids=[
        "a bare NUL",
        "an escaped NUL",
        "a NUL and an unknown field",
        "a number of 5000 digits",
        "a number beyond a double",
        "another format",
        "an unknown field",
        "an entry without fields",
        "deep arrays",
        "deep objects",
        "nothing",
        "an edit",
    ],
)
def test_a_plan_that_was_made_by_no_tool_of_ours_is_refused_in_one_sentence(
    uris: Program, plan: Path, broken: Callable[[Path], Path]
) -> None:
    before = rows_of(uris, "request_uri")
    result = uris("repair", "apply", broken(plan), "--yes")
    sentence, hint, *rest = result.stderr.split("\n")
    assert (result.code, result.stdout, rest) == (7, "", [""])
    assert sentence.startswith("stovepipe: the plan ")
    assert len(sentence) < 200
    assert hint == "  make a new plan with 'stovepipe repair plan'"
    assert rows_of(uris, "request_uri") == before


def test_a_plan_expires_when_it_was_told_to(uris: Program) -> None:
    file = uris.home / "short.json"
    assert uris("repair", "plan", "--settle", "0", "--expires", "10m", "--out", file).code == 0
    uris.clock.at_ms += 10 * 60 * 1000 - 1
    assert uris("repair", "apply", file, "--dry-run").code == 0
    uris.clock.at_ms += 1
    assert uris("repair", "apply", file, "--dry-run").code == 7


def test_a_plan_file_is_private_and_replaced_by_force_alone(uris: Program, plan: Path) -> None:
    assert plan.stat().st_mode & 0o777 == 0o600
    before = plan.read_bytes()
    again = uris("repair", "plan", "--settle", "0", "--out", plan)
    assert (again.code, plan.read_bytes()) == (7, before)
    assert uris("repair", "plan", "--settle", "0", "--out", plan, "--force").code == 0


def test_the_receipt_keeps_the_reason_and_what_the_operator_decided(demo: Program) -> None:
    file = demo.home / "plan.json"
    demo("repair", "plan", "--settle", "0", "--allow-retention-time", "--out", file)
    result = demo("repair", "apply", file, "--yes", "--reason", "outage of 1 December", "-o", "json")
    receipt = Path(result.document["data"]["receipt"]["path"])
    head = json.loads(receipt.read_text().splitlines()[0])
    assert receipt.stat().st_mode & 0o777 == 0o600
    assert head["reason"] == "outage of 1 December"
    assert head["options"]["allow_retention_time"] is True


@pytest.mark.parametrize(("flags", "tagged"), [([], 4), (["--no-tag"], 0)])
def test_inserted_entries_carry_their_run_unless_they_must_not(demo: Program, flags: list[str], tagged: int) -> None:
    file = demo.home / "plan.json"
    demo("repair", "plan", "--settle", "0", "--out", file, *flags)
    demo("repair", "apply", file, "--yes")
    with contextlib.closing(sqlite3.connect(demo.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///"))) as rows:
        query = "SELECT COUNT(*) FROM request_log WHERE json_extract(metadata, '$.repair_run_id') IS NOT NULL"
        assert rows.execute(query).fetchone() == (tagged,)


def test_an_entry_with_the_moment_of_insertion_cannot_go_untagged(demo: Program) -> None:
    assert demo("repair", "plan", "--allow-retention-time", "--no-tag").code == 2


PROTECTED = """\
profiles:
  prod:
    database_url: {url}
    queues: [demo/main]
    protected: true
    ledger_url: sqlite:///{home}/ledger.db
"""


def test_a_protected_profile_wants_the_queue_s_name_for_an_apply(uris: Program, plan: Path) -> None:
    uris.configure(PROTECTED.format(url=uris.environ.pop("STOVEPIPE_DATABASE_URL"), home=uris.home))
    uris.environ["STOVEPIPE_PROFILE"] = "prod"
    assert uris("repair", "apply", plan, "--dry-run").code == 0
    refused = uris("repair", "apply", plan, "--yes")
    assert (refused.code, "--confirm-queue NAME" in refused.stderr) == (7, True)
    assert uris("repair", "apply", plan, "--confirm-queue", "demo/main").code == 0


def undo(program: Program, script: Path) -> None:
    file = program.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(script.read_text())


def test_what_was_applied_can_be_taken_back_by_the_script_that_is_left(demo: Program) -> None:
    tables = ("request_log", "request_summary", "request_acceptance", "request_uri")
    before = [rows_of(demo, table) for table in tables]
    plan, script = demo.home / "plan.json", demo.home / "undo.sql"
    demo("repair", "plan", "--settle", "0", "--out", plan)
    result = demo("repair", "apply", plan, "--yes", "--undo-sql", script)
    assert (result.code, script.stat().st_mode & 0o777) == (0, 0o600)
    assert [rows_of(demo, table) for table in tables] != before
    undo(demo, script)
    assert [rows_of(demo, table) for table in tables] == before


def test_an_apply_that_stopped_early_leaves_the_way_back_too(
    uris: Program, plan: Path, database: Callable[[str], Path]
) -> None:
    script = uris.home / "undo.sql"
    before = rows_of(uris, "request_uri")
    with contextlib.closing(sqlite3.connect(database("u501"))) as connection:
        connection.execute(
            "CREATE TRIGGER refuses BEFORE INSERT ON request_uri WHEN NEW.request_id = ? "
            "BEGIN SELECT RAISE(ABORT, 'no'); END".replace("?", f"'{SECOND}'")
        )
    result = uris("repair", "apply", plan, "--yes", "--undo-sql", script, "-o", "json")
    data = result.document["data"]
    assert (result.code, data["applied"], data["failed"]) == (3, 1, 1)
    assert SECOND in data["stopped_because"] or SECOND in data["problems"][0]
    text = script.read_text()
    assert (text.count("DELETE FROM"), f"'{FIRST}'" in text) == (1, True)
    undo(uris, script)
    assert rows_of(uris, "request_uri") == before


def test_an_apply_that_writes_nothing_leaves_a_script_that_does_nothing(uris: Program, plan: Path) -> None:
    uris("repair", "apply", plan, "--yes")
    script = uris.home / "undo.sql"
    assert uris("repair", "apply", plan, "--yes", "--undo-sql", script).code == 0
    assert all(line.startswith("-- ") for line in script.read_text().splitlines())


def test_no_file_is_overwritten_by_the_way_back_and_nothing_is_applied(uris: Program, plan: Path) -> None:
    before = rows_of(uris, "request_uri")
    taken = uris.home / "undo.sql"
    taken.write_text("mine")
    result = uris("repair", "apply", plan, "--yes", "--undo-sql", taken)
    assert (result.code, taken.read_text(), rows_of(uris, "request_uri")) == (7, "mine", before)
    assert uris("repair", "apply", plan, "--yes", "--undo-sql", uris.home / "no" / "where.sql").code == 2
    assert rows_of(uris, "request_uri") == before


def test_a_dry_run_has_no_way_back(uris: Program, plan: Path) -> None:
    script = uris.home / "undo.sql"
    assert uris("repair", "apply", plan, "--dry-run", "--undo-sql", script).code == 2
    assert not script.exists()
