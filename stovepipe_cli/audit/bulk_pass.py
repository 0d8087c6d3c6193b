"""The walk over a whole queue: plain requests are told in bulk, and only the others get a dossier.

What a plain request must have in other tables is not fetched by key. It is put into balances, into which the walks over
those tables then put what is there; only requests and rows of uneven cells are looked at by key.
"""

from collections.abc import Container, Mapping, Sequence
from itertools import compress, repeat
from types import MappingProxyType
from typing import NamedTuple

from stovepipe_cli.audit.alike import NO_FACT, Bare, Marks
from stovepipe_cli.audit.balance import CELLS, Balance, cell_of
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.pace import LARGEST
from stovepipe_cli.audit.plain import PlainRequests
from stovepipe_cli.audit.requests_pass import CHUNK, RequestsPass
from stovepipe_cli.audit.rules import RULES, PassName
from stovepipe_cli.audit.walk import walk_bare
from stovepipe_cli.audit.whole_page import WholePages
from stovepipe_cli.entities.build import TERMINAL_BUILD_STATUSES
from stovepipe_cli.entities.request import BUILD_OUTCOME_STATES
from stovepipe_cli.history.identity import event_log_id
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot, BarePage
from stovepipe_cli.storage.contract.rows import BuildRow, Key, RequestRow, RequestSummaryRow

LINKED: Mapping[PassName, str] = MappingProxyType(
    {"builds": "build", "facts": "validation_fact", "acceptances": "request_acceptance", "uris": "request_uri"}
)

_WITH_FACT = BUILD_OUTCOME_STATES - {"cancelled"}

# A page of more entries that need a closer look, or of more orphans, is judged piece by piece.
MOST_ENTRIES = 3 * CHUNK
PAGE = 1_000

# A pair of a pass that a dossier was seen to have on both sides.
_Pair = tuple[PassName, str, tuple[object, ...]]


class _Sorted(NamedTuple):
    requests: int
    marks: Marks
    pairs: list[_Pair]


