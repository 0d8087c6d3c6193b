"""One step of a shared verify: a stretch of one table, read as the verify of one process reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from stovepipe_cli.audit.attempt import attempt
from stovepipe_cli.audit.bulk_links import CLOSELY, weigh
from stovepipe_cli.audit.bulk_pass import LINKED, BulkPass
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.pace import Deadline
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.shared_cells import Cells
from stovepipe_cli.audit.shared_clock import AttentiveClock
from stovepipe_cli.audit.shared_plan import span_of, stage_of
from stovepipe_cli.audit.shared_state import BALANCE, LEFT, Gathered, balance_text, is_small, left_of, output_of
from stovepipe_cli.audit.verifier import opened_case
from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.work import StepWatch


class _WatchedDeadline(Deadline):
    """Asked before each page, when nothing is open: the moment to see whether the work is to go on."""

    def __init__(self, clock: Clock, watch: StepWatch) -> None:
        super().__init__(clock, None)
        self._watch = watch

    @property
    def is_over(self) -> bool:
        """Never; the watch ends the attempt instead."""
        self._watch.ready()
        return False


class _Meter:
    """Tells the watch of each page's rows."""

    def __init__(self, clock: Clock, watch: StepWatch) -> None:
        self._clock, self._watch = clock, watch
        self._rows = 0
        self._since = clock.monotonic()

    def __call__(self, at: Progress) -> None:
        now = self._clock.monotonic()
        self._watch.took(at.checked - self._rows, now - self._since)
        self._rows, self._since = at.checked, now


@dataclass(frozen=True, slots=True)
class Known:
    """What steps before this one left, and whether all requests are among that.

    The step's balance is left in `folded_to` cells. Of what is read again, only `cells` are looked at.
    """

    folded_to: int
    gathered: Gathered = field(default_factory=Gathered)
    is_settled: bool = False
    cells: Cells = ()


def read_step(
    storage: Storage,
    options: VerifyOptions,
    covers: Mapping[str, object],
    watch: StepWatch,
    *,
    clock: Clock,
    known: Known,
) -> dict[str, object]:
    """Read what the step covers, and leave its document with the watch; its output."""
    part, is_again = stage_of(covers)
    with opened_case(storage, options, AttentiveClock(clock, watch.ready), _Meter(clock, watch)) as case:
        case.deadline = _WatchedDeadline(clock, watch)
        case.span = span_of(covers)
        known.gathered.tell(case)
        if known.is_settled:
            case.boundary.settle()
        suspected = dict(case.sole_builds)
        bulk = BulkPass(case, known.folded_to)
        name, run = _run_of(part, case, bulk, known.cells if is_again else None)
        attempt(case, name, run)
        output, left = output_of(case, suspected), left_of(case)
        balance = {BALANCE: balance_text(bulk.balance)}
        watch.keep(balance if is_small(left) else {**balance, **left})
        return {**output, LEFT: left} if is_small(left) else output


def _run_of(part: str, case: Case, bulk: BulkPass, cells: Cells | None) -> tuple[PassName, Callable[[], bool]]:
    name = next((each for each in LINKED if each == part), None)
    if name is None:
        return "requests", bulk.run if cells is None else partial(bulk.judge_again, cells)
    return name, partial(weigh, case, bulk, name) if cells is None else partial(CLOSELY[name], case, cells)
