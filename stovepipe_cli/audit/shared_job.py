"""A verify as durable work: steps are stretches of tables, and the last one is the report of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.shared_cells import cells_of, every_cell, uneven_text
from stovepipe_cli.audit.shared_options import foreign, options_of, require_same_hashes
from stovepipe_cli.audit.shared_plan import REPORT, ROWS, WEIGH, Stage, rows_a_step, span_of, stage_of, stages
from stovepipe_cli.audit.shared_reading import Known, read_step
from stovepipe_cli.audit.shared_record import CELLS, INVOCATION, SharedRecord
from stovepipe_cli.audit.shared_report import shared_report
from stovepipe_cli.audit.span import Span
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.run import RunKind
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage, UnreadableRow
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work import Job, NotYet, StepWatch
from stovepipe_cli.work.stopping import Interruption

KIND: RunKind = "verify"

# What this process does: read tables, tell the report, both, or neither.
Role = Literal["all", "reader", "reporter", "onlooker"]


def _ignore(_: object) -> None:
    return


@dataclass(frozen=True, slots=True)
class Part:
    """What is this process's own. Readers must all have the same `hash`.

    `run_time_ms` bounds the report from the making of the job on; `options` changes how it is told. `concluded` hears
    it before the step that made it is on record.
    """

    role: Role = "all"
    run_time_ms: int | None = None
    options: Callable[[VerifyOptions], VerifyOptions] = lambda options: options
    progress: Callable[[Progress], None] = _ignore
    concluded: Callable[[VerifyReport], None] = _ignore


class SharedVerifyJob(Job):
    """Verifies the queue of the storage. `report` is set once this process has told it."""

    kind = KIND
    renews_at_batches = True

    def __init__(
        self,
        storage: Storage,
        ledger: QueueLedger,
        run_id: str,
        body: Mapping[str, Any],
        *,
        clock: Clock,
        part: Part,
    ) -> None:
        if not {"options", "latest", "passes", "step_rows", "cells", "hash", "seed"}.issubset(body):
            raise foreign()
        require_same_hashes(body["hash"])
        self._storage, self._clock, self._part = storage, clock, part
        self._options = replace(options_of(body["options"]), run_time_ms=None)
        self._step_rows: int = body["step_rows"]
        self._folded_to: int = body["cells"]
        self._names: tuple[PassName, ...] = tuple(body["passes"])
        self._stages = stages(self._names)
        self._record = SharedRecord(ledger, run_id, self._names, body["latest"])
        self._reads = part.role in {"all", "reader"}
        self.relies_on_helpers = not self._reads
        self._started = clock.monotonic()
        self._known: dict[tuple[str, bool], Known] = {}
        self.report: VerifyReport | None = None

    def takes(self, covers: Mapping[str, object]) -> bool:
        """Hashes are compared in reading alone."""
        part, _ = stage_of(covers)
        if part == REPORT:
            return self._part.role in {"all", "reporter"}
        return self._reads or part == WEIGH

    def mint(self, last: Mapping[str, object] | None) -> Mapping[str, object] | None:
        """The next stretch of the table at hand, or the beginning of the next one."""
        if last is None:
            return self._stretch(self._stages[0], Span())
        span, at = span_of(last), self._place_of(last)
        if span.upto is not None:
            return self._stretch(self._stages[at], Span(span.upto))
        if self._stages[at].part == REPORT:
            return None
        following = self._stages[at + 1]
        if following.waits and not self._record.is_all_done():
            raise NotYet
        if following.behind and not self._record.is_disposed(following.behind):
            raise NotYet
        if self._stages[at].part == WEIGH and not self._record.cells():
            following = self._stages[-1]
        return self._stretch(following, Span())

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        """Nothing is written but what the step leaves; a repetition reads anew."""
        part, is_again = stage_of(covers)
        watch.ready()
        if part == REPORT:
            return self._conclude(watch)
        if part == WEIGH:
            is_whole = all(self._record.is_read(name) for name in ("requests", *self._names))
            balances, size = self._record.balances(), self._folded_to
            return {CELLS: uneven_text(balances, size) if is_whole else every_cell(size)}
        known = self._known_to(part, is_again=is_again)
        output = read_step(self._storage, self._options, covers, watch, clock=self._clock, known=known)
        return {**output, INVOCATION: watch.invocation_id}

    def interim(self) -> VerifyReport:
        """The report of what was read so far, by a process that has no time left; nothing of it is on record."""
        return self._report(0, lambda: None)

    def _conclude(self, watch: StepWatch) -> Mapping[str, object]:
        left_ms = self._part.run_time_ms
        if left_ms is not None:
            left_ms = max(0, left_ms - round(1000 * (self._clock.monotonic() - self._started)))
        self.report = self._report(left_ms, partial(_look, watch))
        self._part.concluded(self.report)
        return {"counts": dict(self.report.counts)}

    def _report(self, run_time_ms: int | None, look: Callable[[], None]) -> VerifyReport:
        return shared_report(
            self._storage,
            self._part.options(replace(self._options, run_time_ms=run_time_ms)),
            self._record,
            clock=self._clock,
            look=look,
            progress=self._part.progress,
        )

    def _known_to(self, part: str, *, is_again: bool) -> Known:
        """What is known when a stage begins, which is the same for all its steps."""
        if part != "builds" and not is_again:
            return Known(self._folded_to)
        if (part, is_again) not in self._known:
            cells = cells_of(self._record.cells() or "") if is_again else ()
            gathered = self._record.gathered(None if is_again else "requests")
            self._known[part, is_again] = Known(self._folded_to, gathered, self._record.is_read("requests"), cells)
        return self._known[part, is_again]

    def _stretch(self, stage: Stage, span: Span) -> dict[str, object]:
        row_type = ROWS.get(stage.part)
        if row_type is None or not self._reads:
            # Whoever takes it looks for its end.
            return stage.covers(span)
        rows = rows_a_step(stage.part, self._step_rows)
        try:
            upto = Snapshots(self._storage.audit, self._clock).read(
                lambda snapshot: snapshot.key_behind(row_type, after=span.after, rows=rows)
            )
        except UnreadableRow:
            # No border can be drawn at a row that cannot be read; whoever walks over it tells of it.
            upto = None
        return stage.covers(Span(span.after, upto))

    def _place_of(self, covers: Mapping[str, object]) -> int:
        wanted = stage_of(covers)
        return next(at for at, stage in enumerate(self._stages) if (stage.part, stage.again) == wanted)


def _look(watch: StepWatch) -> None:
    """See whether the work is to go on; a report is finished however much time is left."""
    try:
        watch.ready()
    except Interruption as interruption:
        if interruption.stop.kind != "time budget":
            raise
