"""What is stored about the acceptance of a page of requests, and what follows for each of them."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from stovepipe_cli.audit.walk import Snapshots
from stovepipe_cli.backfill.known_times import known_times
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.clock import Clock
from stovepipe_cli.entities import RequestAcceptance, RequestLog, RequestSummary
from stovepipe_cli.history.acceptance_mapping import AcceptanceTime, acceptance_time
from stovepipe_cli.history.identity import state_log_id
from stovepipe_cli.storage.contract import AuditSnapshot, Storage, mapping
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from stovepipe_cli.storage.contract.rows import (
    Key,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
)

_ACCEPTED = state_log_id(1)
SUMMARIES_AT_ONCE = 10_000


@dataclass(slots=True)
class PagePlan:
    """`known` are mappings to insert, `derivable` requests whose summary must learn its time first.

    `outside` counts requests whose acceptance time lies outside the window; they are counted in nothing else but
    `scanned`.
    """

    known: MappingColumns
    scanned: int = 0
    outside: int = 0
    already_mapped: int = 0
    unknown: int = 0
    derivable: list[RequestAcceptance] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class AcceptancePages:
    """Reads pages; `mapped_elsewhere` are the times at which requests are mapped that their summary does not have.

    For steps of so many requests, mappings that are there may stand among the known ones, which their insert tells; for
    a preview, without steps, none does.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        options: BackfillOptions,
        mapped_elsewhere: Mapping[str, int],
        step_requests: int | None = None,
    ) -> None:
        # Without steps nothing is written, so that no insert tells what was there.
        self._is_preview = step_requests is None
        self._storage = storage
        self._step_requests = step_requests or sys.maxsize
        self._options = options
        self._snapshots = Snapshots(storage.audit, clock)
        # Asked of the database once, where a question a summary would take longer than reading them all.
        self._retains = cache(storage.summaries.retains)
        self._mapped_elsewhere = mapped_elsewhere
        self._has_log = storage.audit.view("request_log") is not None
        views = [storage.audit.view(name) for name in ("request", "request_summary", "request_log")]
        orders = {view.key_collations.get("id", view.key_collations.get("request_id")) for view in views if view}
        # Where the tables are sorted alike, the summaries of a range of requests are a range too.
        self._is_one_order = len(orders) == 1

    def read(self, after: Key | None, upto: Key | None, limit: int) -> tuple[PagePlan, Key | None]:
        """The page after a key and up to another, and where the next one starts; all of it in one snapshot."""
        return self._snapshots.read(partial(self._read, after, upto, limit))

    def bound(self, after: Key | None, rows: int) -> Key | None:
        """The key so many requests behind another; None where fewer are left."""
        return self._snapshots.read(lambda snapshot: snapshot.key_behind(RequestRow, after=after, rows=rows))

    def _read(
        self, after: Key | None, upto: Key | None, limit: int, snapshot: AuditSnapshot
    ) -> tuple[PagePlan, Key | None]:
        if self._is_one_order and self._has_log and self._retains("accepted_at_ms"):
            # A range that was meant to fit is not counted again; what came into it meanwhile is little.
            is_fitting = upto is not None and self._step_requests <= limit
            behind = None if is_fitting else snapshot.key_behind(RequestRow, after=after, upto=upto, rows=limit)
            known = known_times(snapshot, self._storage.queue, after, behind or upto)
            if known is not None:
                plan = PagePlan(known.mappings, scanned=known.requests, unknown=known.without_summary)
                self._leave_out(snapshot, plan)
                self._decide(snapshot, plan, self._by_key(snapshot, known.others))
                return plan, behind
        page = snapshot.page(RequestRow, after=after, upto=upto, limit=limit)
        ids = [row.id for row in page.rows]
        summaries = self._summaries(snapshot, after, ids)
        plan = PagePlan(MappingColumns(self._storage.queue), scanned=len(ids), unknown=len(ids) - len(summaries))
        self._decide(snapshot, plan, summaries)
        return plan, page.next_after

    def _leave_out(self, snapshot: AuditSnapshot, plan: PagePlan) -> None:
        """Take out of the known mappings those outside the window, those that are there, and those to be judged."""
        queue, inside = self._storage.queue, plan.known
        if self._options.since_ms is not None or self._options.until_ms is not None:
            inside = MappingColumns.of(queue, (each for each in inside if self._options.contains(each[0])))
            plan.outside += len(plan.known) - len(inside)
        others: list[str] = []
        if self._mapped_elsewhere:
            others = [request_id for _, request_id in inside if request_id in self._mapped_elsewhere]
            inside = MappingColumns.of(queue, (each for each in inside if each[1] not in self._mapped_elsewhere))
        # Whoever runs first finds none mapped, and whoever runs again finds all; only in between each is looked for.
        if inside and (self._is_preview or snapshot.multi_get(RequestAcceptanceRow, [inside[0], inside[-1]])):
            mapped = {row.request_id for row in snapshot.multi_get(RequestAcceptanceRow, [*inside])}
            plan.already_mapped += len(mapped)
            inside = MappingColumns.of(queue, (each for each in inside if each[1] not in mapped))
        plan.known = inside
        self._decide(snapshot, plan, self._by_key(snapshot, others))

    def _decide(self, snapshot: AuditSnapshot, plan: PagePlan, summaries: Mapping[str, RequestSummary]) -> None:
        mapped = self._mapped(snapshot, list(summaries.values()))
        undecided = [summary for summary in summaries.values() if summary.request_id not in mapped]
        accepted = self._accepted(snapshot, undecided)
        for request_id in mapped:
            is_inside = self._options.contains(summaries[request_id].accepted_at_ms)
            plan.already_mapped += is_inside
            plan.outside += not is_inside
        known: list[RequestAcceptance] = []
        for summary in undecided:
            self._place(plan, known, summary, accepted.get(summary.request_id))
        if known:
            pairs = ((each.accepted_at_ms, each.request_id) for each in known)
            plan.known = MappingColumns.of(self._storage.queue, (*plan.known, *pairs))

    def _by_key(self, snapshot: AuditSnapshot, ids: Sequence[str]) -> dict[str, RequestSummary]:
        rows = snapshot.multi_get(RequestSummaryRow, [(each,) for each in ids])
        return {row.request_id: mapping.summary_from(self._storage.queue, row) for row in rows}

    def _summaries(self, snapshot: AuditSnapshot, after: Key | None, ids: Sequence[str]) -> dict[str, RequestSummary]:
        if not self._is_one_order or not ids:
            return self._by_key(snapshot, ids)
        asked_for = frozenset(ids)
        found: dict[str, RequestSummary] = {}
        place = after
        while True:
            page = snapshot.page(RequestSummaryRow, after=place, upto=(ids[-1],), limit=SUMMARIES_AT_ONCE)
            for row in page.rows:
                if row.request_id in asked_for:
                    found[row.request_id] = mapping.summary_from(self._storage.queue, row)
            if page.next_after is None:
                return found
            place = page.next_after

    def _mapped(self, snapshot: AuditSnapshot, summaries: Sequence[RequestSummary]) -> set[str]:
        keys: list[Key] = [(each.accepted_at_ms, each.request_id) for each in summaries if each.accepted_at_ms]
        return {row.request_id for row in snapshot.multi_get(RequestAcceptanceRow, keys)}

    def _accepted(self, snapshot: AuditSnapshot, summaries: Sequence[RequestSummary]) -> dict[str, RequestLog]:
        """The retained accepted entries, also those under an obsolete id."""
        if not self._has_log or not summaries:
            return {}
        regular: list[Key] = [(each.request_id, _ACCEPTED) for each in summaries]
        rows = list(snapshot.multi_get(RequestLogRow, regular))
        found = {row.request_id for row in rows}
        others: list[Key] = [
            (each.request_id,) for each in summaries if each.request_id not in found and not each.accepted_at_ms
        ]
        rows += snapshot.multi_get(RequestLogRow, others)
        return {
            row.request_id: mapping.log_from(self._storage.queue, row)
            for row in rows
            if row.state == "accepted" and row.request_version == 1
        }

    def _place(
        self,
        plan: PagePlan,
        known: list[RequestAcceptance],
        summary: RequestSummary,
        accepted: RequestLog | None,
    ) -> None:
        found: AcceptanceTime = acceptance_time(summary, accepted, self._retains)
        elsewhere = self._mapped_elsewhere.get(summary.request_id)
        if found.knowledge == "conflict":
            plan.problems.append(f"request '{summary.request_id}': {found.problem}")
        elif found.knowledge not in ("known", "derivable"):
            plan.unknown += 1
        elif not self._options.contains(found.accepted_at_ms):
            plan.outside += 1
        elif elsewhere is not None and elsewhere != found.accepted_at_ms:
            plan.problems.append(
                f"request '{summary.request_id}': accepted at {found.accepted_at_ms} ms, mapped at {elsewhere} ms"
            )
        else:
            acceptance = RequestAcceptance(summary.queue, found.accepted_at_ms, summary.request_id)
            (known if found.knowledge == "known" else plan.derivable).append(acceptance)


def mapped_elsewhere(storage: Storage, clock: Clock, limit: int) -> dict[str, int]:
    """By request, a time at which it is mapped and its summary does not have; as many as there is damage."""
    snapshots = Snapshots(storage.audit, clock)
    found: dict[str, int] = {}
    after: Key | None = None
    while True:
        elsewhere, after = snapshots.read(partial(_mapped_elsewhere, after, limit))
        found |= elsewhere
        if after is None:
            return found


def _mapped_elsewhere(after: Key | None, limit: int, snapshot: AuditSnapshot) -> tuple[dict[str, int], Key | None]:
    page = snapshot.page(RequestAcceptanceRow, after=after, limit=limit)
    ids = Counter(row.request_id for row in page.rows)
    summaries = snapshot.multi_get(RequestSummaryRow, [(each,) for each in ids])
    times = {row.request_id: row.accepted_at_ms for row in summaries}
    found = {row.request_id: row.accepted_at_ms for row in page.rows if times.get(row.request_id) != row.accepted_at_ms}
    return found, page.next_after
