"""A request is followed on a real server while somebody else writes it, and until the server is gone."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stovepipe_cli.commands.history_follow import PATIENCE_SECONDS
from stovepipe_cli.entities import RequestLog
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import CHECKOUT, NOW_MS, FixedClock, Process, Program
from tests.support.mariadb import MariaDBServer

QUEUE = "demo/main"
NUMBER = "7"
LIFE = ["state/1", "state/2", f"event/build_triggered/w-{NUMBER}", f"event/build_finished/w-{NUMBER}", "state/3"]
WITHIN_SECONDS = 60.0


@pytest.fixture
def service(mariadb_service_database: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process, which takes one request after the other from its acceptance to its fact."""
    command = [sys.executable, "-m", "tests.support.service_writer", mariadb_service_database, QUEUE, NUMBER]
    with subprocess.Popen(
        [*command, "0.05", "0.2", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT
    ) as writer:
        assert writer.stdout
        assert writer.stdout.readline()
        yield writer
        writer.communicate()


def test_a_request_is_followed_while_the_service_writes_it(
    mariadb_service_database: str, service: "subprocess.Popen[str]", process: Process
) -> None:
    environ = {"STOVEPIPE_DATABASE_URL": mariadb_service_database, "STOVEPIPE_QUEUE": QUEUE}
    assert service.poll() is None
    program = process.start("history", "show", NUMBER, "--follow", "--no-headers", environ=environ)
    assert program.stdout
    seen = []
    for line in program.stdout:
        seen.append(line.rstrip("\n").split("\t"))
        if seen[-1][1].startswith("event/validation_fact_recorded/"):
            break
    program.terminate()
    _, stderr = program.communicate(timeout=WITHIN_SECONDS)
    assert (program.returncode, stderr) == (143, "stovepipe: terminated\n")
    assert [row[1] for row in seen[:-1]] == LIFE
    assert [row[7] for row in seen] == [""] * len(seen)


@dataclass(slots=True)
class ScriptedClock(FixedClock):
    """Waits in no time, and takes a step at each of its first waits."""

    steps: list[Callable[[], object]] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        FixedClock.sleep(self, seconds)
        if self.steps:
            self.steps.pop(0)()


@pytest.fixture
def demo_queue(own_mariadb: MariaDBServer, tmp_path: Path) -> Program:
    """The program on a damaged queue of a server of its own."""
    url = own_mariadb.create_database("followed")
    program = Program(tmp_path, {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_QUEUE": QUEUE})
    with open_storage(url) as factory:
        factory.admin.create_tables()
    assert program("fixtures", "load", "demo").code == 0
    return program


def test_a_server_that_stays_away_ends_it(own_mariadb: MariaDBServer, demo_queue: Program) -> None:
    demo_queue.clock = ScriptedClock(steps=[own_mariadb.kill])
    result = demo_queue("history", "show", "204", "--follow", "-o", "ndjson")
    assert result.code == 6
    assert (result.lines[0]["kind"], result.lines[-1]["kind"]) == ("entry", "summary")
    assert result.lines[-1]["errors"][0]["code"] == "storage-unavailable"
    assert "trying again for 30 s" in result.stderr
    assert demo_queue.clock.slept >= PATIENCE_SECONDS


def test_a_server_that_comes_back_is_followed_on(own_mariadb: MariaDBServer, demo_queue: Program) -> None:
    entry = RequestLog(QUEUE, "204", "event/fix_submitted/x", NOW_MS, event="fix_submitted")

    def come_back() -> None:
        own_mariadb.restart()
        with open_storage(demo_queue.environ["STOVEPIPE_DATABASE_URL"]) as factory:
            factory.for_queue(QUEUE).request_log.create(entry)

    def interrupt() -> None:
        raise KeyboardInterrupt

    demo_queue.clock = ScriptedClock(steps=[own_mariadb.kill, come_back, interrupt])
    result = demo_queue("history", "show", "204", "--follow")
    assert result.code == 130
    assert entry.id in [row[1] for row in result.rows]
    assert "the database answers again" in result.stderr
