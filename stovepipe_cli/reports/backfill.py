"""What a backfill of acceptance mappings did, or would do."""

from dataclasses import dataclass

from stovepipe_cli.reports.base import Report, Verdict


@dataclass(frozen=True, slots=True)
class BackfillReport(Report):
    """Counts of requests. In a dry run `mapped` counts what would be mapped and nothing was written."""

    run_id: str | None
    dry_run: bool
    scanned: int
    mapped: int
    already_mapped: int
    unknown_acceptance: int
    conflicts: int
    quarantined: int
    problems: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Unknown acceptance times are no damage; conflicts are findings; quarantined work is incomplete."""
        if self.conflicts:
            return "findings"
        return "incomplete" if self.quarantined else "clean"
