"""What the passes of one verify share: where to read, what to look for, and where candidates go."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from stovepipe_cli.audit.boundary import Boundary
from stovepipe_cli.audit.candidate import NOBODY, Candidate, report_order
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.pace import Deadline
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.reading import Needs
from stovepipe_cli.audit.rules import MISSING_RULES, PassName
from stovepipe_cli.audit.rules.builds import outcome_follows_build
from stovepipe_cli.audit.rules.foreign import foreign_row
from stovepipe_cli.audit.rules.rule import Judge
from stovepipe_cli.audit.scope import Scope
from stovepipe_cli.audit.span import WHOLE, Span
from stovepipe_cli.audit.spill import Spill
from stovepipe_cli.audit.survey import ALWAYS_JUDGED, PASS_TABLES, Survey
from stovepipe_cli.audit.tally import Tally
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.clock import Clock
from stovepipe_cli.reports import Coverage
from stovepipe_cli.storage.contract import AuditSnapshot, Storage
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row

# Histories longer than a segment are read in chunks at the second read as well; beyond this many, all are.
MOST_OVERSIZED = 10_000


@dataclass(slots=True)
class Case:
    """One verify under way. `legacy_requests` counts requests below the boundary that have no entry.

    `sole_builds` maps requests that contradict a build to it, as long as no other build of theirs is met.
    `lost_requests` counts those of them that are not below the boundary on record, `lowest_lost` is the first of them.
    `lowest_missing` is the lowest number of a request that lacks something, None where none does. `span` is the part of
    the table that a walk is to read, where several processes share the work. `primary` is where to look
    again at what was found, where `storage` may be behind.
    """

    storage: Storage
    options: VerifyOptions
    clock: Clock
    deadline: Deadline
    survey: Survey
    scope: Scope
    boundary: Boundary
    terms: Terms
    spill: Spill[Candidate]
    progress: Callable[[Progress], None]
    coverage: dict[PassName, Coverage] = field(default_factory=dict)
    oversized: set[str] = field(default_factory=set)
    legacy_requests: int = 0
    lost_requests: int = 0
    lowest_lost: str | None = None
    lowest_missing: int | None = None
    tally: Tally = field(init=False)
    has_project_facts: bool = False
    sole_builds: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    span: Span = WHOLE
    primary: Storage | None = None

    def __post_init__(self) -> None:
        """Begin with nothing seen."""
        self.tally = Tally(self.queue)

    @property
    def queue(self) -> str:
        """The queue's name."""
        return self.storage.queue

    @property
    def snapshots(self) -> Snapshots:
        """Where to read."""
        return Snapshots(self.storage.audit, self.clock, self.span)

    def turn_to_primary(self) -> bool:
        """From now on read the primary, if there is one beside the storage; whether there is."""
        if self.primary is None:
            return False
        self.storage = self.primary
        return True

    def needs(self, *names: PassName) -> Needs:
        """The tables that the rules of these passes read, as far as they are there."""
        tables = self.survey.tables_of(*names) | {"request", "request_log"}
        project_facts = "E212" in self.survey.checked and "requests" in names
        return Needs(frozenset(table for table in tables if self.survey.has(table)), project_facts)

    def judge(self, judges: Sequence[Judge], dossiers: Iterable[Dossier]) -> None:
        """Put every candidate that these functions see aside."""
        terms = self.terms
        for dossier in dossiers:
            for judge in judges:
                found = judge(dossier, terms)
                if found:
                    self.add(found)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Put candidates aside, those that are certain to be none of ours left out."""
        wanted = self.survey.checked | ALWAYS_JUDGED
        for candidate in candidates:
            if candidate.code not in wanted:
                continue
            if candidate.request_id != NOBODY and not self.scope.contains(candidate.request_id):
                continue
            # Legacy requests without any entry are spilled all the same: they are counted in the end, each once.
            if candidate.code in MISSING_RULES or candidate.is_absence:
                if candidate.code != "H101" and self.is_settled_legacy(candidate.request_id):
                    continue
                self._note_missing(candidate.request_id)
            self.spill.add(candidate)

    def add_foreign(self, snapshot: AuditSnapshot, row_type: type[Row], after: Key | None, keys: Sequence[Key]) -> None:
        """Rows of a page, begun after that key, whose queue equals ours by collation only."""
        if keys and not self.scope.is_narrowed:
            at_ms = snapshot.now_ms()
            self.add(foreign_row(TABLE_OF[row_type].name, key, after, at_ms) for key in keys)

    def is_due(self, candidate: Candidate) -> bool:
        """Whether the boundary leaves a candidate standing; counts the requests that it explains."""
        is_missing = candidate.code in MISSING_RULES or candidate.is_absence
        if not is_missing or not self.boundary.is_legacy(candidate.request_id):
            return True
        if candidate.code == "H101":
            self.legacy_requests += 1
            self._note_lost(candidate.request_id)
        return False

    def _note_lost(self, request_id: str) -> None:
        recorded, number = self.options.recorded_boundary, self.boundary.number(request_id)
        if recorded is not None and number is not None and number >= recorded[0]:
            # They come in the order of their numbers.
            self.lowest_lost = self.lowest_lost or request_id
            self.lost_requests += 1

    def _note_missing(self, request_id: str) -> None:
        number = self.boundary.number(request_id)
        if number is not None and (self.lowest_missing is None or number < self.lowest_missing):
            self.lowest_missing = number

    def is_settled_legacy(self, request_id: str) -> bool:
        """Whether a request is certain to be from before history began."""
        return self.boundary.is_known and self.boundary.is_legacy(request_id)

    def checked(self, name: PassName, rows: int) -> None:
        """Count rows that a pass has judged."""
        before = self.coverage.get(name, Coverage(0, 0, absent=False))
        self.coverage[name] = Coverage(before.checked + rows, before.skipped, absent=False)
        self.progress(Progress(name, before.checked + rows))

    def skip(self, name: PassName) -> None:
        """A pass was not finished, or not begun."""
        before = self.coverage.get(name, Coverage(0, 0, absent=False))
        self.coverage[name] = Coverage(before.checked, before.skipped + 1, absent=False)

    def suspect_sole_build(self, dossier: Dossier) -> None:
        """Remember a request that contradicts the one build its entries name, should there be no other."""
        own = [build.id for build in dossier.builds.values() if build.request_id == dossier.request_id]
        if len(own) != 1 or len(self.sole_builds) >= MOST_OVERSIZED or outcome_follows_build(dossier, self.terms):
            return
        (dossier.sole_build,) = own
        if outcome_follows_build(dossier, self.terms):
            self.sole_builds[dossier.request_id] = dossier.sole_build

    def note_oversized(self, request_id: str) -> None:
        """Remember a history that must not be read at once."""
        if len(self.oversized) < MOST_OVERSIZED:
            self.oversized.add(request_id)

    def cover(self) -> None:
        """Account for the passes whose table is absent or may not be read."""
        for name, table in PASS_TABLES.items():
            if table in self.survey.absent:
                self.coverage[name] = Coverage(0, 0, absent=True)
            elif table in self.survey.unreadable:
                self.coverage[name] = Coverage(0, 1, absent=False)


def spill_of(queue: str) -> Spill[Candidate]:
    """A spill of candidates in the order of reports."""
    return Spill(list, Candidate.revived, lambda candidate: report_order(queue, candidate))
