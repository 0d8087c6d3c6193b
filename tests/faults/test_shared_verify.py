"""A verify that several processes share loses nothing when one of them dies, and never calls lost work clean."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.storage.open import open_ledger, open_storage
from stovepipe_cli.work import WorkerIdentity
from tests.cli.running import Process
from tests.support.mariadb import HOST, MariaDBServer
from tests.support.shared_verify import OPTIONS, SharedRun, alone, plant_everything
from tests.support.tcp_proxy import TcpProxy
from tests.support.waiting import comes_true

QUEUE = "load/shared"
REQUESTS = 400
STEP_ROWS = 60
# Rows a second of each worker, so that a step is long enough to be met by a test.
SLOWLY = ("--rate", "150", "--lease", "5s")

Begin = Callable[[str], "SharedProcesses"]


class SharedProcesses:
    """A run on record that nobody works at yet, of a queue with damage of every kind."""

    def __init__(self, home: Path, url: str) -> None:
        self.process = Process(home)
        self.url = url
        self.ledger_url = f"sqlite:///{home / 'ledger.db'}"
        self.started: list[subprocess.Popen[str]] = []
        with open_storage(url) as factory, open_ledger(self.ledger_url) as ledger:
            factory.admin.create_tables()
            storage = factory.for_queue(QUEUE)
            plant_everything(storage, REQUESTS, 2)
            ledger.admin.init()
            self.alone = alone(storage)
            run = SharedRun(storage, ledger.for_queue(QUEUE), STEP_ROWS, OPTIONS, target=factory.admin.ping().identity)
            self.run_id, self.seed = run.run_id, str(run.body["seed"])

    def start(self, *words: str, url: str = "", is_reader: bool = False) -> "subprocess.Popen[str]":
        """A process of the program; a reader has the key of the run's hashes from the start."""
        environ = {
            "STOVEPIPE_DATABASE_URL": url or self.url,
            "STOVEPIPE_LEDGER_URL": self.ledger_url,
            "STOVEPIPE_QUEUE": QUEUE,
        }
        if is_reader:
            environ["PYTHONHASHSEED"] = self.seed
        self.started.append(self.process.start(*words, self.run_id, "-o", "json", environ=environ))
        return self.started[-1]

    def held(self) -> list[WorkStep]:
        """The steps that somebody is at now, behind the first two."""
        with open_ledger(self.ledger_url, read_only=True) as ledger:
            leases = ledger.for_queue(QUEUE).steps.live_leases(self.run_id, limit=10)
        return [step for step in leases if step.step_index > 1]

    def await_held(self) -> WorkStep:
        assert comes_true(lambda: bool(self.held()), within_seconds=60)
        return self.held()[0]

    def finishes(self, program: "subprocess.Popen[str]") -> tuple[int, dict[str, Any]]:
        stdout, stderr = program.communicate(timeout=120)
        assert "Traceback" not in stderr, stderr
        return program.returncode, json.loads(stdout)

    def assert_tells_everything(self, document: dict[str, Any]) -> None:
        """The answer is that of one process."""
        data, report = document["data"], self.alone
        assert document["verdict"] == "findings"
        assert data["counts"] == dict(report.counts)
        assert {each["id"] for each in data["findings"]} == {each.id for each in report.findings}
        checked = {name: (part["checked"], part["skipped"]) for name, part in data["coverage"].items()}
        assert checked == {name: (part.checked, part.skipped) for name, part in report.coverage.items()}

    def kill(self, program: "subprocess.Popen[str]") -> None:
        """End it without a word; what it started goes on, with its streams."""
        program.kill()
        program.wait()
        for stream in (program.stdout, program.stderr):
            if stream is not None:
                stream.close()

    def close(self) -> None:
        for program in self.started:
            if program.poll() is None:
                self.kill(program)


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    begun: list[SharedProcesses] = []

    def make(url: str = "") -> SharedProcesses:
        begun.append(SharedProcesses(tmp_path, url or f"sqlite:///{tmp_path / 'queue.db'}"))
        return begun[0]

    yield make
    for each in begun:
        each.close()


def test_the_step_of_a_killed_reader_is_done_by_another(begin: Begin) -> None:
    shared = begin("")
    reader = shared.start("runs", "work", *SLOWLY, is_reader=True)
    lost = shared.await_held()
    shared.kill(reader)
    code, document = shared.finishes(shared.start("runs", "resume", "--workers", "2"))
    assert code == 3
    shared.assert_tells_everything(document)
    with open_ledger(shared.ledger_url, read_only=True) as ledger:
        step = ledger.for_queue(QUEUE).steps.step(shared.run_id, lost.step_index)
    assert step is not None
    assert (step.status, step.attempt) == ("completed", lost.attempt + 1)


def test_a_run_whose_reporter_was_killed_is_resumed_beside_its_readers(begin: Begin) -> None:
    shared = begin("")
    reporter = shared.start("runs", "resume", "--workers", "1", *SLOWLY)
    held = shared.await_held()
    worker = WorkerIdentity.parse(held.worker)
    assert worker is not None
    assert worker.pid != reporter.pid, "who tells the report does not read"
    shared.kill(reporter)
    code, document = shared.finishes(shared.start("runs", "resume", "--workers", "1"))
    assert code == 3
    shared.assert_tells_everything(document)
    assert comes_true(lambda: not _is_there(worker.pid), within_seconds=60), "its reader goes when the work is done"


def test_a_spent_time_budget_tells_what_was_read_and_leaves_the_rest_to_be_resumed(begin: Begin) -> None:
    shared = begin("")
    code, document = shared.finishes(shared.start("runs", "resume", "--run-time", "3s", "--rate", "60"))
    coverage = document["data"]["coverage"]
    assert code in {3, 4}
    assert coverage["requests"]["checked"] < REQUESTS / 2
    assert {name: part["skipped"] for name, part in coverage.items()} == dict.fromkeys(coverage, 1)
    assert "the time budget ended" in document["data"]["blocking"]
    code, document = shared.finishes(shared.start("runs", "resume"))
    assert code == 3
    shared.assert_tells_everything(document)


def test_a_signal_ends_it_at_a_page_and_says_how_to_go_on(begin: Begin) -> None:
    shared = begin("")
    program = shared.start("runs", "resume", *SLOWLY)
    shared.await_held()
    program.send_signal(signal.SIGTERM)
    stdout, stderr = program.communicate(timeout=60)
    assert (program.returncode, json.loads(stdout)["verdict"]) == (143, "error")
    assert "runs resume" in stderr
    assert shared.held() == [], "its readers have given their steps back"


def test_a_process_that_only_joined_answers_with_the_run(begin: Begin) -> None:
    shared = begin("")
    code, document = shared.finishes(shared.start("runs", "work", "--workers", "2"))
    assert (code, document["data"]["kind"], document["data"]["status"]) == (0, "verify", "RUNNING")
    code, document = shared.finishes(shared.start("runs", "resume"))
    assert code == 3
    shared.assert_tells_everything(document)


def test_a_lost_database_is_never_clean(begin: Begin, mariadb: MariaDBServer, mariadb_database: str) -> None:
    shared = begin(mariadb_database)
    name = mariadb_database.rpartition("/")[2]
    with TcpProxy(mariadb.port) as proxy:
        url = f"mysql://root@{HOST}:{proxy.port}/{name}?ssl_mode=DISABLED"
        program = shared.start("runs", "resume", "--run-time", "4s", *SLOWLY, url=url)
        shared.await_held()
        proxy.close()
        code, document = shared.finishes(program)
    assert code in {4, 6}
    assert document["verdict"] in {"incomplete", "error"}


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
