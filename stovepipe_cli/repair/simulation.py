"""One request's projections rehearsed: the same writers as in earnest, on rows that stand in for the stored ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stovepipe_cli.entities import QueueSummary, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.repair.request_rows import RequestRows
from stovepipe_cli.storage.contract import (
    NotFound,
    QueueSummaryStore,
    RequestAcceptanceStore,
    RequestLogStore,
    RequestSummaryStore,
    RequestURIStore,
    Storage,
    guards,
    refusals,
)
from stovepipe_cli.storage.contract.tables import (
    QUEUE_SUMMARY,
    REQUEST_ACCEPTANCE,
    REQUEST_LOG,
    REQUEST_SUMMARY,
    REQUEST_URI,
)


@dataclass(slots=True)
class StandIns:
    """The rows of one request, or the queue's own, that a rehearsal may add to or change."""

    queue: str
    log: dict[str, RequestLog] = field(default_factory=dict)
    summaries: dict[str, RequestSummary] = field(default_factory=dict)
    acceptances: dict[tuple[int, str], RequestAcceptance] = field(default_factory=dict)
    uris: dict[str, RequestURI] = field(default_factory=dict)
    of_queue: QueueSummary | None = None

    @classmethod
    def of(cls, rows: RequestRows) -> "StandIns":
        """What is stored of the request."""
        return cls(
            rows.request.queue,
            {entry.id: entry for entry in rows.log},
            {rows.request.id: rows.summary} if rows.summary is not None else {},
            {(each.accepted_at_ms, each.request_id): each for each in rows.acceptances},
            {rows.uri_mapping.uri: rows.uri_mapping} if rows.uri_mapping is not None else {},
        )

    def copy(self) -> "StandIns":
        """The rows as they are now."""
        rows = (dict(self.log), dict(self.summaries), dict(self.acceptances), dict(self.uris))
        return StandIns(self.queue, *rows, self.of_queue)

    def restore(self, earlier: "StandIns") -> None:
        """Go back to an earlier copy."""
        self.log = dict(earlier.log)
        self.summaries = dict(earlier.summaries)
        self.acceptances = dict(earlier.acceptances)
        self.uris = dict(earlier.uris)
        self.of_queue = earlier.of_queue


def rehearsing(storage: Storage, rows: StandIns) -> Storage:
    """The storage with stand-ins for what repair writes; everything else is read where it is stored."""
    return replace(
        storage,
        request_log=_LogStandIn(rows),
        summaries=_SummaryStandIn(rows, storage.summaries),
        acceptances=_AcceptanceStandIn(rows, storage.acceptances),
        request_uris=_URIStandIn(rows, storage.request_uris),
        queue_summaries=_QueueSummaryStandIn(rows),
    )


class _LogStandIn(RequestLogStore):
    def __init__(self, rows: StandIns) -> None:
        self._rows = rows

    def create(self, entry: RequestLog) -> None:
        guards.require_creatable(self._rows.queue, entry)
        if entry.id in self._rows.log:
            raise refusals.already_exists(REQUEST_LOG, self._rows.queue, (entry.request_id, entry.id))
        self._rows.log[entry.id] = entry

    def get(self, request_id: str, log_id: str) -> RequestLog:
        if log_id not in self._rows.log:
            raise refusals.not_found(REQUEST_LOG, self._rows.queue, (request_id, log_id))
        return self._rows.log[log_id]

    def list(self, request_id: str) -> tuple[RequestLog, ...]:
        entries = [entry for entry in self._rows.log.values() if entry.request_id == request_id]
        return tuple(sorted(entries, key=lambda entry: entry.order))

    def list_after(self, request_id: str, after: tuple[int, str] | None, limit: int) -> tuple[RequestLog, ...]:
        entries = self.list(request_id)
        start = 0 if after is None else sum(1 for entry in entries if (entry.timestamp_ms, entry.id) <= after)
        return entries[start : start + limit]


