"""The ledger as such: what is there, what was made, brought up to date or removed."""

from dataclasses import dataclass, field

from stovepipe_cli.reports.base import Report, Verdict


@dataclass(frozen=True, slots=True)
class LedgerCheckReport(Report):
    """What the ledger is. Versions are 0 where none is there yet; `refusal` says why it must not be read or written.

    `is_private` tells that it is a file of this host alone.
    """

    backend: str
    place: str
    origin: str
    identity: str
    is_private: bool
    schema_version: int
    min_reader: int
    min_writer: int
    tool_schema_version: int
    absent_tables: tuple[str, ...]
    can_read: bool
    can_write: bool
    refusal: str | None

    @property
    def verdict(self) -> Verdict:
        """Findings where this version of the tool cannot use it, or tables are missing from one that is there."""
        is_broken = bool(self.schema_version and self.absent_tables)
        return "clean" if self.can_read and self.can_write and not is_broken else "findings"


@dataclass(frozen=True, slots=True)
class LedgerInitReport(Report):
    """The tables that were made; none where all were there."""

    place: str
    created: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerUpgradeReport(Report):
    """From which version to which, and where the copy of a private file lies, where one was made."""

    place: str
    from_version: int
    to_version: int
    copy: str | None


@dataclass(frozen=True, slots=True)
class PrunedRun:
    """A run whose events were removed, or would be."""

    queue: str
    run_id: str


@dataclass(frozen=True, slots=True)
class LedgerPruneReport(Report):
    """What was removed, or in a dry run would be: of runs that ended before `finished_before_ms`."""

    dry_run: bool
    finished_before_ms: int
    finished_before: str
    runs: int
    events: int
    steps: int
    invocations: int
    files: int
    pruned: tuple[PrunedRun, ...]
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})
