"""Shared verifies in one process: a queue with planted damage, read in small steps and by one walk."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES, rules_digest
from stovepipe_cli.audit.shared_job import KIND, Part, SharedVerifyJob
from stovepipe_cli.audit.shared_options import defining_options
from stovepipe_cli.audit.shared_plan import shared_body
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.entities.run import Run, RunHeader
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue, plantable
from stovepipe_cli.reports import Finding, VerifyReport
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger
from stovepipe_cli.work import (
    JobArguments,
    JobRegistry,
    Workplace,
    WorkResult,
    WorkSettings,
    start_run,
    this_worker,
    work,
)
from stovepipe_cli.work.throttle import no_throttle

# The queue's own rows can be damaged once.
ONCE = tuple(code for code in plantable() if code.startswith("Q"))
# Tables that planting writes to beside those that the rule reads.
BESIDE = {
    "E212": "project_fact_by_degree",
    "P307": "project_fact_by_degree",
    "I701": "build_issue",
    "I702": "issue_log",
    "I703": "build_issue",
}

OPTIONS = VerifyOptions(settle_ms=1, min_age_ms=0, fail_on="info", max_findings=100_000)


def plant_everything(storage: Storage, requests: int, each: int, seed: int = 1) -> None:
    """Fill a queue, with damage of every kind that its tables allow together."""
    there = {table for table in TABLES if storage.audit.view(table) is not None}
    damage = {
        code: 1 if code in ONCE else each
        for code in plantable()
        if code != "Q601" and there.issuperset(RULES[code].tables) and BESIDE.get(code, "request") in there
    }
    generate(storage, SyntheticQueue(storage.queue, requests, seed=seed, damage=damage), into_existing=False)


@dataclass
class SharedRun:
    """One shared verify of a queue, in steps of so many requests."""

    storage: Storage
    ledger: QueueLedger
    step_rows: int
    options: VerifyOptions = OPTIONS
    target: str = "server/uuid"
    run_id: str = field(init=False)
    body: dict[str, object] = field(init=False)
    jobs: list[SharedVerifyJob] = field(default_factory=list)

    def __post_init__(self) -> None:
        clock = SystemClock()
        body = shared_body(self.storage, self.options, clock=clock, step_rows=self.step_rows)
        assert isinstance(body, dict), body
        self.body = body
        queue = self.storage.queue
        run = Run(queue, mint_run_id(clock), KIND, RunHeader(actor="ana@host"), clock.now_ms())
        arguments = JobArguments(KIND, queue, self.target, rules=rules_digest(), options=defining_options(self.options))
        self.run_id = start_run(self.ledger, run, this_worker(), arguments=arguments, body=body).run_id

    def work(self, part: Part | None = None, **place: object) -> tuple[WorkResult, SharedVerifyJob]:
        """One worker, until it leaves."""
        clock, made = SystemClock(), []

        def make(_run: Run, body: object) -> SharedVerifyJob:
            assert isinstance(body, dict)
            made.append(SharedVerifyJob(self.storage, self.ledger, self.run_id, body, clock=clock, part=part or Part()))
            return made[-1]

        own = Workplace(
            ledger=self.ledger,
            clock=clock,
            worker=this_worker(),
            throttle=no_throttle(clock),
            settings=WorkSettings(poll_seconds=0.01),
            has_heartbeat=False,
        )
        result = work(replace(own, **place), self.run_id, JobRegistry({KIND: make}))  # type: ignore[arg-type]  # tests name fields with their types
        return result, made[-1]


def alone(storage: Storage, options: VerifyOptions = OPTIONS) -> VerifyReport:
    """The same by one walk."""
    return verify(storage, options, clock=SystemClock())


def told(report: VerifyReport) -> VerifyReport:
    """The report without what differs from one verify to the next: its run, and the times of its reads."""
    return replace(
        report,
        run_id=None,
        findings=tuple(map(_timeless, report.findings)),
        pending_findings=tuple(map(_timeless, report.pending_findings)),
    )


def _timeless(finding: Finding) -> Finding:
    return replace(finding, reads=tuple(replace(read, at_ms=0) for read in finding.reads))


@contextlib.contextmanager
def memory_ledger(queue: str) -> Iterator[QueueLedger]:
    with open_ledger("memory://") as ledger:
        yield ledger.for_queue(queue)
