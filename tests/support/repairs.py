"""Repairs for tests: plans and applies on a queue that nobody else writes to."""

from dataclasses import dataclass, field, replace

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.repair.applier import apply
from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.planner import PlanOrigin, plan
from stovepipe_cli.reports import ApplyReport, PlanEntry, PlanTarget, RepairPlan
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from stovepipe_cli.storage.contract.rows import RequestLogRow, RequestSummaryRow, Row
from tests.support.audits import StandingClock
from tests.support.lifecycles import QUEUE, Life, put
from tests.support.row_dump import Dump, dump_by_key

LOOK = VerifyOptions(settle_ms=0)
ORIGIN = PlanOrigin(PlanTarget("staging", "db1:3306", "stovepipe", "server-1"), "sha256:tables", "1.0")
RUN = "0199a0b0-0000-7000-8000-000000000001"


@dataclass
class Repairs:
    """One queue under repair."""

    storage: Storage
    clock: StandingClock = field(default_factory=StandingClock)
    look: VerifyOptions = LOOK

    def plan(self, options: PlanOptions | None = None) -> RepairPlan:
        return plan(self.storage, replace(options or PlanOptions(), verify=self.look), ORIGIN, clock=self.clock)

    def apply(self, made: RepairPlan, options: ApplyOptions | None = None, *, run_id: str = RUN) -> ApplyReport:
        chosen = replace(options or ApplyOptions(), verify=self.look)
        return apply(self.storage, made, chosen, clock=self.clock, run_id=run_id)

    def rows(self) -> Dump:
        return dump_by_key(self.storage)


def repairs_of(storage: Storage, *lives: Life) -> Repairs:
    """The lives put into a queue, which is then repaired."""
    put(storage, *lives)
    return Repairs(storage)


def outcomes(report: ApplyReport) -> tuple[int, int, int, int, int]:
    """Applied, identical, drifted, conflicts, failed."""
    return report.applied, report.identical, report.drifted, report.conflicts, report.failed


def entries_for(made: RepairPlan, request_id: str) -> list[PlanEntry]:
    """The plan's entries for one request."""
    return [entry for entry in made.entries if entry.request_id == request_id]


def ready(made: RepairPlan) -> list[tuple[str, str | None]]:
    """Action and log id of what is ready, in order."""
    return [(entry.action, entry.log_id) for entry in made.entries if entry.status == "ready"]


def untagged(rows: Dump) -> Dump:
    """The rows without the mark of the run that inserted them."""
    return {place: _untagged(row) for place, row in rows.items()}


def comparable(rows: Dump, made: RepairPlan) -> Dump:
    """The rows without tags and without times that were the moment of writing."""
    moments = {(entry.request_id, entry.log_id) for entry in made.entries if entry.timestamp_source == "retention"}
    found: Dump = {}
    for place, row in untagged(rows).items():
        if isinstance(row, RequestLogRow) and (row.request_id, row.log_id) in moments:
            found[place] = row._replace(timestamp_ms=0)
        elif isinstance(row, RequestSummaryRow) and (row.request_id, f"state/{row.request_version}") in moments:
            found[place] = row._replace(state_timestamp_ms=0)
        else:
            found[place] = row
    return found


def number(count: int) -> str:
    """The id of request `count` of the usual queue."""
    return f"request/{QUEUE}/{count}"


def _untagged(row: Row) -> Row:
    if not isinstance(row, RequestLogRow):
        return row
    metadata = dict(parse_metadata(row.metadata) or {})
    metadata.pop(REPAIR_RUN_ID, None)
    return row._replace(metadata=metadata_text(metadata))
