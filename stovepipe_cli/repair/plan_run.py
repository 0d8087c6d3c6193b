"""Writes batches of a plan, looks at the result of each, and counts what became of every entry."""

from collections import Counter
from collections.abc import Sequence

from stovepipe_cli.clock import Clock
from stovepipe_cli.repair.apply_options import ApplyOptions, Watch
from stovepipe_cli.repair.drift import Evidences, require_unchanged
from stovepipe_cli.repair.entry_writer import EntryWriter, Outcome, StepResult
from stovepipe_cli.repair.journal import Journal, journaled
from stovepipe_cli.repair.queue_plan import QUEUE_ITSELF, find_queue_summary
from stovepipe_cli.repair.recheck import Recheck, new_findings
from stovepipe_cli.repair.rows_reader import Passes, RowsReader
from stovepipe_cli.repair.simulation import StandIns, rehearsing
from stovepipe_cli.repair.steps import RequestSteps
from stovepipe_cli.reports import ApplyReport, Finding, Receipt, RepairPlan, Written
from stovepipe_cli.storage.contract import Storage, StorageReadOnly, StorageUnavailable

UNWATCHED = Watch()
STOPPED = "stopped when it was asked to: apply the same plan again to go on"

_STOPPING: frozenset[Outcome] = frozenset({"conflict", "failed"})


class PlanRun:
    """One process's part of an apply. `begin` is told of all that is written afterwards."""

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
        self._asked_to_stop = watch.is_stopped
        self._is_durable = watch.is_durable
        self._was_stopped = False
        self._journal = Journal(heard=UNWATCHED.heard if options.dry_run else watch.heard)
        self._evidences = Evidences(storage, [entry for entry in plan.entries if entry.status == "ready"])
        self._recheck = Recheck(storage, plan, options.verify, clock)
        self._counts: Counter[Outcome] = Counter()
        self._problems: list[str] = []
        self._stopped_because: str | None = None
        self._before: tuple[Finding, ...] = ()
        self._stand_ins: dict[str, StandIns] = {}

    @property
    def is_stopped(self) -> bool:
        """Whether nothing more is to be written."""
        return self._stopped_because is not None

    @property
    def stopped_because(self) -> str | None:
        """Why nothing more is to be written."""
        return self._stopped_because

    @property
    def written(self) -> Sequence[Written]:
        """Every row that was written so far, in order."""
        return self._journal.written

    def begin(self, groups: Sequence[RequestSteps]) -> None:
        """Look at what is wrong before anything is written; `Refused` where all evidence must stand and does not."""
        self._before = self._recheck.findings([group.request_id for group in groups])
        if self._options.require_all_evidence:
            require_unchanged(self._evidences, [step.lead for group in groups for step in group.steps])

    def report(self, remaining: Sequence[Finding]) -> ApplyReport:
        """What became of everything that was written or left."""
        return ApplyReport(
            run_id=self._run_id,
            dry_run=self._options.dry_run,
            applied=self._counts["applied"],
            identical=self._counts["identical"],
            drifted=self._counts["drifted"],
            conflicts=self._counts["conflict"],
            failed=self._counts["failed"],
            remaining_findings=tuple(remaining),
            receipt=Receipt(None, tuple(self._journal.written)),
            problems=tuple(self._problems),
            stopped_because=self._stopped_because,
        )

    def write(self, batch: Sequence[RequestSteps]) -> None:
        """Write the steps of these requests, up to the first that stops it."""
        leads = [step.lead for group in batch for step in group.steps]
        drifts = iter(self._evidences.drift(leads))
        if self._options.dry_run:
            self._rehearse(batch)
        for group in batch:
            writer = self._writer(self._stand_ins.get(group.request_id))
            for step in group.steps:
                if self._asked_to_stop():
                    self._was_stopped = True
                    self._stopped_because = STOPPED
                    return
                try:
                    result = writer.write(step, next(drifts))
                except (StorageUnavailable, StorageReadOnly) as failure:
                    if self._is_durable or not self._journal.written:
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

    def verify(self, batch: Sequence[RequestSteps]) -> None:
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

    def remaining(self) -> tuple[Finding, ...]:
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
