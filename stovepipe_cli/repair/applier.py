"""Applies a plan: evidence looked at again, rows written through the materializer, requests verified again.

The first batch is one entry alone; those after it grow, so that a mistake shows before it is repeated. A dry run
goes the same way and writes to stand-ins.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.drift import Evidences
from stovepipe_cli.repair.entry_writer import EntryWriter, Outcome, StepResult
from stovepipe_cli.repair.journal import Journal, journaled
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.queue_plan import QUEUE_ITSELF, find_queue_summary
from stovepipe_cli.repair.recheck import Recheck, new_findings
from stovepipe_cli.repair.rows_reader import Passes, RowsReader
from stovepipe_cli.repair.simulation import StandIns, rehearsing
from stovepipe_cli.repair.steps import RequestSteps, steps_of
from stovepipe_cli.reports import ApplyReport, Finding, Receipt, RepairPlan
from stovepipe_cli.storage.contract import Storage, StorageReadOnly, StorageUnavailable

SECOND_BATCH = 8
GROWTH = 8

UNWATCHED = Watch()
STOPPED = "stopped when it was asked to: apply the same plan again to go on"

_STOPPING: frozenset[Outcome] = frozenset({"conflict", "failed"})


def apply(
    storage: Storage,
    plan: RepairPlan,
    options: ApplyOptions,
    *,
    clock: Clock,
    run_id: str | None,
    watch: Watch = UNWATCHED,
) -> ApplyReport:
    """Write the ready entries of a plan that was checked with `require_applicable`, and report on each.

    What the plan holds and the database has already counts as identical, so that applying twice writes nothing. It
    stops at the first conflict, failure or new finding, unless told to keep going, and before the next step once
    `watch` says so; what is left can be applied again.
    `StorageUnavailable` and `StorageReadOnly` go to the caller where nothing was written yet.
    """
    options.validate()
    if plan.queue != storage.queue:
        raise refused(f"is for queue '{plan.queue}', not for '{storage.queue}'")
    groups = steps_of(plan, only=options.only, max_entries=options.max_entries)
    run = _Run(storage, plan, options, clock, run_id, watch)
    return run.over(groups)


class _Run:
    def __init__(
        self,
        storage: Storage,
        plan: RepairPlan,
        options: ApplyOptions,
        clock: Clock,
        run_id: str | None,
        watch: Watch,
    ) -> None:
        self._storage = storage
        self._plan = plan
        self._options = options
        self._clock = clock
        self._run_id = run_id
        self._is_stopped = watch.is_stopped
        self._was_stopped = False
        self._journal = Journal(heard=UNWATCHED.heard if options.dry_run else watch.heard)
        self._evidences = Evidences(storage, [entry for entry in plan.entries if entry.status == "ready"])
        self._recheck = Recheck(storage, plan, options.verify, clock)
        self._counts: Counter[Outcome] = Counter()
        self._problems: list[str] = []
        self._stopped_because: str | None = None
        self._before: tuple[Finding, ...] = ()
        self._stand_ins: dict[str, StandIns] = {}

    def over(self, groups: Sequence[RequestSteps]) -> ApplyReport:
        """Apply one batch after the other."""
        self._before = self._recheck.findings([group.request_id for group in groups])
        if self._options.require_all_evidence:
            self._require_evidence(groups)
        for batch in _batches(groups, self._options.batch):
            self._batch(batch)
            if self._stopped_because is None:
                self._verify(batch)
            if self._stopped_because is not None:
                break
        return ApplyReport(
            run_id=self._run_id,
            dry_run=self._options.dry_run,
            applied=self._counts["applied"],
            identical=self._counts["identical"],
            drifted=self._counts["drifted"],
            conflicts=self._counts["conflict"],
            failed=self._counts["failed"],
            remaining_findings=self._remaining(),
            receipt=Receipt(None, tuple(self._journal.written)),
            problems=tuple(self._problems),
            stopped_because=self._stopped_because,
        )

    def _batch(self, batch: Sequence[RequestSteps]) -> None:
        leads = [step.lead for group in batch for step in group.steps]
        drifts = iter(self._evidences.drift(leads))
        if self._options.dry_run:
            self._rehearse(batch)
        for group in batch:
            writer = self._writer(self._stand_ins.get(group.request_id))
            for step in group.steps:
                if self._is_stopped():
                    self._was_stopped = True
                    self._stopped_because = STOPPED
                    return
                try:
                    result = writer.write(step, next(drifts))
                except (StorageUnavailable, StorageReadOnly) as failure:
                    if not self._journal.written:
                        raise
                    failed: Outcome = "failed"
                    sentence = f"request '{group.request_id}': {failure.message}"
                    self._take(StepResult((failed,) * step.size, sentence))
                    self._stopped_because = failure.message
                    return
                self._take(result)
                if result.outcomes[0] in _STOPPING and not self._options.keep_going:
                    self._stopped_because = result.problem
                    return

    def _take(self, result: StepResult) -> None:
        self._counts.update(result.outcomes)
        if result.problem:
            self._problems.append(result.problem)

    def _writer(self, stand_ins: StandIns | None) -> EntryWriter:
        storage = self._storage if stand_ins is None else rehearsing(self._storage, stand_ins)
        options = self._plan.options
        return EntryWriter(
            journaled(storage, self._journal, insert_only=options.get("insert_only") is True),
            self._journal,
            self._evidences,
            tag=None if options.get("no_tag") is True else self._run_id,
            clock=self._clock,
        )

    def _rehearse(self, batch: Sequence[RequestSteps]) -> None:
        """Put stand-ins in the place of what would be written; of a request that is gone there is nothing to put."""
        fresh = [group.request_id for group in batch if group.request_id not in self._stand_ins]
        loaded = RowsReader(self._storage).load([each for each in fresh if each != QUEUE_ITSELF], Passes())
        for request_id in fresh:
            rows = loaded.get(request_id)
            self._stand_ins[request_id] = StandIns(self._storage.queue) if rows is None else StandIns.of(rows)
        if QUEUE_ITSELF in fresh:
            self._stand_ins[QUEUE_ITSELF].of_queue = find_queue_summary(self._storage)

    def _verify(self, batch: Sequence[RequestSteps]) -> None:
        """Stop at damage that was not there before and stands a second look."""
        if self._options.dry_run:
            return
        request_ids = [group.request_id for group in batch]
        new = new_findings(self._before, self._recheck.findings(request_ids, is_patient=True))
        if new and self._options.verify.settle_ms:
            self._clock.sleep(self._options.verify.settle_ms / 1000)
            seen = {finding.id for finding in new}
            again = new_findings(self._before, self._recheck.findings(request_ids, is_patient=True))
            new = tuple(finding for finding in again if finding.id in seen)
        if not new:
            return
        self._problems += [f"new finding {finding.code}: {finding.message}" for finding in new]
        if not self._options.keep_going:
            self._stopped_because = f"new finding {new[0].code} after it was written: {new[0].message}"

    def _remaining(self) -> tuple[Finding, ...]:
        """What is left of every request of the plan, those that it holds nothing ready for included.

        Nothing is looked for where somebody is waiting for the end.
        """
        if self._was_stopped:
            return ()
        try:
            return self._recheck.findings(dict.fromkeys(entry.request_id for entry in self._plan.entries))
        except StorageUnavailable:
            # What was written must still be reported; why nothing can be read is in `stopped_because` or told next.
            if self._stopped_because is None:
                raise
            return ()

    def _require_evidence(self, groups: Sequence[RequestSteps]) -> None:
        leads = [step.lead for group in groups for step in group.steps]
        changed = next(filter(None, self._evidences.drift(leads)), None)
        if changed is not None:
            raise refused(f"rests on rows that differ here: {changed}")


def _batches(groups: Sequence[RequestSteps], largest: int) -> Iterator[Sequence[RequestSteps]]:
    """One step of the first request, then what is left of that request with those that follow."""
    if not groups:
        return
    first = groups[0]
    yield (RequestSteps(first.request_id, first.steps[:1]),)
    left = (RequestSteps(first.request_id, first.steps[1:]),) if len(first.steps) > 1 else ()
    remaining, start, size = (*left, *groups[1:]), 0, min(SECOND_BATCH, largest)
    while start < len(remaining):
        yield remaining[start : start + size]
        start += size
        size = min(size * GROWTH, largest)
