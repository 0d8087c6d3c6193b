"""Stores that are wrong in one way each, made from the memory backend; the suite has to notice every one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from stovepipe_cli.entities import OpenIssue, Queue, Request, RequestAcceptance, RequestLog, ValidationFact
from stovepipe_cli.keys import key_text
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract import (
    AlreadyExists,
    AuditPage,
    AuditSnapshot,
    NotFound,
    Storage,
    VersionMismatch,
    mapping,
)
from stovepipe_cli.storage.contract.rows import Key, RequestRow, Row
from stovepipe_cli.storage.memory.audit import MemoryAuditReader, MemoryAuditSnapshot, MemoryBulkWriter, R
from stovepipe_cli.storage.memory.database import Database
from stovepipe_cli.storage.memory.factory import storage_over
from stovepipe_cli.storage.memory.queue_stores import (
    MemoryOpenIssueStore,
    MemoryQueueStore,
    MemoryValidationFactStore,
)
from stovepipe_cli.storage.memory.queue_tables import QueueTables
from stovepipe_cli.storage.memory.request_stores import (
    MemoryRequestAcceptanceStore,
    MemoryRequestLogStore,
    MemoryRequestStore,
)

Opener = Callable[[str], Storage]


class MatchesByCollation(MemoryRequestStore):
    def get(self, request_id: str) -> Request:
        return super().get(request_id.rstrip(" ").lower())


class SeesEveryQueue(MemoryRequestStore):
    def get(self, request_id: str) -> Request:
        database = self._tables.database
        for name in sorted(database.queues(RequestRow)):
            with suppress(NotFound):
                row = QueueTables(database, key_text(name)).get(RequestRow, (request_id,))
                return mapping.request_from(self._tables.queue, row)
        return super().get(request_id)


class TakesForeignEntities(MemoryRequestStore):
    def create(self, request: Request) -> None:
        super().create(replace(request, queue=self._tables.queue))


class Truncates(MemoryRequestStore):
    def create(self, request: Request) -> None:
        super().create(replace(request, id=request.id[:255]))


class CountsVersionsItself(MemoryRequestStore):
    def update(self, request: Request, *, old_version: int, new_version: int) -> None:
        super().update(request, old_version=old_version, new_version=min(new_version, old_version + 1))


class CountsChangedRows(MemoryRequestStore):
    def update(self, request: Request, *, old_version: int, new_version: int) -> None:
        if self.get(request.id) == replace(request, version=new_version):
            raise VersionMismatch("no row was changed")
        super().update(request, old_version=old_version, new_version=new_version)


class CreatesOnUpdate(MemoryRequestStore):
    def update(self, request: Request, *, old_version: int, new_version: int) -> None:
        try:
            super().update(request, old_version=old_version, new_version=new_version)
        except VersionMismatch:
            self.create(request)


class ValidatesTooLate(MemoryRequestStore):
    def create(self, request: Request) -> None:
        self._tables.create(mapping.request_row(request))
        request.validate()


class Upserts(MemoryValidationFactStore):
    def create(self, fact: ValidationFact) -> None:
        try:
            super().create(fact)
        except AlreadyExists:
            self._tables.delete(mapping.fact_row(self.get(fact.uri, fact.project)))
            super().create(fact)


class IgnoresASecondCreation(MemoryValidationFactStore):
    def create(self, fact: ValidationFact) -> None:
        try:
            super().create(fact)
        except AlreadyExists:
            return


class PagesWithoutOrder(MemoryValidationFactStore):
    def list_after(self, uri: str, project: str | None, limit: int) -> tuple[ValidationFact, ...]:
        page = super().list_after(uri, project, limit)
        return tuple(sorted(page, key=lambda fact: fact.project.lower()))


class OrdersByNumber(MemoryRequestLogStore):
    def list(self, request_id: str) -> tuple[RequestLog, ...]:
        def order(entry: RequestLog) -> tuple[int, tuple[int, int, bytes]]:
            kind, _, number = entry.id.partition("/")
            return (entry.timestamp_ms, request_order(entry.queue, number if kind == "state" else entry.id))

        return tuple(sorted(super().list(request_id), key=order))


class IncludesTheCursor(MemoryRequestAcceptanceStore):
    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        after_it = None if before is None else (before[0], before[1] + "\x00")
        return super().list_before(accepted_at_or_after_ms, accepted_before_ms, after_it, limit)


class ClosesTheWindow(MemoryRequestAcceptanceStore):
    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        return super().list_before(accepted_at_or_after_ms, accepted_before_ms + 1, before, limit)


class CreatesABatchOneByOne(MemoryRequestAcceptanceStore):
    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        created: list[RequestAcceptance] = []
        for acceptance in acceptances:
            created.extend(super().create_missing([acceptance]))
        return tuple(created)


class ReturnsWhatItHolds(MemoryQueueStore):
    """Hands out one object and changes it in place."""

    def __init__(self, tables: QueueTables) -> None:
        super().__init__(tables)
        self._held: Queue | None = None

    def get(self) -> Queue:
        fresh = super().get()
        if self._held is None:
            self._held = fresh
        for field in Queue.__slots__:
            object.__setattr__(self._held, field, getattr(fresh, field))
        return self._held

    def update(self, queue: Queue, *, old_version: int, new_version: int) -> None:
        super().update(queue, old_version=old_version, new_version=new_version)
        self.get()


class DeletesWhoeverOpenedIt(MemoryOpenIssueStore):
    def delete(self, issue: OpenIssue) -> bool:
        try:
            return super().delete(self.get(issue.task_id, issue.unit_id))
        except NotFound:
            return False


class NeedsTheCursorsRow(MemoryOpenIssueStore):
    def list_after(self, after: tuple[str, str] | None, limit: int) -> tuple[OpenIssue, ...]:
        if after is not None and after != ("", ""):
            self.get(*after)
        return super().list_after(after, limit)


class InsertsRowByRow(MemoryBulkWriter):
    def insert(self, rows: Sequence[Row]) -> None:
        for row in rows:
            super().insert([row])


class EndsAtAShortPage(MemoryAuditSnapshot):
    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        page = super().page(row_type, after=after, upto=upto, limit=max(1, limit - 1))
        return AuditPage(page.rows, (), page.next_after if len(page.rows) == limit else None)


class ComparesWholeBounds(MemoryAuditSnapshot):
    """Takes a shorter upper bound for a key of its own, which sorts before every longer one."""

    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        page = super().page(row_type, after=after, upto=upto, limit=limit)
        rows = tuple(row for row in page.rows if upto is None or tuple(row) <= upto)
        return AuditPage(rows, (), page.next_after)


class AscendsByDegree(MemoryAuditSnapshot):
    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        page = super().page(row_type, after=after, upto=upto, limit=limit)
        return AuditPage(tuple(sorted(page.rows)), (), page.next_after)


class LiveSnapshot(MemoryAuditSnapshot):
    def __init__(self, tables: QueueTables) -> None:
        super().__init__(tables)
        self._tables = tables

    def page(self, row_type: type[R], *, after: Key | None = None, upto: Key | None = None, limit: int) -> AuditPage[R]:
        return MemoryAuditSnapshot(self._tables).page(row_type, after=after, upto=upto, limit=limit)


def reads_with(snapshot_type: type[MemoryAuditSnapshot]) -> Callable[[QueueTables], MemoryAuditReader]:
    class Reader(MemoryAuditReader):
        @contextmanager
        def snapshot(self) -> Iterator[AuditSnapshot]:
            yield snapshot_type(self._tables)

    return Reader


def opener(**wrong: Callable[[QueueTables], object]) -> Opener:
    """Storages over one database, right but for the stores that are given."""
    database = Database(frozenset(), {}, lambda: 0)

    def open_queue(queue: str) -> Storage:
        tables = QueueTables(database, queue)
        stores: dict[str, Any] = {name: make(tables) for name, make in wrong.items()}
        return replace(storage_over(tables), **stores)

    return open_queue