class BulkPass:
    """Judges every request, and keeps the balance with the tables of the passes `names`.

    `is_whole` once the walk over the requests has ended.
    """

    def __init__(self, case: Case, cells: int = CELLS) -> None:
        self._case = case
        self._needs_summaries = _reads(case, "request_summary")
        self._plain = PlainRequests(has_summaries=self._needs_summaries)
        self._whole = WholePages()
        self._close = RequestsPass(case, "requests", look=self._note)
        self._is_missing_judged = case.survey.checks("H101")
        self._pairs: list[_Pair] = []
        self._is_by_column = False
        self.names = frozenset(name for name in LINKED if case.survey.runs(name))
        self.balance = Balance(cells)
        self.is_whole = False

    def run(self) -> bool:
        """Walk over the requests; False where time ran out."""
        case = self._case
        self.is_whole = walk_bare(case.snapshots, RequestRow, self._visit, case.deadline, self._done, PAGE)
        if self.is_whole:
            case.boundary.settle()
        return self.is_whole

    def judge_again(self, cells: Container[int]) -> bool:
        """Judge the requests of these cells by key; False where time ran out."""
        closely = RequestsPass(self._case, "requests", is_again=True)

        def visit(snapshot: AuditSnapshot, _after: Key | None, page: BarePage) -> None:
            ids = [row[0] for row in page.rows if cell_of(row[0]) in cells]
            if ids:
                closely.judge_by_key(snapshot, ids)

        return walk_bare(self._case.snapshots, RequestRow, visit, self._case.deadline, lambda _: None)

    def _visit(self, snapshot: AuditSnapshot, after: Key | None, page: BarePage) -> _Sorted:
        # A page that is read again starts anew.
        self._pairs = []
        upto = page.next_after or self._case.span.upto
        summaries = self._summaries(snapshot, after, upto)
        if summaries is None:
            return self._judge_closely(snapshot, after, page)
        if not page.foreign and self._whole.is_worth_it():
            log = snapshot.log_texts(after=after, upto=upto)
            told = self._whole.marks(page.rows, summaries if self._needs_summaries else None, log)
            if told is not None:
                return _Sorted(len(page.rows), told, self._pairs)
        histories = self._histories(snapshot, after, upto)
        if histories is None:
            return self._judge_closely(snapshot, after, page)
        marks, others = self._plain.sort(page.rows, histories, summaries, is_by_column=self._is_by_column)
        entries = {history[0]: history[1] for history in histories}
        if sum(entries.get(row[0], 0) for row in others) > MOST_ENTRIES:
            return self._judge_closely(snapshot, after, page)
        self._case.add_foreign(snapshot, RequestRow, after, page.foreign)
        if others:
            self._close.judge_rows(snapshot, [*map(RequestRow._make, others)])
        if len(entries) > len(marks.ids):
            there = {row[0] for row in page.rows}
            orphans = {each: count for each, count in entries.items() if each not in there}
            self._close.judge_orphans(snapshot, orphans)
        return _Sorted(len(page.rows), marks, self._pairs)

    def _judge_closely(self, snapshot: AuditSnapshot, after: Key | None, page: BarePage) -> _Sorted:
        requests = tuple(map(RequestRow._make, page.rows))
        self._close.visit(snapshot, after, AuditPage(requests, page.foreign, page.next_after))
        return _Sorted(len(requests), Marks(), self._pairs)

    def _done(self, found: _Sorted) -> None:
        case, balance = self._case, self.balance
        marks = found.marks
        if marks.ids:
            ids, uris, builds, degrees = marks.ids, marks.uris, marks.builds, marks.degrees
            lowest = case.tally.observe_ended(ids)
            if lowest is not None:
                case.boundary.observe_first_entry(*lowest)
            # The pairs are those that rows of the other tables make, which the passes over them add.
            kinds: dict[PassName, Sequence[tuple[object, ...]]] = {
                "acceptances": [*zip(marks.accepted_at_ms, ids, strict=True)],
                "uris": [*zip(uris, ids, strict=True)],
                "builds": [*zip(builds, ids, marks.outcomes, strict=True)],
                "facts": [*zip(uris, repeat(""), degrees, ids, strict=False)],
            }
            if not all(builds):
                self._add_some("builds", ids, kinds.pop("builds"), builds)
            if NO_FACT in degrees:
                self._add_some("facts", ids, kinds.pop("facts"), [degree != NO_FACT for degree in degrees])
            weighed = [pairs for name, pairs in kinds.items() if name in self.names]
            if weighed:
                balance.add(ids, *weighed)
        for name, request_id, pair in found.pairs:
            if name in self.names:
                balance.add((request_id,), (pair,))
        case.checked("requests", found.requests)

    def _add_some(
        self, name: PassName, ids: Sequence[str], pairs: Sequence[tuple[object, ...]], there: Sequence[object]
    ) -> None:
        if name in self.names:
            self.balance.add(compress(ids, there), compress(pairs, there))

    def _note(self, dossier: Dossier) -> None:
        """Take the pairs of a request that was judged, but for those that the passes over other tables must judge."""
        request_id, request = dossier.request_id, dossier.request
        if request is None:
            return
        pairs: list[tuple[PassName, tuple[object, ...]]] = [
            *(("acceptances", tuple(mapping)) for mapping in dossier.acceptances),
            *(("uris", (row.uri, row.request_id)) for row in dossier.uris if row.uri == request.uri),
            *(("builds", build[:3]) for build in dossier.builds.values() if _is_told(build, dossier)),
        ]
        if request.state in _WITH_FACT and self._are_facts_told(dossier):
            pairs += [("facts", fact[:4]) for fact in dossier.facts if not fact.project]
        # A row that names another request is for that one to answer.
        self._pairs += [(name, request_id, pair) for name, pair in pairs if request_id in pair]

    def _are_facts_told(self, dossier: Dossier) -> bool:
        # A request without any entry is told as such, and its facts need no word beside that.
        return dossier.has_event("validation_fact_recorded") or (not dossier.entry_count and self._is_missing_judged)

    def _histories(self, snapshot: AuditSnapshot, after: Key | None, upto: Key | None) -> list[Bare] | None:
        """Folded; None where the rows themselves have to be read, or there are too many."""
        found: list[Bare] = []
        while True:
            page = snapshot.histories(after=after, upto=upto, limit=LARGEST)
            found += page.histories
            self._is_by_column = page.is_by_column or self._is_by_column
            if page.is_odd or len(found) > MOST_ENTRIES:
                return None
            if page.next_after is None:
                return found
            after = page.next_after

    def _summaries(self, snapshot: AuditSnapshot, after: Key | None, upto: Key | None) -> list[Bare] | None:
        found: list[Bare] = []
        if not self._needs_summaries:
            return found
        while True:
            page = snapshot.bare_page(RequestSummaryRow, after=after, upto=upto, limit=LARGEST, in_any_order=True)
            found += page.rows
            if len(found) > MOST_ENTRIES:
                return None
            if page.next_after is None:
                return found
            after = page.next_after


def is_bulk_possible(case: Case) -> bool:
    """Whether the whole queue is asked for, and its tables are all there and sorted alike."""
    survey = case.survey
    if case.scope.is_narrowed or not survey.has("request", "request_log") or case.terms.max_builds < 1:
        return False
    orders = {survey.views["request"].key_collations["id"]}
    for table in ("request_log", "request_summary"):
        if table == "request_log" or _reads(case, table):
            orders.add(survey.views[table].key_collations["request_id"])
    return len(orders) == 1 and all(survey.runs(name) for name, table in LINKED.items() if _reads(case, table))


def _is_told(build: BuildRow, dossier: Dossier) -> bool:
    """Whether there is every entry that the build must have."""
    wanted = ["build_triggered", *(["build_finished"] if build.status in TERMINAL_BUILD_STATUSES else [])]
    retained = {row.log_id for row in dossier.rows}
    return all(event_log_id(event, build.id) in retained for event in wanted)


def _reads(case: Case, table: str) -> bool:
    return any(table in RULES[code].tables for code in case.survey.checked)
