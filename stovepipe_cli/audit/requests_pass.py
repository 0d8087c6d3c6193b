"""The main pass: pages of requests, each together with its stretch of the log and all that hangs on it.

The stretch between two keys also yields entries of requests that do not exist, and the last one runs to the end of
the log. Where requests and log are sorted by different collations, entries are fetched by key instead, and orphans
are looked for in a walk over the log.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.dossier import SEGMENT, Dossier
from stovepipe_cli.audit.reading import add_builds, add_facts, add_projections
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.walk import walk
from stovepipe_cli.storage.contract import AuditPage, AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key, RequestLogRow, RequestRow

CHUNK = 5_000
_FETCHED_AT_ONCE = 100


class RequestsPass:
    """Judges every request of the queue, and every entry that has none.

    `look` is shown each dossier once it was judged. `is_again` tells that its requests were all met before.
    """

    def __init__(
        self, case: Case, *passes: PassName, look: Callable[[Dossier], None] = lambda _: None, is_again: bool = False
    ) -> None:
        self._case = case
        self._look = look
        self._is_again = is_again
        self._needs = case.needs(*passes)
        self._judges = case.survey.judges(*passes)
        self._judges_by_entry = case.survey.judges(*passes, is_by_entry=True)
        self._has_log = case.survey.has("request_log")
        self._is_outcome_checked = case.survey.checks("E211")

    def run(self) -> bool:
        """Walk over the requests, and over the log where it needs a walk of its own; False where time ran out."""
        case = self._case
        is_whole = walk(
            case.snapshots,
            RequestRow,
            self.visit,
            case.deadline,
            lambda rows: case.checked("requests", rows),
        )
        if is_whole and self._has_log and not self._is_one_order:
            is_whole = walk(case.snapshots, RequestLogRow, self._visit_log, case.deadline)
        if is_whole:
            case.boundary.settle()
        return is_whole

    def judge_by_key(self, snapshot: AuditSnapshot, ids: Sequence[str]) -> tuple[int, int]:
        """Judge requests, and entries without one, by id; how many of the requests exist, and of their facts."""
        requests = snapshot.multi_get(RequestRow, [(request_id,) for request_id in ids])
        dossiers = self._dossiers(snapshot, requests)
        self._fetch_histories(snapshot, dossiers)
        if self._has_log:
            there = {row.id for row in requests}
            self._judge_orphans(snapshot, [request_id for request_id in ids if request_id not in there])
        return len(requests), sum(len(dossier.facts) for dossier in dossiers.values())

    @property
    def _is_one_order(self) -> bool:
        views = self._case.survey.views
        return views["request"].key_collations["id"] == views["request_log"].key_collations["request_id"]

    def judge_rows(self, snapshot: AuditSnapshot, requests: Sequence[RequestRow]) -> None:
        """Judge requests whose rows were read; the caller bounds the entries that they have."""
        self._fetch_histories(snapshot, self._dossiers(snapshot, requests))

    def judge_orphans(self, snapshot: AuditSnapshot, orphans: Mapping[str, int]) -> None:
        """Judge histories without a request, of which so many entries were read."""
        self._judge_counted(snapshot, orphans)

    def visit(self, snapshot: AuditSnapshot, after: Key | None, page: AuditPage[RequestRow]) -> int:
        """Judge a page, with the entries that belong to it; how many of the requests were asked for."""
        self._case.add_foreign(snapshot, RequestRow, after, page.foreign)
        dossiers = self._dossiers(snapshot, page.rows)
        if not self._has_log:
            self._finish(snapshot, dossiers.values())
        elif self._is_one_order:
            self._read_stretch(snapshot, list(dossiers.values()), after, page.next_after or self._case.span.upto)
        else:
            self._fetch_histories(snapshot, dossiers)
        return sum(self._case.scope.contains(row.id) for row in page.rows)

    def _dossiers(self, snapshot: AuditSnapshot, requests: Sequence[RequestRow]) -> dict[str, Dossier]:
        at_ms = snapshot.now_ms()
        dossiers = {row.id: Dossier(row.id, at_ms, row) for row in requests}
        add_projections(snapshot, dossiers, self._needs)
        return dossiers

    def _read_stretch(
        self, snapshot: AuditSnapshot, waiting: list[Dossier], after: Key | None, upto: Key | None
    ) -> None:
        places = {dossier.request_id: place for place, dossier in enumerate(waiting)}
        orphans: Counter[str] = Counter()
        done = 0
        while True:
            chunk = snapshot.page(RequestLogRow, after=after, upto=upto, limit=CHUNK)
            self._case.add_foreign(snapshot, RequestLogRow, after, chunk.foreign)
            lost: set[str] = set()
            reached = done
            for row in chunk.rows:
                place = places.get(row[0])
                if place is None:
                    orphans[row[0]] += 1
                    lost.add(row[0])
                else:
                    waiting[place].rows.append(row)
                    reached = max(reached, place)
            if chunk.next_after is None:
                break
            # Ids that are equal by collation come mixed, and only among themselves: whatever sorts before the last
            # request of a chunk is complete, and so is an orphan that the chunk no longer shows.
            self._finish(snapshot, waiting[done:reached])
            self._relieve(snapshot, waiting[reached : reached + 1])
            done = reached
            self._judge_counted(snapshot, {each: count for each, count in orphans.items() if each not in lost})
            orphans = Counter({each: count for each, count in orphans.items() if each in lost})
            after = chunk.next_after
        self._finish(snapshot, waiting[done:])
        self._judge_counted(snapshot, orphans)

    def _fetch_histories(self, snapshot: AuditSnapshot, dossiers: dict[str, Dossier]) -> None:
        ids = list(dossiers)
        for start in range(0, len(ids), _FETCHED_AT_ONCE):
            batch = ids[start : start + _FETCHED_AT_ONCE]
            if self._has_log:
                for row in snapshot.multi_get(RequestLogRow, [(request_id,) for request_id in batch]):
                    dossiers[row.request_id].rows.append(row)
            self._finish(snapshot, [dossiers[request_id] for request_id in batch])

    def _visit_log(self, snapshot: AuditSnapshot, after: Key | None, page: AuditPage[RequestLogRow]) -> int:
        self._case.add_foreign(snapshot, RequestLogRow, after, page.foreign)
        counted = Counter(row.request_id for row in page.rows)
        there = {row.id for row in snapshot.multi_get(RequestRow, [(request_id,) for request_id in counted])}
        self._judge_counted(snapshot, {each: count for each, count in counted.items() if each not in there})
        return len(page.rows)

    def _judge_orphans(self, snapshot: AuditSnapshot, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), _FETCHED_AT_ONCE):
            keys = [(request_id,) for request_id in ids[start : start + _FETCHED_AT_ONCE]]
            self._judge_counted(snapshot, Counter(row.request_id for row in snapshot.multi_get(RequestLogRow, keys)))

    def _judge_counted(self, snapshot: AuditSnapshot, orphans: Mapping[str, int]) -> None:
        if orphans:
            at_ms = snapshot.now_ms()
            self._case.judge(self._judges, [Dossier(each, at_ms, entry_count=count) for each, count in orphans.items()])

    def _relieve(self, snapshot: AuditSnapshot, dossiers: Sequence[Dossier]) -> None:
        for dossier in dossiers:
            if len(dossier.rows) > SEGMENT:
                dossier.fold()
                self._case.note_oversized(dossier.request_id)
                add_builds(snapshot, {dossier.request_id: dossier}, self._needs)
                self._case.boundary.observe(dossier.request_id, dossier.rows)
                self._case.judge(self._judges_by_entry, [dossier])
                dossier.let_go()

    def _finish(self, snapshot: AuditSnapshot, dossiers: Iterable[Dossier]) -> None:
        complete = {dossier.request_id: dossier for dossier in dossiers}
        for dossier in complete.values():
            dossier.fold()
            if self._is_again:
                continue
            self._case.boundary.observe(dossier.request_id, dossier.rows)
            if dossier.request is not None:
                self._case.tally.observe(dossier.request)
        add_builds(snapshot, complete, self._needs)
        add_facts(snapshot, complete, self._needs)
        self._case.judge(self._judges, complete.values())
        for dossier in complete.values():
            if self._is_outcome_checked:
                self._case.suspect_sole_build(dossier)
            self._look(dossier)
            dossier.forget()
