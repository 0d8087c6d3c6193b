"""An apply as durable work: each step is one batch of the plan, verified before the next is begun.

The plan goes with the run, so that whoever joins it needs no file.
"""

from collections.abc import Callable, Mapping, Sequence

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.run import RunKind
from stovepipe_cli.errors import Refused
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.repair.applier import batches
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.kept_rows import INTENDED, WRITTEN, rows_document
from stovepipe_cli.repair.plan_digest import plan_document
from stovepipe_cli.repair.plan_form import plan_from
from stovepipe_cli.repair.plan_run import PlanRun
from stovepipe_cli.repair.steps import RequestSteps, Step, steps_of
from stovepipe_cli.repair.written_rows import key_cells, table_written
from stovepipe_cli.reports import JsonValue, RepairPlan, Written
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import LeaseLost
from stovepipe_cli.work import BatchBounds, Job, NeedsOperator, StepWatch

KIND: RunKind = "repair-apply"
COUNTS, PROBLEMS = "counts", "problems"
OUTCOMES = ("applied", "identical", "drifted", "conflicts", "failed")

FIRST_SECONDS = 10.0
SLICE_SECONDS = 0.2

_PLAN, _ONLY, _MOST, _BATCH, _KEEP_GOING, _VERIFY = "plan", "only", "max_entries", "batch", "keep_going", "verify"
# The parts of a verify's options that decide what it finds of a request.
_LOOKED_AT_BY = ("settle_ms", "min_age_ms", "clock_skew_ms", "max_builds", "history_since", "expect_tables")


def apply_body(plan: RepairPlan, options: ApplyOptions) -> dict[str, object]:
    """All that the job is made of, JSON values alone."""
    return {
        _PLAN: plan_document(plan),
        _ONLY: list(options.only),
        _MOST: options.max_entries,
        _BATCH: options.batch,
        _KEEP_GOING: options.keep_going,
        _VERIFY: {name: getattr(options.verify, name) for name in _LOOKED_AT_BY},
    }


def apply_options_of(body: Mapping[str, object]) -> ApplyOptions:
    """The options in a body."""
    kept = body[_VERIFY]
    only, most, batch = body[_ONLY], body[_MOST], body[_BATCH]
    if not (isinstance(kept, Mapping) and isinstance(only, list | tuple) and isinstance(batch, int)):
        raise _foreign()
    return ApplyOptions(
        only=tuple(map(str, only)),
        max_entries=most if isinstance(most, int) else None,
        batch=batch,
        keep_going=body[_KEEP_GOING] is True,
        verify=_verify_options(kept),
    )


def _verify_options(kept: Mapping[str, object]) -> VerifyOptions:
    def number(name: str) -> int:
        value = kept[name]
        if not isinstance(value, int):
            raise _foreign()
        return value

    since, tables = kept["history_since"], kept["expect_tables"]
    return VerifyOptions(
        settle_ms=number("settle_ms"),
        min_age_ms=number("min_age_ms"),
        clock_skew_ms=number("clock_skew_ms"),
        max_builds=number("max_builds"),
        history_since=since if isinstance(since, str) else None,
        expect_tables=tuple(map(str, tables)) if isinstance(tables, list | tuple) else (),
    )


def plan_of(body: Mapping[str, object]) -> RepairPlan:
    """The plan in a body."""
    document = body.get(_PLAN)
    if not isinstance(document, dict):
        raise _foreign()
    return plan_from(document)


class ApplyJob(Job):
    """Applies the plan of a run's body. `heard` is told of each row right after this process wrote it."""

    kind = KIND
    # Rows of a plan are written one by one, with the evidence of each read again.
    batch = BatchBounds(first=50, floor=1, ceiling=512)
    stops_at_waiting = True

    def __init__(
        self,
        storage: Storage,
        run_id: str,
        body: Mapping[str, object],
        *,
        clock: Clock,
        heard: Callable[[Written], None] = lambda _: None,
        is_first_done: Callable[[], bool] = lambda: True,
    ) -> None:
        self._storage = storage
        self._run_id = run_id
        self._clock = clock
        self._heard = heard
        self._is_first_done = is_first_done
        self.plan = plan_of(body)
        self.options = apply_options_of(body)
        groups = steps_of(self.plan, only=self.options.only, max_entries=self.options.max_entries)
        self._batches = tuple(batches(groups, self.options.batch))

    def mint(self, last: Mapping[str, object] | None) -> Mapping[str, object] | None:
        """The plan's next batch."""
        number = 0 if last is None else _number(last) + 1
        return {"batch": number} if number < len(self._batches) else None

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        """Write the batch in parts, each on record before and after, and verify the requests; repeatable.

        Where the plan says to stop, the step waits for an operator, with what it did on record.
        """
        number = _number(covers)
        watch.ready()
        if number:
            self._await_first(watch)
        batch = self._batches[number]
        run = PlanRun(
            self._storage, self.plan, self.options, self._clock, self._run_id, Watch(self._heard, is_durable=True)
        )
        run.begin(batch)
        start = 0
        while start < len(batch) and not run.is_stopped:
            watch.ready()
            part = batch[start : start + watch.size]
            watch.record(_document(run, self._intended(part)))
            started = self._clock.monotonic()
            try:
                run.write(part)
            finally:
                watch.record(_document(run))
            watch.took(sum(group.size for group in part), self._clock.monotonic() - started)
            start += len(part)
        if not run.is_stopped:
            watch.ready()
            run.verify(batch)
            watch.record(_document(run))
        if run.stopped_because is not None:
            raise NeedsOperator(run.stopped_because)
        return _told(run)

    def _await_first(self, watch: StepWatch) -> None:
        """The first batch is one entry, which shows what the plan is worth before the rest is written."""
        until = self._clock.monotonic() + FIRST_SECONDS
        while not self._is_first_done():
            if self._clock.monotonic() >= until:
                # Whoever had it may be gone, and this worker is then to take it over.
                raise LeaseLost("the first batch of the plan is not verified yet", hint="wait for it")
            self._clock.sleep(SLICE_SECONDS)
            watch.ready()

    def _intended(self, groups: Sequence[RequestSteps]) -> list[Written]:
        """What is about to be written, entries with the mark that tells them from those of everybody else."""
        tag = None if self.plan.options.get("no_tag") is True else self._run_id
        return [row for group in groups for step in group.steps for row in _rows(step, tag)]


def _document(run: PlanRun, intended: Sequence[Written] = ()) -> dict[str, object]:
    return {WRITTEN: rows_document(run.written), INTENDED: rows_document(intended), **_told(run)}


def _told(run: PlanRun) -> dict[str, object]:
    report = run.report(())
    return {
        COUNTS: {name: getattr(report, name) for name in OUTCOMES},
        PROBLEMS: list(report.problems),
    }


def _rows(step: Step, tag: str | None) -> list[Written]:
    rows = []
    for entry in (step.lead, *step.follows):
        after: Mapping[str, JsonValue] = entry.entry or {}
        table = table_written(entry.action)
        metadata = after.get("metadata")
        if tag is not None and isinstance(metadata, Mapping):
            after = {**after, "metadata": {**metadata, REPAIR_RUN_ID: tag}}
        rows.append(Written(entry.action, table.name, key_cells(table, after), entry.before, after))
    return rows


def _number(covers: Mapping[str, object]) -> int:
    number = covers.get("batch")
    if not isinstance(number, int):
        raise _foreign()
    return number


def _foreign() -> Refused:
    return Refused(
        "the run was started by another version, whose plan this one does not read",
        hint="go on with the version that started it, or cancel the run and plan afresh",
    )
