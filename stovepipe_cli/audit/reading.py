"""Dossiers from the database: the rows around requests, by key, inside one snapshot."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stovepipe_cli.audit.dossier import SEGMENT, Dossier, ProjectFacts, build_named_by
from stovepipe_cli.history.context import parse_count
from stovepipe_cli.history.metadata_keys import PROJECT_FACT_COUNT
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.mapping import parse_metadata
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    Key,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    ValidationFactRow,
)

# (table, key) of rows to look at beside those that a request's own rows lead to.
Evidence = Collection[tuple[str, Key]]

# Project facts held at once while they are counted.
_FACTS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Needs:
    """Which tables the rules to be judged read; the others are left alone."""

    tables: frozenset[str]
    project_facts: bool

    def __contains__(self, table: str) -> bool:
        return table in self.tables


def load(
    snapshot: AuditSnapshot,
    evidence: Mapping[str, Evidence],
    needs: Needs,
    oversized: Collection[str] = (),
    judge_segment: Callable[[Dossier], None] = lambda _: None,
) -> dict[str, Dossier]:
    """The dossier of every request id in `evidence`, with the further rows named for it.

    The histories of `oversized` requests are read in segments, each shown to `judge_segment` before it is let go.
    """
    at_ms = snapshot.now_ms()
    dossiers = {request_id: Dossier(request_id, at_ms) for request_id in evidence}
    ids: Sequence[Key] = [(request_id,) for request_id in dossiers]
    if "request" in needs:
        for request in snapshot.multi_get(RequestRow, ids):
            dossiers[request.id].request = request
    if "request_log" in needs:
        usual = [key for key in ids if key[0] not in oversized]
        for row in snapshot.multi_get(RequestLogRow, usual):
            dossiers[row.request_id].rows.append(row)
        for request_id, dossier in dossiers.items():
            if request_id in oversized:
                _read_long_history(snapshot, dossier, evidence[request_id], judge_segment)
    for dossier in dossiers.values():
        dossier.fold()
    keys: dict[str, dict[Key, str]] = defaultdict(dict)
    for request_id, further in evidence.items():
        for table, key in further:
            keys[table][key] = request_id
    add_projections(snapshot, dossiers, needs, keys)
    add_builds(snapshot, dossiers, needs, keys["build"])
    add_facts(snapshot, dossiers, needs, keys["validation_fact"])
    return dossiers


def _read_long_history(
    snapshot: AuditSnapshot, dossier: Dossier, evidence: Evidence, judge_segment: Callable[[Dossier], None]
) -> None:
    wanted = {key[1] for table, key in evidence if table == "request_log" and len(key) > 1}
    kept: list[RequestLogRow] = []
    after: Key | None = (dossier.request_id, "")
    while after is not None:
        page = snapshot.page(RequestLogRow, after=after, upto=(dossier.request_id,), limit=SEGMENT)
        own = [row for row in page.rows if row.request_id == dossier.request_id]
        dossier.rows += own
        dossier.fold()
        kept += [row for row in own if row.log_id in wanted]
        judge_segment(dossier)
        dossier.let_go()
        after = page.next_after
    present = {row.log_id for row in dossier.rows}
    dossier.take_back([row for row in kept if row.log_id not in present])


def add_projections(
    snapshot: AuditSnapshot,
    dossiers: Mapping[str, Dossier],
    needs: Needs,
    evidence: Mapping[str, Mapping[Key, str]] | None = None,
) -> None:
    """Summaries, acceptance mappings and uri rows."""
    further = evidence or {}
    if "request_summary" in needs:
        for summary in snapshot.multi_get(RequestSummaryRow, [(request_id,) for request_id in dossiers]):
            dossiers[summary.request_id].summary = summary
    if "request_acceptance" in needs:
        keys: dict[Key, None] = dict.fromkeys(further.get("request_acceptance", {}))
        for dossier in dossiers.values():
            if dossier.summary is not None and dossier.summary.accepted_at_ms:
                keys[(dossier.summary.accepted_at_ms, dossier.request_id)] = None
        for mapping in snapshot.multi_get(RequestAcceptanceRow, list(keys)):
            if mapping.request_id in dossiers:
                dossiers[mapping.request_id].acceptances.append(mapping)
    if "request_uri" in needs:
        _add_uris(snapshot, dossiers, further.get("request_uri", {}))


def _add_uris(snapshot: AuditSnapshot, dossiers: Mapping[str, Dossier], evidence: Mapping[Key, str]) -> None:
    asking: dict[Key, list[Dossier]] = defaultdict(list)
    for dossier in dossiers.values():
        if dossier.request is not None and dossier.request.uri:
            asking[(dossier.request.uri,)].append(dossier)
    for key, request_id in evidence.items():
        if dossiers[request_id] not in asking[key]:
            asking[key].append(dossiers[request_id])
    for row in snapshot.multi_get(RequestURIRow, list(asking)):
        for dossier in asking[(row.uri,)]:
            dossier.uris.append(row)


def add_builds(
    snapshot: AuditSnapshot,
    dossiers: Mapping[str, Dossier],
    needs: Needs,
    evidence: Mapping[Key, str] | None = None,
) -> None:
    """The builds that a request or its entries name, and those asked for."""
    if "build" not in needs:
        return
    asking: dict[str, dict[str, None]] = defaultdict(dict)
    for dossier in dossiers.values():
        if dossier.request is not None and dossier.request.terminal_build_id:
            asking[dossier.request.terminal_build_id][dossier.request_id] = None
        for row in dossier.rows:
            if build_id := build_named_by(row):
                asking[build_id][dossier.request_id] = None
    for key, request_id in (evidence or {}).items():
        asking[str(key[0])][request_id] = None
    for build in snapshot.multi_get(BuildRow, [(build_id,) for build_id in asking]):
        for request_id in asking[build.id]:
            dossiers[request_id].builds[build.id] = build


def add_facts(
    snapshot: AuditSnapshot,
    dossiers: Mapping[str, Dossier],
    needs: Needs,
    evidence: Mapping[Key, str] | None = None,
) -> None:
    """Repository facts at the requests' commits and those asked for, and how many project facts there are."""
    if "validation_fact" not in needs:
        return
    asking: dict[Key, dict[str, None]] = defaultdict(dict)
    for dossier in dossiers.values():
        if dossier.request is not None and dossier.request.uri:
            asking[(dossier.request.uri, "")][dossier.request_id] = None
    for key, request_id in (evidence or {}).items():
        asking[key][request_id] = None
    for fact in snapshot.multi_get(ValidationFactRow, list(asking)):
        for request_id in asking[(fact.uri, fact.project)]:
            dossiers[request_id].facts.append(fact)
    if needs.project_facts:
        _count_project_facts(snapshot, dossiers.values())


def _count_project_facts(snapshot: AuditSnapshot, dossiers: Iterable[Dossier]) -> None:
    for batch in _by_size(dossiers):
        totals: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        uris = {dossier.request.uri: None for dossier in batch if dossier.request is not None}
        for fact in snapshot.multi_get(ValidationFactRow, [(uri,) for uri in uris]):
            if fact.project:
                counts = totals[fact.uri, fact.request_id]
                counts[0] += 1
                counts[1] += fact.degree > 0
        for dossier in batch:
            if dossier.request is not None:
                total, broken = totals.get((dossier.request.uri, dossier.request_id), (0, 0))
                dossier.project_facts = ProjectFacts(total, broken)


def _by_size(dossiers: Iterable[Dossier]) -> Iterator[list[Dossier]]:
    batch: list[Dossier] = []
    size = 0
    for dossier in dossiers:
        if dossier.request is None or not dossier.request.uri:
            continue
        recorded = dossier.events_of("project_facts_recorded")
        if not recorded:
            continue
        batch.append(dossier)
        size += max(parse_count((parse_metadata(row.metadata) or {}).get(PROJECT_FACT_COUNT)) or 1 for row in recorded)
        if size >= _FACTS_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
