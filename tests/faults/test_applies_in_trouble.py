"""Applies on a server that lets them do less than they need, and applies that are asked to end."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.applying import Applying, Damaged, undisturbed
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.waiting import comes_true

READER = "stovepipe_reader"


@pytest.fixture
def reader(mariadb: MariaDBServer, applying: Applying) -> Iterator[str]:
    """The URL of the database for an account that may do nothing but SELECT."""
    mariadb.execute(f"CREATE USER '{READER}'@'%'")
    mariadb.execute(f"GRANT SELECT ON `{applying.database}`.* TO '{READER}'@'%'")
    yield f"mysql://{READER}@{HOST}:{mariadb.port}/{applying.database}"
    mariadb.execute(f"DROP USER '{READER}'@'%'")


def written_by(document: str) -> list[dict[str, object]]:
    """The rows that an apply names, without what only the moment of writing knows."""
    rows: list[dict[str, object]] = json.loads(document)["data"]["receipt"]["written"]
    return [without_moments(row) for row in rows]


def without_moments(row: dict[str, object]) -> dict[str, object]:
    after = row["after"]
    assert isinstance(after, dict)
    moment = {"timestamp_ms"} if after.get("log_id") == "state/3" else {"state_timestamp_ms"}
    kept = {name: value for name, value in after.items() if name not in moment}
    if "metadata" in kept:
        kept["metadata"] = {name: value for name, value in kept["metadata"].items() if name != "repair_run_id"}
    return {**row, "after": kept}


def test_a_plan_and_its_dry_run_need_no_right_but_to_read(applying: Applying, reader: str) -> None:
    damaged = applying.damaged("read")
    before = damaged.rows()
    plan = applying.process.home / "own.json"
    reading = {"STOVEPIPE_DATABASE_URL": reader, "STOVEPIPE_QUEUE": "read"}
    look = ("--settle", "0", "--min-age", "0", "--allow-retention-time")
    assert applying.process("repair", "plan", *look, "--out", plan, environ=reading).code == 0
    dry = applying.process("repair", "apply", plan, "--dry-run", "-o", "json", environ=reading)
    assert (dry.code, dry.document["data"]["dry_run"]) == (0, True)
    assert damaged.rows() == before
    writing = {**reading, **applying.environ(through=None)}
    wet = applying.process("repair", "apply", plan, "--yes", "-o", "json", environ=writing)
    assert (wet.code, written_by(dry.stdout)) == (0, written_by(wet.stdout))
    assert dry.document["data"]["applied"] == wet.document["data"]["applied"]
    assert damaged.rows() == undisturbed("read", damaged.plan)


def test_an_apply_without_the_right_to_write_says_so_and_writes_nothing(applying: Applying, reader: str) -> None:
    damaged = applying.damaged("denied")
    before = damaged.rows()
    environ = {"STOVEPIPE_DATABASE_URL": reader, "STOVEPIPE_QUEUE": "denied"}
    result = applying.process("repair", "apply", damaged.path, "--yes", environ=environ)
    assert (result.code, result.stdout, len(result.stderr.splitlines())) == (6, "", 2)
    assert damaged.rows() == before


def test_an_apply_needs_to_insert_history_and_to_update_summaries_and_nothing_else(
    mariadb: MariaDBServer, applying: Applying, reader: str
) -> None:
    damaged = applying.damaged("granted")
    for table in ("request_log", "request_summary", "request_acceptance", "request_uri"):
        mariadb.execute(f"GRANT INSERT ON `{applying.database}`.{table} TO '{READER}'@'%'")
    mariadb.execute(f"GRANT UPDATE ON `{applying.database}`.request_summary TO '{READER}'@'%'")
    environ = {"STOVEPIPE_DATABASE_URL": reader, "STOVEPIPE_QUEUE": "granted"}
    assert applying.process("repair", "apply", damaged.path, "--yes", environ=environ).code == 0
    assert damaged.rows() == undisturbed("granted", damaged.plan)


def test_an_insert_that_the_server_refuses_is_told_and_made_up_for_later(
    mariadb: MariaDBServer, applying: Applying
) -> None:
    damaged = applying.damaged("refused")
    mariadb.execute(
        "CREATE TRIGGER refuses BEFORE INSERT ON request_log FOR EACH ROW "
        "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'",
        database=applying.database,
    )
    first = damaged.apply()
    assert (first["code"], first["failed"] > 0, first["applied"] > 0) == (3, True, True)
    mariadb.execute("DROP TRIGGER refuses", database=applying.database)
    again = damaged.apply()
    assert (again["code"], again["identical"]) == (0, first["applied"])
    assert damaged.rows() == undisturbed("refused", damaged.plan)


def signalled(damaged: Damaged, *numbers: signal.Signals) -> "subprocess.Popen[str]":
    """An apply that gets these signals while the server has its first log entry to insert."""
    programs: list[subprocess.Popen[str]] = []

    def send() -> None:
        first, *more = numbers
        programs[0].send_signal(first)
        # Two signals at once could be one: the second is sent when the first one has been noted.
        assert comes_true(lambda: not catches(programs[0].pid, signal.SIGINT), within_seconds=10)
        for number in more:
            programs[0].send_signal(number)

    damaged.applying.proxy.hold(b"INSERT INTO request_log", send)
    programs.append(damaged.start(through=damaged.applying.proxy))
    return programs[0]


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process handles this signal by itself."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask.split()[1], 16) & 1 << (number - 1))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_the_batch_at_hand_be_written_and_told(
    applying: Applying, number: signal.Signals, code: int
) -> None:
    damaged = applying.damaged("signalled")
    stdout, stderr = signalled(damaged, number).communicate(timeout=60)
    assert "Traceback" not in stderr
    document = json.loads(stdout)
    written = document["data"]["receipt"]["written"]
    assert (document["exit_code"], document["verdict"]) == (code, "error")
    assert "request_log" in {row["table"] for row in written}
    assert damaged.receipts() == written
    assert document["data"]["stopped_because"] == f"stopped by {number.name}"
    assert "stovepipe runs resume -q signalled" in stderr
    again = damaged.apply()
    assert (again["code"], again["applied"] + again["identical"]) == (0, damaged.ready)
    assert damaged.rows() == undisturbed("signalled", damaged.plan)


def test_a_second_signal_ends_it_at_once_and_applying_again_ends_the_same(applying: Applying) -> None:
    damaged = applying.damaged("signalled")
    program = signalled(damaged, signal.SIGTERM, signal.SIGINT)
    stdout, _ = program.communicate(timeout=60)
    assert (program.returncode, stdout) == (-signal.SIGINT, "")
    assert damaged.apply()["code"] == 0
    assert damaged.rows() == undisturbed("signalled", damaged.plan)
