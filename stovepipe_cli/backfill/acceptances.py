"""Maps requests to their acceptance time where older writers left no mapping.

A summary first learns its time from the retained accepted entry; the mapping is made from the summary alone. What has
no summary, no such column, or rows that disagree is counted and left as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stovepipe_cli.backfill.acceptance_page import AcceptancePages, PagePlan, mapped_elsewhere
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.reports import BackfillReport
from stovepipe_cli.storage.contract import Storage, guards, refusals
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE, REQUEST_SUMMARY

# Problems beyond these are counted and not told one by one.
MOST_PROBLEMS = 1000

NOTHING = BackfillReport(
    run_id=None,
    dry_run=True,
    scanned=0,
    mapped=0,
    already_mapped=0,
    unknown_acceptance=0,
    conflicts=0,
    quarantined=0,
)


def _ignore(_: BackfillReport) -> None:
    return


def require_tables(storage: Storage) -> None:
    """`SchemaMismatch` naming a table that is absent."""
    for table in (REQUEST_ACCEPTANCE, REQUEST_SUMMARY):
        if storage.audit.view(table.name) is None:
            raise refusals.table_absent(table.name)


def preview_acceptances(
    storage: Storage,
    options: BackfillOptions,
    *,
    clock: Clock,
    progress: Callable[[BackfillReport], None] = _ignore,
) -> BackfillReport:
    """What a backfill of the queue would do, page by page in key order; nothing is written.

    `progress` hears the counts after each page. `SchemaMismatch` names a table that is absent.
    """
    options.validate()
    require_tables(storage)
    pages = AcceptancePages(storage, clock, options, mapped_elsewhere(storage, clock, options.batch))
    report, after = NOTHING, None
    while True:
        plan, after = pages.read(after, None, options.batch)
        report = _with(report, plan)
        progress(report)
        if after is None:
            return report


def _with(report: BackfillReport, plan: PagePlan) -> BackfillReport:
    known, derivable = Checked(), Checked()
    is_valid = guards.are_plain_mappings(plan.known.queue, plan.known)
    known.take(() if is_valid else plan.known.acceptances())
    derivable.take(plan.derivable)
    problems = (*report.problems, *plan.problems, *known.problems, *derivable.problems)
    return replace(
        report,
        scanned=report.scanned + plan.scanned,
        mapped=report.mapped + (len(plan.known) if is_valid else len(known.valid)) + len(derivable.valid),
        already_mapped=report.already_mapped + plan.already_mapped,
        unknown_acceptance=report.unknown_acceptance + plan.unknown,
        conflicts=report.conflicts + len(plan.problems),
        quarantined=report.quarantined + len(known.refused) + len(derivable.refused),
        summaries_updated=report.summaries_updated + len(derivable.valid),
        outside_window=report.outside_window + plan.outside,
        problems=problems[:MOST_PROBLEMS],
    )


@dataclass(slots=True)
class Checked:
    """Mappings that a store would take, and those that it would not, with the reason."""

    valid: list[RequestAcceptance] = field(default_factory=list)
    refused: list[tuple[RequestAcceptance, str]] = field(default_factory=list)

    def take(self, acceptances: Sequence[RequestAcceptance]) -> None:
        """Look at each of them."""
        for acceptance in acceptances:
            try:
                acceptance.validate()
            except StovepipeError as invalid:
                self.refused.append((acceptance, invalid.message))
            else:
                self.valid.append(acceptance)

    @property
    def problems(self) -> list[str]:
        """One sentence for each that was refused."""
        return [f"request '{each.request_id}': {reason}" for each, reason in self.refused]
