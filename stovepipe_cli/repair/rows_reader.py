"""Reads what can prove something of damaged requests, in short snapshots and bounded pages.

Builds and acceptance mappings have no key that leads to them from a request, so that finding those of a few requests
is a pass over the table.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from stovepipe_cli.entities import Build, RequestAcceptance
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.storage.contract import AuditSnapshot, Storage, mapping
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    Key,
    RequestAcceptanceRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

PASS_ROWS = 2000

R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Passes:
    """What passes over whole tables found: builds and mappings by request, and the requests that name a uri."""

    builds: Mapping[str, tuple[Build, ...]] = field(default_factory=dict)
    acceptances: Mapping[str, tuple[RequestAcceptance, ...]] = field(default_factory=dict)
    claimants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def builds_of(storage: Storage, request_ids: Collection[str]) -> dict[str, tuple[Build, ...]]:
    """The builds of these requests by request, in key order."""
    found: dict[str, list[Build]] = defaultdict(list)
    for row in walk(storage, BuildRow):
        if row.request_id in request_ids:
            found[row.request_id].append(mapping.build_from(storage.queue, row))
    return {request_id: tuple(builds) for request_id, builds in found.items()}


def acceptances_of(storage: Storage, request_ids: Collection[str]) -> dict[str, tuple[RequestAcceptance, ...]]:
    """The acceptance mappings of these requests by request, in key order."""
    found: dict[str, list[RequestAcceptance]] = defaultdict(list)
    for row in walk(storage, RequestAcceptanceRow):
        if row.request_id in request_ids:
            found[row.request_id].append(mapping.acceptance_from(storage.queue, row))
    return {request_id: tuple(acceptances) for request_id, acceptances in found.items()}


def claimants_of(storage: Storage, uris: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The requests that have these uris, by uri."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in walk(storage, RequestRow):
        if row.uri in uris:
            found[row.uri].append(row.id)
    return {uri: tuple(request_ids) for uri, request_ids in found.items()}


def walk(storage: Storage, row_type: type[R]) -> Iterator[R]:
    """Every row of the queue in a table, page by page; nothing where the table is absent."""
    if storage.audit.view(TABLE_OF[row_type].name) is None:
        return
    after: Key | None = None
    while True:
        with storage.audit.snapshot() as snapshot:
            page = snapshot.page(row_type, after=after, limit=PASS_ROWS)
        yield from page.rows
        if page.next_after is None:
            return
        after = page.next_after


class RowsReader:
    """Loads requests with all that surrounds them; which tables there are is asked once."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._there: dict[str, bool] = {}

    def load(
        self, request_ids: Sequence[str], passes: Passes, *, with_facts: Collection[str] = ()
    ) -> dict[str, RequestRows]:
        """The rows of each request that exists, in the order asked for.

        All are read in one snapshot, but those that `passes` brings. Project facts are read for the requests in
        `with_facts` alone.
        """
        keys: list[Key] = [(request_id,) for request_id in request_ids]
        queue = self._storage.queue
        with self._storage.audit.snapshot() as snapshot:
            requests = {row.id: row for row in self._get(snapshot, RequestRow, keys)}
            summaries = {row.request_id: row for row in self._get(snapshot, RequestSummaryRow, keys)}
            entries: dict[str, list[RequestLogRow]] = defaultdict(list)
            for entry in self._get(snapshot, RequestLogRow, keys):
                entries[entry.request_id].append(entry)
            uris = {row.uri for row in requests.values() if row.uri}
            mappings = {row.uri: row for row in self._get(snapshot, RequestURIRow, [(uri,) for uri in uris])}
            fact_keys: list[Key] = [(uri, "") for uri in uris]
            fact_keys += [(requests[each].uri,) for each in with_facts if each in requests and requests[each].uri]
            facts: dict[str, set[ValidationFactRow]] = defaultdict(set)
            for fact in self._get(snapshot, ValidationFactRow, fact_keys):
                facts[fact.uri].add(fact)
            known: list[Key] = [
                (row.accepted_at_ms, row.request_id) for row in summaries.values() if row.accepted_at_ms
            ]
            mapped = {row.request_id: row for row in self._get(snapshot, RequestAcceptanceRow, known)}
        found: dict[str, RequestRows] = {}
        for request_id in request_ids:
            if request_id not in requests:
                continue
            row = requests[request_id]
            at_uri = [mapping.fact_from(queue, fact) for fact in sorted(facts.get(row.uri, ()))]
            summary, uri = summaries.get(request_id), mappings.get(row.uri)
            acceptances = passes.acceptances.get(request_id, ())
            if not acceptances and request_id in mapped:
                acceptances = (mapping.acceptance_from(queue, mapped[request_id]),)
            found[request_id] = RequestRows(
                request=mapping.request_from(queue, row),
                log=tuple(mapping.log_from(queue, entry) for entry in sorted(entries.get(request_id, ()))),
                summary=None if summary is None else mapping.summary_from(queue, summary),
                builds=passes.builds.get(request_id, ()),
                acceptances=acceptances,
                facts=tuple(fact for fact in at_uri if fact.request_id == request_id),
                uri_fact=next((fact for fact in at_uri if not fact.project), None),
                uri_mapping=None if uri is None else mapping.request_uri_from(queue, uri),
            )
        return found

    def _get(self, snapshot: AuditSnapshot, row_type: type[R], keys: Sequence[Key]) -> tuple[R, ...]:
        name = TABLE_OF[row_type].name
        if name not in self._there:
            self._there[name] = self._storage.audit.view(name) is not None
        return snapshot.multi_get(row_type, keys) if keys and self._there[name] else ()
