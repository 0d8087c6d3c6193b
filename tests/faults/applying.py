"""Applies that run as processes, on a MariaDB database behind a proxy, each on a damaged queue of its own."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.repair.plan_file import write_plan
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.planner import PlanOrigin, plan
from stovepipe_cli.reports import PlanTarget, RepairPlan
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.memory import MemoryFactory
from tests.cli.running import Process
from tests.support.audits import StandingClock
from tests.support.lifecycles import Life, accepted, put, succeeded
from tests.support.mariadb import HOST
from tests.support.repairs import Repairs, comparable
from tests.support.row_dump import Dump, dump_by_key
from tests.support.tcp_proxy import TcpProxy

# The lives may lie in the future of the server's clock, which decides what is pending.
LOOK = VerifyOptions(settle_ms=0, min_age_ms=0)


def lives(queue: str) -> list[Life]:
    """A row of every kind that repair writes is missing, a time that nobody kept included."""
    return [
        succeeded(1, queue=queue),
        succeeded(2, queue=queue).without("summary", "acceptance").drop("state/3"),
        accepted(3, queue=queue).without("acceptance", "uri"),
    ]


def everything(queue: str) -> list[Life]:
    """More of the same, and whole histories."""
    superseded = accepted(6, queue=queue).state("superseded", "superseded_by_newer_head")
    return [
        *lives(queue),
        succeeded(4, queue=queue).drop("state/1", "state/2", "state/3"),
        succeeded(5, queue=queue).lose("state/3").without("uri"),
        superseded.without("summary", "acceptance"),
    ]


@dataclass(frozen=True, slots=True)
class Applying:
    """`factory` reaches the database directly, processes reach it through the proxy."""

    factory: StorageFactory
    proxy: TcpProxy
    process: Process
    port: int
    database: str

    def damaged(self, queue: str, damage: Callable[[str], list[Life]] = lives) -> "Damaged":
        """A queue with this damage and a plan for it in a file."""
        storage = self.factory.for_queue(queue)
        put(storage, *damage(queue))
        state = self.factory.admin.ping()
        origin = PlanOrigin(
            PlanTarget(None, state.host, state.database, state.identity), self.factory.admin.schema_fingerprint(), "1"
        )
        made = plan(storage, PlanOptions(allow_retention_time=True, verify=LOOK), origin, clock=SystemClock())
        path = self.process.home / f"{queue}.json"
        write_plan(made, path)
        return Damaged(self, queue, made, path)

    def environ(self, *, through: TcpProxy | None) -> dict[str, str]:
        port = self.port if through is None else through.port
        return {"STOVEPIPE_DATABASE_URL": f"mysql://root@{HOST}:{port}/{self.database}?ssl_mode=DISABLED"}


@dataclass(frozen=True, slots=True)
class Damaged:
    """One damaged queue."""

    applying: Applying
    queue: str
    plan: RepairPlan
    path: Path

    @property
    def ready(self) -> int:
        """How many entries the plan has that can be applied."""
        return sum(entry.status == "ready" for entry in self.plan.entries)

    def start(self, *, through: TcpProxy | None, host: str = "") -> "subprocess.Popen[str]":
        """An apply that has begun; `host` is one with a ledger of its own."""
        argv = ("repair", "apply", "-q", self.queue, self.path, "--yes", "-o", "json")
        environ = self.applying.environ(through=through)
        if host:
            environ["STOVEPIPE_LEDGER_URL"] = f"sqlite:///{self.applying.process.home / host}.db"
        return self.applying.process.start(*argv, environ=environ)

    def apply(self, *, through: TcpProxy | None = None, host: str = "") -> dict[str, int]:
        """A whole apply: the counts it ends with."""
        return counts_of(self.start(through=through, host=host))

    def rows(self) -> Dump:
        """Every row of the queue, in the form that two applies can be compared in."""
        return comparable(dump_by_key(self.applying.factory.for_queue(self.queue)), self.plan)

    def receipts(self) -> list[dict[str, object]]:
        """Every row that receipts beside the plan tell of."""
        files = sorted(self.path.parent.glob(f"{self.path.name}.receipt-*"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()[1:]]


def counts_of(program: "subprocess.Popen[str]") -> dict[str, int]:
    """What an apply says at its end, with its exit code."""
    stdout, _ = program.communicate(timeout=60)
    document = json.loads(stdout)
    data = document["data"]
    assert data is not None, document["errors"]
    names = ("applied", "identical", "drifted", "conflicts", "failed")
    return {"code": program.returncode, **{name: data[name] for name in names}}


def undisturbed(queue: str, made: RepairPlan, damage: Callable[[str], list[Life]] = lives) -> Dump:
    """The rows after the same plan was applied in memory, where nothing goes wrong."""
    storage = MemoryFactory().for_queue(queue)
    put(storage, *damage(queue))
    report = Repairs(storage, StandingClock(), LOOK).apply(made)
    assert (report.exit_code, report.identical) == (0, 0), report
    return comparable(dump_by_key(storage), made)
