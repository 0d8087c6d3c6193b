"""Applies that several processes share: a conflict stops all of them, and every row that was written is on record."""

import json
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.storage.open import open_ledger
from tests.cli.running import Process, Result
from tests.support.waiting import comes_true

QUEUE = "load/shared"
DAMAGE = "U501=60,E206=40,P301=40"


@dataclass(frozen=True, slots=True)
class Shared:
    """A damaged queue in a file, with a plan for it."""

    process: Process
    database: Path
    plan: Path

    @property
    def ledger_url(self) -> str:
        return f"sqlite:///{self.database.parent}/ledger.db"

    @property
    def environ(self) -> dict[str, str]:
        return {
            "STOVEPIPE_DATABASE_URL": f"sqlite:///{self.database}",
            "STOVEPIPE_LEDGER_URL": self.ledger_url,
            "STOVEPIPE_QUEUE": QUEUE,
        }

    def run(self, *argv: str | Path) -> Result:
        return self.process(*argv, environ=self.environ)

    def start(self, *argv: str | Path) -> "subprocess.Popen[str]":
        return self.process.start(*argv, environ=self.environ)

    def workers(self) -> set[str]:
        """Who has completed a step of the latest run, an apply."""
        with open_ledger(self.ledger_url, read_only=True) as opened:
            ledger = opened.for_queue(QUEUE)
            for run in ledger.runs.runs_in_queue(limit=1):
                events = ledger.steps.load_events(run.run_id, limit=1000) if run.kind == "repair-apply" else ()
                return {event.worker for event in events if event.kind == "StepCompleted"}
        return set()

    def receipt(self) -> list[dict[str, Any]]:
        """The rows that the only receipt beside the plan lists."""
        (path,) = self.plan.parent.glob(f"{self.plan.name}.receipt-*")
        return [json.loads(line) for line in path.read_text().splitlines()[1:]]

    def data(self, *argv: str | Path) -> dict[str, Any]:
        found = self.run(*argv, "-o", "json").document["data"]
        assert isinstance(found, dict)
        return found

    def conflict_in_the_middle(self) -> str:
        """Retain an entry that contradicts one of the plan; its request."""
        entries = [each for each in json.loads(self.plan.read_text())["entries"] if each["action"] == "create-log"]
        middle = entries[len(entries) // 2]
        with closing(sqlite3.connect(self.database)) as connection, connection:
            connection.execute(
                "INSERT INTO request_log (queue, request_id, log_id, timestamp_ms, state, event, request_version, "
                "outcome_reason, metadata) VALUES (?, ?, ?, 1, 'accepted', '', 7, '', '{}')",
                (QUEUE, middle["request_id"], middle["log_id"]),
            )
        return str(middle["request_id"])

    def written_by(self, run_id: str) -> set[tuple[str, str]]:
        """The entries in the database that carry the mark of a run."""
        query = "SELECT request_id, log_id FROM request_log WHERE json_extract(metadata, '$.repair_run_id') = ?"
        with closing(sqlite3.connect(self.database)) as connection:
            return set(connection.execute(query, (run_id,)).fetchall())


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    found = Shared(Process(tmp_path), tmp_path / "queue.db", tmp_path / "plan.json")
    assert found.run("db", "init").code == 0
    assert found.run("fixtures", "generate", "--requests", "800", "--seed", "5", "--damage", DAMAGE).code == 0
    assert found.run("repair", "plan", "--settle", "0", "--allow-retention-time", "--out", found.plan).code == 0
    return found


def entries_of(rows: list[dict[str, Any]]) -> set[tuple[str, str]]:
    found = {(each["key"]["request_id"], each["key"]["log_id"]) for each in rows if each["table"] == "request_log"}
    assert len(found) == sum(each["table"] == "request_log" for each in rows), "no row twice"
    return found


def test_a_conflict_stops_every_worker_and_no_row_is_missing_from_the_receipt(shared: Shared) -> None:
    request_id = shared.conflict_in_the_middle()
    answer = shared.run("repair", "apply", shared.plan, "--yes", "--workers", "3", "--batch", "4", "-o", "json")
    data = answer.document["data"]
    assert (answer.code, data["conflicts"], request_id in data["stopped_because"]) == (3, 1, True)
    shown = shared.data("runs", "show", data["run_id"], "--rows")
    assert (shown["status"], shown["abandoned"], shown["workers"]) == ("FAILED", False, [])
    assert {name: shown["counts"][name] for name in ("applied", "conflicts")} == {
        "applied": data["applied"],
        "conflicts": 1,
    }
    in_database = shared.written_by(data["run_id"])
    assert entries_of(data["receipt"]["written"]) == in_database
    assert entries_of([each for each in shown["rows"] if each["is_certain"]]) == in_database
    kept = [json.loads(line) for line in Path(data["receipt"]["path"]).read_text().splitlines()[1:]]
    assert kept == data["receipt"]["written"]


def test_helpers_that_finish_the_run_of_a_killed_command_leave_its_receipt_whole(shared: Shared) -> None:
    pace = ("--workers", "2", "--batch", "2", "--rate", "40")
    program = shared.start("repair", "apply", shared.plan, "--yes", *pace)
    assert comes_true(lambda: len(shared.workers()) > 1 or program.poll() is not None, within_seconds=60)
    assert program.poll() is None, "it was done before its helper had done a step"
    program.kill()
    program.communicate()
    ready = json.loads(shared.plan.read_text())["counts"]["ready"]
    assert comes_true(lambda: len(shared.receipt()) == ready, within_seconds=120)
    shown = shared.data("runs", "show", "@latest", "--rows")
    # What the killed command was about to write stands there once more, with the attempt that wrote it.
    rows = {json.dumps([row["action"], row["table"], row["key"]], sort_keys=True) for row in shown["rows"]}
    assert (shown["status"], len(rows)) == ("COMPLETED", ready)
    assert entries_of(shared.receipt()) == shared.written_by(shown["run_id"])
