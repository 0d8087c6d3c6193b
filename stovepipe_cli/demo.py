"""The demonstration: a damaged queue is looked at, checked, mended as far as rows prove, and checked again."""

from collections import Counter

from stovepipe_cli import __version__
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import Clock
from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.scenario import Expectation, Scenario
from stovepipe_cli.history.viewer import view_history
from stovepipe_cli.repair.applier import apply
from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.planner import PlanOrigin, plan
from stovepipe_cli.reports import ApplyReport, DemoReport, Explained, PlanTarget, RepairPlan, VerifyReport
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage, StorageFactory

SCENARIO = "demo"

# Nobody else writes to a throw-away database, so a first read can be trusted.
_OPTIONS = VerifyOptions(settle_ms=0)


def run_demo(factory: StorageFactory, *, clock: Clock, scenario: Scenario | None = None) -> DemoReport:
    """Run every step on an empty database, in which absent tables are created.

    `scenario` is the bundled one unless another is given. What is found and what is left is data.
    """
    told = bundled(SCENARIO) if scenario is None else scenario
    show = told.expectation.show
    if show is None:
        raise InvalidInput(f"{told.source} does not say which history to show", hint="add 'show:' to its 'expect:'")
    factory.admin.create_tables()
    storage = factory.for_queue(told.queue)
    loaded = load_scenario(storage, told, into_existing=False)
    history = view_history(storage, show)
    before = verify(storage, _OPTIONS, clock=clock)
    made, applied = _mend(factory, storage, clock)
    after = verify(storage, _OPTIONS, clock=clock)
    left, not_left = _explain(after, told.expectation)
    return DemoReport(
        scenario=told.source,
        queue=told.queue,
        description=told.description,
        loaded=loaded,
        history=history,
        before=before,
        plan=made,
        applied=applied,
        after=after,
        mended=len({finding.id for finding in before.findings} - {finding.id for finding in after.findings}),
        left=left,
        not_left=not_left,
        is_as_expected=not not_left and all(each.why for each in left) and not after.is_incomplete,
    )


def _mend(factory: StorageFactory, storage: Storage, clock: Clock) -> tuple[RepairPlan, ApplyReport]:
    server = factory.admin.ping()
    origin = PlanOrigin(
        target=PlanTarget(profile=None, host=server.host, database=server.database, identity=server.identity),
        tool_version=__version__,
        schema_fingerprint=factory.admin.schema_fingerprint(),
    )
    made = plan(storage, PlanOptions(verify=_OPTIONS), origin, clock=clock)
    return made, apply(storage, made, ApplyOptions(verify=_OPTIONS), clock=clock, run_id=mint_run_id(clock))


def _explain(after: VerifyReport, expectation: Expectation) -> tuple[tuple[Explained, ...], tuple[str, ...]]:
    """Each finding with its reason, as often as the scenario gives one, and what it gives a reason for in vain."""
    expected = Counter((left.code, left.request_id) for left in expectation.after_repair)
    reasons = {(left.code, left.request_id): left.why for left in expectation.after_repair}
    explained = []
    for finding in after.findings:
        name = (finding.code, finding.request_id)
        is_expected = expected[name] > 0
        expected[name] -= is_expected
        explained.append(Explained(finding, reasons[name] if is_expected else ""))
    in_vain = [name for name, count in expected.items() for _ in range(count)]
    return tuple(explained), tuple(f"{code} {request_id or ''}".rstrip() for code, request_id in in_vain)
