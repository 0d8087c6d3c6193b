"""What a backfill of acceptance mappings did, or would do."""

from dataclasses import dataclass

from stovepipe_cli.reports.base import Report, Verdict


@dataclass(frozen=True, slots=True)
class BackfillReport(Report):
    """Counts of requests. A dry run counts in `mapped` and `summaries_updated` what would be written.

    `summaries_updated` are the summaries that learned their acceptance time first.
    """

    run_id: str | None
    dry_run: bool
    scanned: int
    mapped: int
    already_mapped: int
    unknown_acceptance: int
    conflicts: int
    quarantined: int
    problems: tuple[str, ...] = ()
    summaries_updated: int = 0

    @property
    def verdict(self) -> Verdict:
        """Unknown acceptance times are no damage; conflicts are findings; quarantined work is incomplete."""
        if self.conflicts:
            return "findings"
        return "incomplete" if self.quarantined else "clean"
