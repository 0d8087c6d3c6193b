"""Plans one request: every decision rehearsed with the writers that apply it, so that the plan names each row.

A `create-log` entry is followed by the rows that projecting it writes: `create-summary` or `advance-summary`, then
`create-acceptance`. Those carry the log id of the entry they follow from, and happen with it. A projection of entries
that are retained already stands alone, without a log id, and comes first: the missing entries then find the summary
where the service would have it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from stovepipe_cli.entities import RequestURI
from stovepipe_cli.history.acceptance_mapping import ensure_acceptance
from stovepipe_cli.history.identity import parse_log_id
from stovepipe_cli.history.summary_projection import COMPLETION_EVENTS
from stovepipe_cli.history.summary_writer import ensure_summary_from_log
from stovepipe_cli.repair.decision import (
    ACCEPTED_AT,
    RETENTION,
    Decision,
    OperatorDecisions,
    log_evidence,
    request_evidence,
    summary_evidence,
)
from stovepipe_cli.repair.journal import UpdateLeftOut
from stovepipe_cli.repair.rehearsal import FORBIDDEN, Rehearsal, planned_cells
from stovepipe_cli.repair.request_decisions import decide
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.repair.written_rows import log_cells, summary_cells
from stovepipe_cli.reports import Evidence, Finding, PlanEntry
from stovepipe_cli.reports.repair import Action, Status
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.tables import REQUEST_ACCEPTANCE

ENTRY_TIME = "request_log.timestamp_ms"
PROJECTION_CODES = ("P301", "P302", "P306")

# While these stand, rows contradict each other, and projecting more of them would spread the contradiction.
CONTRADICTIONS = frozenset(
    {"H105", "H106", "H107", "H108", "H109", "H111", "H114", "H115", "P304", "P305", "A403", "A404"}
)


@dataclass(frozen=True, slots=True)
class Context:
    """What planning a request needs beside its rows.

    `contradictions` are the codes that bar projections, `claimants` the requests that have its uri.
    """

    storage: Storage
    operator: OperatorDecisions
    insert_only: bool = False
    is_legacy: bool = False
    contradictions: Collection[str] = ()
    claimants: Collection[str] = ()


def contradictions_in(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The codes among these findings that bar writing states and projections of their request."""
    return tuple(sorted({each.code for each in findings if each.code in CONTRADICTIONS and not _is_of_event(each)}))


def plan_request(rows: RequestRows, findings: Sequence[Finding], context: Context) -> list[PlanEntry]:
    """The entries for one request, in the order in which applying them works."""
    planning = _Planning(rows, context)
    by_code = {finding.code: finding for finding in findings}
    projections = [code for code in PROJECTION_CODES if code in by_code]
    for code in projections:
        planning.add_projection(code)
    for code, decision in decide(rows, findings, context.operator):
        planning.add_log(code, decision)
    for code in projections:
        planning.add_projection(code, is_last=True)
    if "A401" in by_code:
        planning.add_acceptance("A401", (summary_evidence(rows.request.id, rows.summary, "accepted_at_ms"),))
    if "U501" in by_code:
        planning.add_uri("U501")
    return planning.entries


