"""Runs whose ledger is down, is lost on the way, or who are asked to end: the data stay whole, and the code says so."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.entities.run import Run
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.cli.running import Process
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.tcp_proxy import TcpProxy
from tests.support.waiting import comes_true

QUEUE = "load/troubled"
REQUESTS = 1_000
BACKFILL = ("backfill", "acceptances", "--apply", "--yes", "--batch", "100", "--max-load", "none", "-o", "json")
NOWHERE = "mysql://root@127.0.0.1:1/ledger"


class Troubled:
    """A queue without any mapping in an SQLite file, and a ledger wherever a test wants it."""

    def __init__(self, home: Path) -> None:
        self.process = Process(home)
        self.file = home / "queue.db"
        self.ledger_file = home / "ledger.db"
        with open_storage(f"sqlite:///{self.file}") as factory:
            factory.admin.create_tables()
            generate(factory.for_queue(QUEUE), SyntheticQueue(QUEUE, REQUESTS, seed=3), into_existing=False)
        with closing(sqlite3.connect(self.file)) as connection, connection:
            connection.execute("DELETE FROM request_acceptance")

    def environ(self, ledger_url: str = "") -> dict[str, str]:
        return {
            "STOVEPIPE_DATABASE_URL": f"sqlite:///{self.file}",
            "STOVEPIPE_LEDGER_URL": ledger_url or f"sqlite:///{self.ledger_file}",
            "STOVEPIPE_QUEUE": QUEUE,
        }

    def start(self, *argv: str, ledger_url: str = "") -> "subprocess.Popen[str]":
        return self.process.start(*argv, environ=self.environ(ledger_url))

    def ends(self, *argv: str, ledger_url: str = "") -> tuple[int, dict[str, Any], str]:
        """Exit code, document and messages of a command that nothing disturbs."""
        return ended(self.start(*argv, ledger_url=ledger_url))

    def mapped(self) -> list[str]:
        """The requests that are mapped, each as often as it is."""

        def all_of(storage: Storage) -> list[str]:
            return [each.request_id for each in storage.acceptances.list_before(0, 2**62, None, 10 * REQUESTS)]

        with open_storage(f"sqlite:///{self.file}") as factory:
            return all_of(factory.for_queue(QUEUE))

    def run(self) -> Run:
        """The only run there is."""
        with open_ledger(f"sqlite:///{self.ledger_file}", read_only=True) as ledger:
            (run,) = ledger.for_queue(QUEUE).runs.runs_in_queue(limit=2)
        return run

    def is_under_way(self) -> bool:
        return 0 < len(self.mapped()) < REQUESTS


def ended(program: "subprocess.Popen[str]") -> tuple[int, dict[str, Any], str]:
    stdout, stderr = program.communicate(timeout=60)
    assert "Traceback" not in stderr, stderr
    return program.returncode, json.loads(stdout), stderr


def once_under_way(troubled: Troubled, program: "subprocess.Popen[str]", then: Callable[[], object]) -> None:
    assert comes_true(lambda: troubled.is_under_way() or program.poll() is not None, within_seconds=30)
    assert program.poll() is None, program.communicate()
    then()


@pytest.fixture
def troubled(tmp_path: Path) -> Troubled:
    return Troubled(tmp_path)


@pytest.fixture
def ledger_proxy(mariadb: MariaDBServer) -> Iterator[tuple[TcpProxy, str]]:
    """A ledger on a server, behind a proxy; its URL leads through the proxy."""
    name = mariadb.unused_name("ledger")
    with open_ledger(mariadb.create_database(name)) as ledger:
        ledger.admin.init()
    with TcpProxy(mariadb.port) as proxy:
        yield proxy, f"mysql://root@{HOST}:{proxy.port}/{name}?ssl_mode=DISABLED"
    mariadb.drop_database(name)


def test_a_ledger_that_is_down_before_the_start_lets_nothing_be_written(troubled: Troubled) -> None:
    code, document, _ = troubled.ends(*BACKFILL, ledger_url=NOWHERE)
    assert (code, document["errors"][0]["code"], troubled.mapped()) == (6, "storage-unavailable", [])


def test_a_server_s_ledger_that_nobody_made_lets_nothing_be_written(troubled: Troubled, mariadb_database: str) -> None:
    code, document, _ = troubled.ends(*BACKFILL, ledger_url=mariadb_database)
    assert (code, troubled.mapped()) == (2, [])
    assert "stovepipe ledger init" in document["errors"][0]["hint"]


def test_a_ledger_of_a_newer_version_lets_nothing_be_written(troubled: Troubled) -> None:
    with open_ledger(f"sqlite:///{troubled.ledger_file}") as ledger:
        ledger.admin.init()
    with closing(sqlite3.connect(troubled.ledger_file)) as connection, connection:
        connection.execute("UPDATE ledger_meta SET schema_version = 99, min_writer = 99")
    code, document, _ = troubled.ends(*BACKFILL)
    assert (code, document["errors"][0]["code"], troubled.mapped()) == (7, "ledger-too-new", [])
    listed, _, _ = troubled.ends("runs", "list", "-o", "json")
    assert listed == 0


def test_a_ledger_that_is_lost_on_the_way_ends_the_work_and_the_rest_is_done_later(
    troubled: Troubled, ledger_proxy: tuple[TcpProxy, str]
) -> None:
    proxy, url = ledger_proxy
    program = troubled.start(*BACKFILL, "--rate", "200", "--lease", "2s", ledger_url=url)
    once_under_way(troubled, program, proxy.close)
    code, document, _ = ended(program)
    assert (code, document["errors"][0]["code"]) == (6, "ledger-unavailable")
    assert "runs resume" in document["errors"][0]["hint"]
    written = troubled.mapped()
    assert len(written) == len(set(written)) < REQUESTS
    _, whole, _ = troubled.ends(*BACKFILL)
    assert sorted(troubled.mapped()) == sorted(set(troubled.mapped()))
    assert (whole["data"]["scanned"], len(troubled.mapped())) == (REQUESTS, REQUESTS)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_at_a_batch_border_and_resuming_maps_the_rest_once(
    troubled: Troubled, number: signal.Signals, code: int
) -> None:
    program = troubled.start(*BACKFILL, "--rate", "200")
    once_under_way(troubled, program, lambda: program.send_signal(number))
    found, document, stderr = ended(program)
    assert (found, document["verdict"], document["data"]["stopped_because"]) == (
        code,
        "error",
        f"stopped by {number.name}",
    )
    run = troubled.run()
    assert (run.status, run.header.stopped_because) == ("RUNNING", f"stopped by {number.name}")
    assert f"stovepipe runs resume -q {QUEUE} {run.run_id}" in stderr
    written = troubled.mapped()
    # Whole batches, and the rows of a batch are mapped in one transaction.
    assert 0 < len(written) < REQUESTS
    resumed, rest, _ = troubled.ends("runs", "resume", run.run_id, "-o", "json")
    assert (resumed, rest["command"], rest["data"]["run_id"]) == (0, "runs resume", run.run_id)
    assert len(troubled.mapped()) == len(set(troubled.mapped())) == REQUESTS
    assert (troubled.run().status, rest["data"]["scanned"]) == ("COMPLETED", REQUESTS)


def test_a_signal_ends_the_helpers_too(troubled: Troubled) -> None:
    program = troubled.start(*BACKFILL, "--rate", "100", "--workers", "3")
    once_under_way(troubled, program, lambda: program.send_signal(signal.SIGTERM))
    code, _, _ = ended(program)
    assert code == 143
    with open_ledger(f"sqlite:///{troubled.ledger_file}", read_only=True) as ledger:
        assert ledger.for_queue(QUEUE).steps.live_leases(troubled.run().run_id, limit=10) == ()


def test_a_killed_run_shows_as_abandoned_and_the_same_command_goes_on_with_it(troubled: Troubled) -> None:
    program = troubled.start(*BACKFILL, "--rate", "200")
    once_under_way(troubled, program, program.kill)
    program.communicate(timeout=60)
    _, listed, _ = troubled.ends("runs", "list", "-o", "json")
    (item,) = listed["data"]["items"]
    assert (item["status"], item["abandoned"]) == ("RUNNING", True)
    code, document, stderr = troubled.ends(*BACKFILL)
    assert (code, document["data"]["run_id"]) == (0, item["run_id"])
    assert "was left unfinished: going on with it" in stderr
    assert len(troubled.mapped()) == len(set(troubled.mapped())) == REQUESTS


def test_a_killed_run_is_not_gone_on_with_by_another_job(troubled: Troubled) -> None:
    program = troubled.start(*BACKFILL, "--rate", "200")
    once_under_way(troubled, program, program.kill)
    program.communicate(timeout=60)
    code, document, _ = troubled.ends(*BACKFILL, "--since", "2000-01-01T00:00:00Z")
    assert code == 8
    assert "runs cancel" in document["errors"][0]["hint"]


def test_a_spent_time_budget_is_incomplete_and_can_be_gone_on_with(troubled: Troubled) -> None:
    code, document, stderr = troubled.ends(*BACKFILL, "--rate", "200", "--run-time", "2s")
    assert (code, document["verdict"]) == (4, "incomplete")
    assert document["data"]["stopped_because"] == "the time budget ended"
    assert "stovepipe runs resume" in stderr
    assert 0 < len(troubled.mapped()) < REQUESTS


def test_a_pause_file_holds_the_work_back_until_the_throttle_s_time_is_over(troubled: Troubled) -> None:
    pause = troubled.process.home / "pause"
    pause.touch()
    code, document, stderr = troubled.ends(*BACKFILL, "--pause-file", str(pause), "--throttle-timeout", "1s")
    assert (code, document["verdict"], troubled.mapped()) == (4, "incomplete", [])
    assert "pause file: there, limit absent" in document["data"]["stopped_because"]
    assert "pausing since" in stderr


def test_no_transaction_is_open_while_a_throttle_holds_the_work(troubled: Troubled) -> None:
    pause = troubled.process.home / "pause"
    pause.touch()
    program = troubled.start(*BACKFILL, "--pause-file", str(pause))
    assert program.stderr is not None
    assert "pausing since" in program.stderr.readline()
    try:
        assert [is_free(file) for file in (troubled.file, troubled.ledger_file)] == [True, True]
    finally:
        pause.unlink()
        assert ended(program)[0] == 0


def is_free(file: Path) -> bool:
    """Whether nobody has a transaction open in a database, not even one that only reads."""
    with closing(sqlite3.connect(file, timeout=5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("CREATE TABLE probe (k)")
            connection.execute("DROP TABLE probe")
            connection.execute("COMMIT")
        except sqlite3.OperationalError:
            return False
        # A log of writes cannot be emptied below a reader.
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy


def test_steps_are_the_same_for_any_number_of_workers(troubled: Troubled) -> None:
    def steps(workers: str) -> list[str]:
        code, document, _ = troubled.ends(*BACKFILL, "--batch", "10", "--workers", workers)
        assert (code, document["data"]["mapped"]) == (0, REQUESTS)
        with closing(sqlite3.connect(troubled.file)) as connection, connection:
            connection.execute("DELETE FROM request_acceptance")
        with open_ledger(f"sqlite:///{troubled.ledger_file}", read_only=True) as ledger:
            found = ledger.for_queue(QUEUE).steps.steps(document["data"]["run_id"], after=-1, limit=100)
        return [repr(each.input) for each in found]

    alone = steps("1")
    assert len(alone) > 3
    assert steps("3") == alone


def test_an_operator_s_hold_pauses_the_work_until_it_is_lifted(troubled: Troubled) -> None:
    program = troubled.start(*BACKFILL, "--rate", "200")
    once_under_way(
        troubled, program, lambda: troubled.ends("runs", "hold", "@latest", "--reason", "deploy", "-o", "json")
    )

    def throttle() -> object:
        return troubled.ends("runs", "show", "@latest", "-o", "json")[1]["data"]["throttle"]

    assert comes_true(lambda: throttle() is not None, within_seconds=30)
    at_hold = len(troubled.mapped())
    assert comes_true(lambda: len(troubled.mapped()) == at_hold, within_seconds=1)
    troubled.ends("runs", "release", "@latest", "-o", "json")
    code, _, stderr = ended(program)
    assert (code, "deploy" in stderr, "the work goes on" in stderr) == (0, True, True)
    assert len(troubled.mapped()) == REQUESTS


def test_a_cancelled_run_ends_its_worker_and_what_was_written_stays(troubled: Troubled) -> None:
    program = troubled.start(*BACKFILL, "--rate", "100")
    once_under_way(
        troubled, program, lambda: troubled.ends("runs", "cancel", "@latest", "--reason", "wrong queue", "-o", "json")
    )
    code, document, _ = ended(program)
    assert (code, document["verdict"]) == (4, "incomplete")
    assert "wrong queue" in document["data"]["stopped_because"]
    assert troubled.run().status == "CANCELLED"
    assert 0 < len(troubled.mapped()) < REQUESTS
