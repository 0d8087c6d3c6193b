"""What a backfill of acceptance mappings did, or would do."""

from dataclasses import dataclass, field

from stovepipe_cli.reports.base import BY_SIGNAL, Report, Verdict


@dataclass(frozen=True, slots=True)
class BackfillReport(Report):
    """Counts of requests. A dry run counts in `mapped` and `summaries_updated` what would be written.

    `summaries_updated` are the summaries that learned their acceptance time first, `outside_window` requests that were
    accepted outside the window asked for. `stopped_because` tells why the work ended before its end, and `ended_by`
    the number of the signal where it was one.
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
    outside_window: int = 0
    stopped_because: str | None = None
    ended_by: int | None = field(default=None, metadata={"json": False})

    @property
    def verdict(self) -> Verdict:
        """Unknown acceptance times are no damage; conflicts are findings, what is left undone is incomplete."""
        if self.ended_by is not None:
            return "error"
        if self.conflicts:
            return "findings"
        return "incomplete" if self.quarantined or self.stopped_because else "clean"

    @property
    def exit_code(self) -> int:
        """That of the verdict, or of the signal that ended the work."""
        if self.ended_by is not None:
            return BY_SIGNAL + self.ended_by
        return {"clean": 0, "findings": 3}.get(self.verdict, 4)