class _Planning:
    """The entries of one request so far. A draft is an entry whose row is still to be rehearsed."""

    def __init__(self, rows: RequestRows, context: Context) -> None:
        self.entries: list[PlanEntry] = []
        self._rows = rows
        self._context = context
        self._rehearsal = Rehearsal(context.storage, rows, insert_only=context.insert_only)

    def add_log(self, code: str, decision: Decision) -> None:
        """A missing entry and what follows from it."""
        entry = decision.entry
        draft = self._draft("create-log", code, decision.reason, decision.evidence)
        draft = replace(
            draft,
            log_id=decision.log_id,
            entry=None if entry is None else log_cells(entry),
            timestamp_source=decision.time_from,
            status=decision.status,
        )
        if entry is not None and not entry.timestamp_ms and decision.time_from != RETENTION:
            # A time of 0 would become the moment of writing, which this entry does not claim.
            reason = f"{decision.time_from} is 0, which is no time"
            self.entries.append(replace(draft, entry=None, status="not-derivable", reason=reason))
            return
        if entry is not None and decision.status == "ready":
            self._rehearse(draft, lambda: self._rehearsal.materializer.persist(entry))
            return
        bar = self._bar(draft) if decision.status == "needs-operator" else ""
        # No answer of the operator's would lift a bar, so none is asked for.
        self.entries.append(replace(draft, status="not-derivable", reason=bar) if bar else draft)

    def add_projection(self, code: str, *, is_last: bool = False) -> None:
        """The summary made or moved forward from retained entries, and the mapping that it calls for.

        Before the missing entries are planned it is left for later where nothing is retained that it could be made
        from; at the end it says so.
        """
        request_id, summary = self._rows.request.id, self._rows.summary
        action: Action = "create-summary" if summary is None else "advance-summary"
        if is_last and any(each.code == code and each.action == action for each in self.entries):
            return
        used = [entry for entry in self._rows.log if entry.is_state or entry.event in COMPLETION_EVENTS]
        columns = () if summary is None else tuple(summary_cells(summary))
        evidence = (*map(log_evidence, used), summary_evidence(request_id, summary, *columns))
        draft = self._draft(action, code, "the retained entries call for it", evidence, ENTRY_TIME)
        if any(entry.is_state for entry in self._rehearsal.storage.request_log.list(request_id)):
            self._rehearse(draft, lambda: ensure_summary_from_log(self._rehearsal.storage, request_id))
            self.add_acceptance(code, evidence)
        elif is_last:
            self.entries.append(replace(draft, reason="no state entry is retained that a summary could be made from"))

    def add_acceptance(self, code: str, evidence: tuple[Evidence, ...]) -> None:
        """The mapping, from the summary as it will be."""
        if self._context.storage.audit.view(REQUEST_ACCEPTANCE.name) is None or self._rehearsal.summary is None:
            return
        draft = self._draft("create-acceptance", code, "the summary calls for it", evidence, ACCEPTED_AT)
        self._rehearse(draft, lambda: ensure_acceptance(self._rehearsal.storage, self._rows.request.id))

    def add_uri(self, code: str) -> None:
        """The way from the commit to its request."""
        request = self._rows.request
        draft = self._draft("create-uri", code, "the request has this uri", (request_evidence(request, "uri"),))
        others = sorted(set(self._context.claimants) - {request.id})
        if others:
            self.entries.append(replace(draft, reason=f"request '{others[0]}' has the same uri"))
            return
        mapping = RequestURI(request.queue, request.uri, request.id)
        self._rehearse(draft, lambda: self._rehearsal.storage.request_uris.create(mapping))

    def _draft(
        self,
        action: Action,
        code: str,
        reason: str,
        evidence: tuple[Evidence, ...],
        timestamp_source: str | None = None,
    ) -> PlanEntry:
        return PlanEntry(
            action=action,
            code=code,
            request_id=self._rows.request.id,
            log_id=None,
            entry=None,
            before=None,
            evidence=evidence,
            timestamp_source=timestamp_source,
            status="not-derivable",
            reason=reason,
        )

    def _rehearse(self, draft: PlanEntry, work: Callable[[], object]) -> None:
        bar = self._bar(draft)
        if bar:
            self.entries.append(replace(draft, status="not-derivable", reason=bar))
            return
        try:
            written = self._rehearsal.attempt(work)
        except FORBIDDEN as problem:
            status: Status = "needs-operator" if isinstance(problem, UpdateLeftOut) else "not-derivable"
            self.entries.append(replace(draft, status=status, reason=problem.message))
            return
        for row in written:
            before = None if row.before is None else planned_cells(row.before)
            entry = replace(draft, action=row.action, entry=planned_cells(row.after), before=before, status="ready")
            if draft.log_id is not None and row.action != "create-log":
                entry = replace(entry, evidence=(), reason=f"follows from '{draft.log_id}'")
            self.entries.append(entry)

    def _bar(self, draft: PlanEntry) -> str:
        """Why this row may not be written for this request; empty where it may."""
        if self._context.is_legacy:
            return "the request is older than the history of this queue, and such requests are never repaired"
        if self._context.contradictions and _projects(draft):
            codes = ", ".join(self._context.contradictions)
            return f"its rows contradict each other ({codes}), and writing more would spread that"
        return ""


def _projects(draft: PlanEntry) -> bool:
    if draft.log_id is None:
        return draft.action != "create-uri"
    parsed = parse_log_id(draft.log_id)
    return parsed.kind == "state" or parsed.event in COMPLETION_EVENTS


def _is_of_event(finding: Finding) -> bool:
    return str(finding.subject.key.get("log_id", "")).startswith("event/")
