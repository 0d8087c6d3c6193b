"""Maps requests to their acceptance time where older writers left no mapping.

A summary first learns its time from the retained accepted entry; the mapping is made from the summary alone. What has
no summary, no such column, or rows that disagree is counted and left as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stovepipe_cli.backfill.acceptance_page import AcceptancePages, PagePlan, mapped_elsewhere
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.history.acceptance_mapping import acceptance_from_log
from stovepipe_cli.reports import BackfillReport
from stovepipe_cli.storage.contract import SchemaMismatch, Storage, StorageReadOnly, StorageUnavailable, refusals
from stovepipe_cli.storage.contract.rows import Key
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE, REQUEST_SUMMARY

# Problems beyond these are counted and not told one by one.
MOST_PROBLEMS = 1000


def _ignore(_: BackfillReport) -> None:
    return


def backfill_acceptances(
    storage: Storage,
    options: BackfillOptions,
    *,
    clock: Clock,
    run_id: str | None,
    progress: Callable[[BackfillReport], None] = _ignore,
) -> BackfillReport:
    """Map every request of the queue, page by page in key order, one transaction a batch; repeatable.

    A dry run reads and counts the same and writes nothing. `progress` hears the counts after each page. An interrupt
    leaves whole batches behind, and a later run goes on from what it finds. `SchemaMismatch` names a table that is
    absent; `StorageUnavailable` and `StorageReadOnly` end it.
    """
    options.validate()
    for table in (REQUEST_ACCEPTANCE, REQUEST_SUMMARY):
        if storage.audit.view(table.name) is None:
            raise refusals.table_absent(table.name)
    backfill = _Backfill(storage, options, clock, run_id)
    pages = AcceptancePages(storage, clock, mapped_elsewhere(storage, clock, options.batch))
    after: Key | None = None
    while True:
        plan, after = pages.read(after, options.batch)
        backfill.take(plan)
        progress(backfill.report())
        if after is None:
            return backfill.report()


@dataclass(slots=True)
class _Backfill:
    storage: Storage
    options: BackfillOptions
    clock: Clock
    run_id: str | None
    scanned: int = 0
    mapped: int = 0
    already_mapped: int = 0
    unknown: int = 0
    conflicts: int = 0
    quarantined: int = 0
    problems: list[str] = field(default_factory=list)
    summaries_updated: int = 0

    def take(self, plan: PagePlan) -> None:
        """Count a page and, unless this is a dry run, write what it calls for."""
        started = self.clock.monotonic()
        self.scanned += plan.scanned
        self.already_mapped += plan.already_mapped
        self.unknown += plan.unknown
        self.conflicts += len(plan.problems)
        for problem in plan.problems:
            self._tell(problem)
        ready = self._valid(plan.known)
        derivable = self._valid(plan.derivable)
        if not self.options.apply:
            self.mapped += len(ready) + len(derivable)
            self.summaries_updated += len(derivable)
            return
        learned = [each for each in derivable if self._learned(each)]
        self.summaries_updated += len(learned)
        self._map([*ready, *learned])
        if self.options.rate is not None:
            due = (len(ready) + len(learned) + len(derivable)) / self.options.rate
            self.clock.sleep(max(0.0, due - (self.clock.monotonic() - started)))

    def report(self) -> BackfillReport:
        """The counts so far."""
        return BackfillReport(
            run_id=self.run_id,
            dry_run=not self.options.apply,
            scanned=self.scanned,
            mapped=self.mapped,
            already_mapped=self.already_mapped,
            unknown_acceptance=self.unknown,
            conflicts=self.conflicts,
            quarantined=self.quarantined,
            problems=tuple(self.problems),
            summaries_updated=self.summaries_updated,
        )

    def _valid(self, acceptances: Sequence[RequestAcceptance]) -> list[RequestAcceptance]:
        """Those that a store would take."""
        valid = []
        for acceptance in acceptances:
            try:
                acceptance.validate()
            except StovepipeError as invalid:
                self._quarantine(acceptance, invalid)
            else:
                valid.append(acceptance)
        return valid

    def _learned(self, acceptance: RequestAcceptance) -> bool:
        """Make the summary know its time; whether it is the one that was planned."""
        try:
            found = acceptance_from_log(self.storage, acceptance.request_id)
        except (StorageUnavailable, StorageReadOnly):
            raise
        except StovepipeError as failure:
            self._quarantine(acceptance, failure)
            return False
        if (found.knowledge, found.accepted_at_ms) == ("known", acceptance.accepted_at_ms):
            return True
        self.conflicts += 1
        self._tell(f"request '{acceptance.request_id}': {found.problem or 'its accepted time changed meanwhile'}")
        return False

    def _map(self, acceptances: Sequence[RequestAcceptance]) -> None:
        """Insert what is missing. A batch that cannot be written is halved until the row that forbids it is alone."""
        if not acceptances:
            return
        try:
            created = self.storage.acceptances.create_missing(acceptances)
        except (StorageUnavailable, StorageReadOnly):
            raise
        except StovepipeError as failure:
            if isinstance(failure, SchemaMismatch) and self.storage.audit.view(REQUEST_ACCEPTANCE.name) is None:
                raise
            if len(acceptances) == 1:
                self._quarantine(acceptances[0], failure)
                return
            middle = len(acceptances) // 2
            self._map(acceptances[:middle])
            self._map(acceptances[middle:])
        else:
            self.mapped += len(created)
            self.already_mapped += len(acceptances) - len(created)

    def _quarantine(self, acceptance: RequestAcceptance, failure: StovepipeError) -> None:
        self.quarantined += 1
        self._tell(f"request '{acceptance.request_id}': {failure.message}")

    def _tell(self, problem: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