class _SummaryStandIn(RequestSummaryStore):
    def __init__(self, rows: StandIns, stored: RequestSummaryStore) -> None:
        self._rows = rows
        self._stored = stored

    def create(self, summary: RequestSummary) -> None:
        guards.require_creatable(self._rows.queue, summary)
        if summary.request_id in self._rows.summaries:
            raise refusals.already_exists(REQUEST_SUMMARY, self._rows.queue, (summary.request_id,))
        self._rows.summaries[summary.request_id] = summary

    def get(self, request_id: str) -> RequestSummary:
        if request_id not in self._rows.summaries:
            raise refusals.not_found(REQUEST_SUMMARY, self._rows.queue, (request_id,))
        return self._rows.summaries[request_id]

    def update(self, summary: RequestSummary, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._rows.queue, summary, new_version)
        stored = self._rows.summaries.get(summary.request_id)
        if stored is None or stored.version != old_version:
            raise refusals.version_mismatch(REQUEST_SUMMARY, self._rows.queue, (summary.request_id,), old_version)
        self._rows.summaries[summary.request_id] = replace(summary, version=new_version)

    def retains(self, field: str) -> bool:
        return self._stored.retains(field)


class _AcceptanceStandIn(RequestAcceptanceStore):
    """Mappings have no key that leads to them from a request, so those that were not loaded are looked up."""

    def __init__(self, rows: StandIns, stored: RequestAcceptanceStore) -> None:
        self._rows = rows
        self._stored = stored

    def create(self, acceptance: RequestAcceptance) -> None:
        guards.require_creatable(self._rows.queue, acceptance)
        key = (acceptance.accepted_at_ms, acceptance.request_id)
        if self._has(key):
            raise refusals.already_exists(REQUEST_ACCEPTANCE, self._rows.queue, key)
        self._rows.acceptances[key] = acceptance

    def get(self, accepted_at_ms: int, request_id: str) -> RequestAcceptance:
        found = self._rows.acceptances.get((accepted_at_ms, request_id))
        return self._stored.get(accepted_at_ms, request_id) if found is None else found

    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        missing = [each for each in acceptances if not self._has((each.accepted_at_ms, each.request_id))]
        for acceptance in missing:
            self.create(acceptance)
        return tuple(missing)

    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        stored = self._stored.list_before(accepted_at_or_after_ms, accepted_before_ms, before, limit)
        cursor = None if before is None else (before[0], key_bytes(before[1]))
        added = (
            each
            for each in self._rows.acceptances.values()
            if accepted_at_or_after_ms <= each.accepted_at_ms < accepted_before_ms
            and (cursor is None or each.order < cursor)
        )
        return tuple(sorted({*stored, *added}, key=lambda each: each.order, reverse=True)[:limit])

    def _has(self, key: tuple[int, str]) -> bool:
        try:
            self.get(*key)
        except NotFound:
            return False
        return True


class _URIStandIn(RequestURIStore):
    def __init__(self, rows: StandIns, stored: RequestURIStore) -> None:
        self._rows = rows
        self._stored = stored

    def create(self, mapping: RequestURI) -> None:
        guards.require_creatable(self._rows.queue, mapping)
        try:
            self.get(mapping.uri)
        except NotFound:
            self._rows.uris[mapping.uri] = mapping
        else:
            raise refusals.already_exists(REQUEST_URI, self._rows.queue, (mapping.uri,))

    def get(self, uri: str) -> RequestURI:
        found = self._rows.uris.get(uri)
        return self._stored.get(uri) if found is None else found


class _QueueSummaryStandIn(QueueSummaryStore):
    def __init__(self, rows: StandIns) -> None:
        self._rows = rows

    def create(self, summary: QueueSummary) -> None:
        guards.require_creatable(self._rows.queue, summary)
        if self._rows.of_queue is not None:
            raise refusals.already_exists(QUEUE_SUMMARY, self._rows.queue, ())
        self._rows.of_queue = summary

    def get(self) -> QueueSummary:
        if self._rows.of_queue is None:
            raise refusals.not_found(QUEUE_SUMMARY, self._rows.queue, ())
        return self._rows.of_queue

    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._rows.queue, summary, new_version)
        stored = self._rows.of_queue
        if stored is None or stored.version != old_version:
            raise refusals.version_mismatch(QUEUE_SUMMARY, self._rows.queue, (), old_version)
        self._rows.of_queue = replace(summary, version=new_version)
