"""Everything that is known of one request, gathered from one snapshot and folded once."""

from dataclasses import dataclass, field

from stovepipe_cli.history.identity import BUILD_KEYED_EVENTS
from stovepipe_cli.history.metadata_keys import BUILD_ID, REPAIR_RUN_ID
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    ValidationFactRow,
)

FIRST_ENTRY = "state/1"

COMPARED_EVENTS = frozenset({"validation_fact_recorded", "project_facts_recorded", "record_abandoned"})
MOST_COMPARED = 100

# Beyond this many entries of one request in memory, events are judged and let go.
SEGMENT = 5000


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """How many project facts of a request there are, and how many of them are broken."""

    total: int
    broken: int


@dataclass(slots=True, eq=False)
class Dossier:
    """The rows of one request, and what `fold` makes of its entries.

    `rows` are the entries that are still to be judged one by one; of a very long history they are the last segment,
    the states and the first events. `builds` are those its entries name and those asked for; `facts` are the
    repository facts at its uri and those asked for; `acceptances` and `uris` likewise. `sole_build` is the id of the
    request's only build, where that is known.
    """

    request_id: str
    at_ms: int
    request: RequestRow | None = None
    summary: RequestSummaryRow | None = None
    rows: list[RequestLogRow] = field(default_factory=list)
    uris: list[RequestURIRow] = field(default_factory=list)
    acceptances: list[RequestAcceptanceRow] = field(default_factory=list)
    builds: dict[str, BuildRow] = field(default_factory=dict)
    facts: list[ValidationFactRow] = field(default_factory=list)
    project_facts: ProjectFacts | None = None
    sole_build: str = ""
    entry_count: int = 0
    build_count: int = 0
    newest_ms: int = 0
    states: list[RequestLogRow] = field(default_factory=list)
    events: list[RequestLogRow] = field(default_factory=list)
    _folded: int = 0

    def fold(self) -> None:
        """Take account of the rows that came since the last time."""
        rows = self.rows
        if self._folded == len(rows):
            return
        for row in rows[self._folded :]:
            if row[2] > self.newest_ms and not is_repaired(row):
                self.newest_ms = row[2]
            if row[3]:
                self.states.append(row)
            else:
                self.events.append(row)
                if row[4] == "build_triggered":
                    self.build_count += 1
        self.entry_count += len(rows) - self._folded
        self._folded = len(rows)

    def let_go(self) -> None:
        """Forget the events that were judged, but for a few that later rows are compared with; call `fold` before."""
        self.events = [row for row in self.events if row.event in COMPARED_EVENTS][:MOST_COMPARED]
        first = self.rows[:1]
        self.rows = self.states + self.events
        self.rows = self.rows or first
        self._folded = len(self.rows)

    def forget(self) -> None:
        """Release the rows; nothing will be judged again."""
        self.rows, self.states, self.events = [], [], []

    def take_back(self, rows: list[RequestLogRow]) -> None:
        """Hold rows again that were counted before they were let go."""
        self.rows += rows
        self._folded = len(self.rows)

    @property
    def newest_version(self) -> int:
        """The highest version of a state entry, 0 where there is none."""
        return max((row.request_version for row in self.states), default=0)

    @property
    def last_retained_ms(self) -> int:
        """The newest time among entries and summary, 0 where none is known.

        What a repair wrote does not count: the service did nothing then, so nothing of it is on its way.
        """
        summary = self.summary
        if summary is None:
            return self.newest_ms
        known_ms = max(self.newest_ms, summary.project_results_completed_at_ms)
        if summary.state_timestamp_ms <= known_ms:
            return known_ms
        source = self.state_at(summary.request_version)
        return known_ms if source is not None and is_repaired(source) else summary.state_timestamp_ms

    def state_at(self, version: int) -> RequestLogRow | None:
        """The state entry of a version, the regular identity first where there are several."""
        found = [row for row in self.states if row.request_version == version]
        return min(found, key=lambda row: row.log_id != f"state/{version}", default=None)

    @property
    def accepted(self) -> RequestLogRow | None:
        """The accepted entry of version 1."""
        for row in self.states:
            if row.request_version == 1 and row.state == "accepted":
                return row
        return None

    def events_of(self, event: str) -> list[RequestLogRow]:
        """The entries of one event."""
        return [row for row in self.events if row.event == event]

    def has_event(self, *events: str) -> bool:
        """Whether an entry of one of these events is retained."""
        return any(row.event in events for row in self.events)

    @property
    def reason(self) -> str:
        """Why the request ended: the terminal entry's word, else the summary's; empty where unknown."""
        request = self.request
        if request is None:
            return ""
        entry = self.state_at(request.version)
        if entry is not None and entry.state == request.state and entry.outcome_reason:
            return entry.outcome_reason
        summary = self.summary
        if summary is not None and summary.request_version == request.version and summary.state == request.state:
            return summary.outcome_reason
        return ""


def is_repaired(row: RequestLogRow) -> bool:
    """Whether a repair inserted the entry."""
    return REPAIR_RUN_ID in row.metadata and REPAIR_RUN_ID in (parse_metadata(row.metadata) or {})


def build_named_by(row: RequestLogRow) -> str:
    """The build that an entry is about: by its identity, on a state by its metadata; empty where it names none."""
    if row.event in BUILD_KEYED_EVENTS:
        prefix = f"event/{row.event}/"
        return row.log_id[len(prefix) :] if row.log_id.startswith(prefix) else ""
    if row.state and BUILD_ID in row.metadata:
        return (parse_metadata(row.metadata) or {}).get(BUILD_ID, "")
    return ""
