"""One scenario told to its end: damage, verify, plan, apply, verify, and all of it once more."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.scenario import Scenario
from stovepipe_cli.repair.applier import apply
from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.planner import PlanOrigin, plan
from stovepipe_cli.reports import ApplyReport, PlanTarget, RepairPlan, VerifyReport
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.rows import TABLE_OF
from stovepipe_cli.storage.contract.tables import TABLES
from tests.support.row_dump import Dump, dump_by_key

# Opens a new database for as long as the context lasts.
NewDatabase = Callable[[], AbstractContextManager[StorageFactory]]

# The kind of database whose names are compared by the server's own collation.
SERVICE_TABLES = "mariadb-service-tables"

# Nobody else writes, so what was seen once stands.
LOOK = VerifyOptions(settle_ms=0)


@dataclass(frozen=True, slots=True)
class Mend:
    """A plan, what applying it did, and the rows afterwards."""

    plan: RepairPlan
    applied: ApplyReport
    rows: Dump


@dataclass(frozen=True, slots=True)
class Story:
    """What was seen on the way; `again` is the same plan applied a second time, `anew` a plan made after it.

    `columns` are those that the database has, by table.
    """

    scenario: Scenario
    columns: Mapping[str, frozenset[str]]
    loaded: Dump
    before: VerifyReport
    looked: Dump
    mend: Mend
    after: VerifyReport
    again: Mend
    anew: Mend


class Mender:
    """Plans and applies on one database."""

    def __init__(self, factory: StorageFactory, queue: str) -> None:
        server = factory.admin.ping()
        self._origin = PlanOrigin(
            target=PlanTarget(None, server.host, server.database, server.identity),
            tool_version="test",
            schema_fingerprint=factory.admin.schema_fingerprint(),
        )
        self._storage = factory.for_queue(queue)
        self._clock = SystemClock()

    def verify(self) -> VerifyReport:
        return verify(self._storage, LOOK, clock=self._clock)

    def rows(self) -> Dump:
        return dump_by_key(self._storage)

    def columns(self) -> Mapping[str, frozenset[str]]:
        views = {table: self._storage.audit.view(table) for table in TABLES}
        return {table: view.columns for table, view in views.items() if view is not None}

    def plan(self, options: PlanOptions) -> RepairPlan:
        return plan(self._storage, options, self._origin, clock=self._clock)

    def apply(self, made: RepairPlan) -> Mend:
        options = ApplyOptions(verify=LOOK)
        applied = apply(self._storage, made, options, clock=self._clock, run_id=mint_run_id(self._clock))
        return Mend(made, applied, self.rows())


def tell(factory: StorageFactory, scenario: Scenario, *, allow_retention_time: bool = False) -> Story:
    """Load, then go through every step."""
    load(factory, scenario)
    mender = Mender(factory, scenario.queue)
    options = PlanOptions(verify=LOOK, allow_retention_time=allow_retention_time)
    loaded = mender.rows()
    before = mender.verify()
    looked = mender.rows()
    mend = mender.apply(mender.plan(options))
    after = mender.verify()
    return Story(
        scenario=scenario,
        columns=mender.columns(),
        loaded=loaded,
        before=before,
        looked=looked,
        mend=mend,
        after=after,
        again=mender.apply(mend.plan),
        anew=mender.apply(mender.plan(options)),
    )


def load(factory: StorageFactory, scenario: Scenario) -> None:
    """Load, into tables of ours where the database lacks one: how the service makes the newest of them is not known."""
    storage = factory.for_queue(scenario.queue)
    if any(storage.audit.view(TABLE_OF[type(row)].name) is None for row in scenario.rows):
        factory.admin.create_tables()
    load_scenario(storage, scenario, into_existing=False)


def named(report: VerifyReport) -> list[tuple[str, str | None]]:
    """Code and request of every finding, in an order that does not matter."""
    assert report.findings_total == len(report.findings)
    return sorted(((finding.code, finding.request_id) for finding in report.findings), key=repr)
