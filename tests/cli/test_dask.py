"""`--dask`: processes of a cluster take part in a run, as `runs work` does elsewhere, and may die of it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stovepipe_cli.entities.work import WorkEvent
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from stovepipe_cli.work import WorkerIdentity
from tests.cli.running import CHECKOUT, Process, Program
from tests.support.lifecycles import put, succeeded
from tests.support.mariadb import MariaDBServer
from tests.support.waiting import comes_true

pytest.importorskip("distributed", reason="nothing is tested on Dask: distributed is not installed")

QUEUE = "dask/main"
DEADLINE_SECONDS = 60.0
REQUESTS = 3_000


@dataclass
class Cluster:
    """A scheduler and two processes that it hands calls to, all on this host."""

    home: Path
    environ: dict[str, str]
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    opened: ExitStack = field(default_factory=ExitStack)

    def start(self) -> str:
        """The address of the scheduler, once both processes have told it that they are there."""
        file = self.home / "scheduler.json"
        at_home = ("--host", "127.0.0.1", "--scheduler-file", str(file), "--no-dashboard")
        self._python("distributed.cli.dask_scheduler", "--port", "0", *at_home)
        assert comes_true(file.exists, within_seconds=DEADLINE_SECONDS)
        own = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard", "--no-nanny", "--nthreads", "1")
        self.workers = [self._python("distributed.cli.dask_worker", *own) for _ in range(2)]
        address: str = json.loads(file.read_text())["address"]
        return address

    @property
    def pids(self) -> set[int]:
        return {worker.pid for worker in self.workers}

    def _python(self, module: str, *words: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            env=self.environ,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.opened.callback(process.wait)
        self.opened.callback(process.kill)
        return process


@dataclass(frozen=True, slots=True)
class Shared:
    """One queue, its ledger, the cluster, and the command line that they are named by."""

    server: MariaDBServer
    database: str
    program: Process
    environ: dict[str, str]
    cluster: Cluster
    address: str
    storage: Storage
    ledger: QueueLedger

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        more = ("--yes", "--dask", self.address, "--workers", "2", "--lease", "3s", "-o", "json")
        return self.program.start(*words, *more, environ=self.environ)

    def backfill(self) -> "subprocess.Popen[str]":
        """A backfill that takes some seconds, with three workers."""
        generate(self.storage, SyntheticQueue(QUEUE, REQUESTS, seed=7), into_existing=False)
        self.server.execute("DELETE FROM request_acceptance", database=self.database)
        return self.start("backfill", "acceptances", "--apply", "--batch", "50", "--rate", "250", "--max-load", "none")

    def run_id(self) -> str:
        runs = self.ledger.runs.runs_in_queue(limit=1)
        return runs[0].run_id if runs else ""

    def holders(self) -> set[int]:
        """The processes that hold a step now."""
        steps = self.ledger.steps.live_leases(self.run_id(), limit=100) if self.run_id() else ()
        return {pid_of(step.worker) for step in steps}

    def await_cluster(self) -> None:
        """Until both processes of the cluster hold a step."""
        assert comes_true(lambda: self.cluster.pids <= self.holders(), within_seconds=DEADLINE_SECONDS)

    def mapped(self) -> list[str]:
        page = self.storage.acceptances.list_before(0, 2**62, None, REQUESTS * 2)
        return [each.request_id for each in page]

    def events(self) -> list[WorkEvent]:
        return list(self.ledger.steps.load_events(self.run_id(), limit=1000))


def pid_of(worker: str) -> int:
    parsed = WorkerIdentity.parse(worker)
    assert parsed is not None
    return parsed.pid


def ended(process: "subprocess.Popen[str]") -> tuple[int, dict[str, Any], str]:
    stdout, stderr = process.communicate(timeout=DEADLINE_SECONDS)
    assert "Traceback" not in stderr, stderr
    document = json.loads(stdout)
    assert document["data"] is not None, (document["errors"], stderr)
    return process.returncode, document, stderr


@pytest.fixture
def shared(mariadb: MariaDBServer, mariadb_database: str, tmp_path: Path) -> Iterator[Shared]:
    program, url = Process(tmp_path), mariadb_database
    named = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_LEDGER_URL": url, "STOVEPIPE_QUEUE": QUEUE}
    with open_storage(url) as factory, open_ledger(url) as ledger:
        factory.admin.create_tables()
        ledger.admin.init()
        cluster = Cluster(tmp_path, program.environ(named))
        with cluster.opened:
            address = cluster.start()
            storage, book = factory.for_queue(QUEUE), ledger.for_queue(QUEUE)
            yield Shared(mariadb, url.rpartition("/")[2], program, named, cluster, address, storage, book)


def test_processes_of_a_cluster_share_a_backfill_with_the_command(shared: Shared) -> None:
    process = shared.backfill()
    code, document, stderr = ended(process)
    assert (code, "warning" in stderr) == (0, False), stderr
    assert (document["data"]["mapped"], len(set(shared.mapped())), len(shared.mapped())) == (REQUESTS,) * 3
    completed = {pid_of(event.worker) for event in shared.events() if event.kind == "StepCompleted"}
    assert completed == {process.pid, *shared.cluster.pids}


def test_a_process_of_the_cluster_that_is_killed_costs_nothing_but_time(shared: Shared) -> None:
    process = shared.backfill()
    shared.await_cluster()
    shared.cluster.workers[0].kill()
    code, document, _ = ended(process)
    assert (code, document["data"]["scanned"]) == (0, REQUESTS)
    assert (len(set(shared.mapped())), len(shared.mapped())) == (REQUESTS, REQUESTS)
    kinds = [event.kind for event in shared.events()]
    assert (kinds.count("WorkflowCompleted"), {"LeaseTakenOver", "WorkerRecovered"} & set(kinds) != set()) == (1, True)


def test_a_stop_reaches_the_cluster_and_the_run_goes_on_later(shared: Shared) -> None:
    process = shared.backfill()
    shared.await_cluster()
    process.send_signal(signal.SIGTERM)
    code, document, _ = ended(process)
    assert (code, document["data"]["stopped_because"] is None) == (143, False)
    assert shared.holders() == set()
    done = len(shared.mapped())
    assert done < REQUESTS
    again = shared.program(
        "runs", "resume", shared.run_id(), "--max-load", "none", "-o", "json", environ=shared.environ
    )
    assert again.code == 0
    assert (len(set(shared.mapped())), len(shared.mapped())) == (REQUESTS, REQUESTS)


def test_an_apply_is_shared_too(shared: Shared) -> None:
    lives = [succeeded(number, queue=QUEUE).drop("state/3") for number in range(1, 41)]
    put(shared.storage, *lives)
    plan = shared.program.home / "plan.json"
    look = ("--settle", "0", "--min-age", "0", "--out", plan)
    assert shared.program("repair", "plan", *look, environ=shared.environ).code == 0
    code, document, _ = ended(shared.start("repair", "apply", plan, "--batch", "4"))
    assert (code, document["data"]["applied"], document["data"]["failed"]) == (0, 40, 0)
    assert shared.program("verify", *look[:4], environ=shared.environ).code == 0


@pytest.fixture
def writable(tmp_path: Path) -> tuple[Program, tuple[str, ...]]:
    """The program in this process, and a backfill of a queue with one row to write."""
    url = f"sqlite:///{tmp_path}/own.db"
    with open_storage(url) as factory:
        factory.admin.create_tables()
        put(factory.for_queue(QUEUE), succeeded(1, queue=QUEUE).without("acceptance"))
    words = ("backfill", "acceptances", "--apply", "--yes", "-q", QUEUE, "--database-url", url, "-o", "json")
    return Program(tmp_path), words


def mappings(home: Path) -> int:
    with open_storage(f"sqlite:///{home}/own.db") as factory:
        return len(factory.for_queue(QUEUE).acceptances.list_before(0, 2**62, None, 10))


def test_without_dask_the_option_says_what_to_install(
    writable: tuple[Program, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, words = writable
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = program(*words, "--dask", "tcp://127.0.0.1:1")
    error = result.document["errors"][0]
    assert (result.code, error["message"]) == (2, "--dask needs Dask, which is not installed")
    assert "stovepipe-cli[dask]" in error["hint"]
    assert mappings(program.home) == 0


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "what://x"])
def test_without_a_scheduler_nothing_is_begun(writable: tuple[Program, tuple[str, ...]], address: str) -> None:
    program, words = writable
    result = program(*words, "--dask", address, "--connect-timeout", "1s")
    assert (result.code, result.document["errors"][0]["message"]) == (2, f"no Dask scheduler answers at '{address}'")
    assert mappings(program.home) == 0
    assert program("runs", "list", *words[4:]).document["data"]["items"] == []


def test_without_a_ledger_there_is_nothing_to_share(writable: tuple[Program, tuple[str, ...]]) -> None:
    program, words = writable
    result = program(*words, "--dask", "tcp://127.0.0.1:1", "--ledger-url", "none")
    assert (result.code, mappings(program.home)) == (7, 0)


def test_dask_is_imported_by_nobody_who_does_not_ask_for_it() -> None:
    code = "import sys, stovepipe_cli.cli, stovepipe_cli.commands.run_engine; print('distributed' in sys.modules)"
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "False"
