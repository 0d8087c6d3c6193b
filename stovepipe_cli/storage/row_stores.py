"""Stores that are nothing but rows: the same over every backend's tables."""

from collections.abc import Iterator
from heapq import nsmallest
from typing import Protocol, TypeVar

from stovepipe_cli.entities import BuildIssue, IssueLog, ProjectFactByDegree, QueueLog, QueueSummary
from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import (
    BuildIssueStore,
    IssueLogStore,
    ProjectFactByDegreeStore,
    QueueLogStore,
    QueueSummaryStore,
    guards,
    mapping,
)
from stovepipe_cli.storage.contract.rows import (
    BuildIssueRow,
    IssueLogRow,
    Key,
    ProjectFactByDegreeRow,
    QueueLogRow,
    QueueSummaryRow,
    Row,
)

R = TypeVar("R", bound=Row)

SUMMARY_FIELDS = tuple(field for field in QueueSummaryRow._fields if field != "version")

_WALK = 1000


class RowTables(Protocol):
    """What a backend's tables of one queue can do with single rows."""

    @property
    def queue(self) -> str:
        """The bound queue."""

    def create(self, row: Row) -> None:
        """Insert, or `AlreadyExists`."""

    def get(self, row_type: type[R], key: Key) -> R:
        """The row, or `NotFound`."""

    def update(self, row: QueueSummaryRow, fields: tuple[str, ...], *, old_version: int, new_version: int) -> None:
        """Compare-and-set, or `VersionMismatch`."""

    def within(self, row_type: type[R], prefix: Key, after: Key | None, limit: int) -> tuple[R, ...]:
        """Rows whose key begins with `prefix`, in key order and bytewise, behind `after`: all other parts of a key."""


class RowBuildIssueStore(BuildIssueStore):
    """Observations of one queue."""

    def __init__(self, tables: RowTables) -> None:
        self._tables = tables

    def create(self, issue: BuildIssue) -> None:
        guards.require_creatable(self._tables.queue, issue)
        self._tables.create(mapping.build_issue_row(issue))

    def get(self, build_id: str, task_id: str, unit_id: str) -> BuildIssue:
        row = self._tables.get(BuildIssueRow, (build_id, task_id, unit_id))
        return mapping.build_issue_from(self._tables.queue, row)

    def list_after(self, build_id: str, after: tuple[str, str] | None, limit: int) -> tuple[BuildIssue, ...]:
        guards.require_limit(limit)
        guards.require_issue_cursor(after)
        rows = self._tables.within(BuildIssueRow, (build_id,), after, limit)
        return tuple(mapping.build_issue_from(self._tables.queue, row) for row in rows)


class RowIssueLogStore(IssueLogStore):
    """Transitions of one queue's issues."""

    def __init__(self, tables: RowTables) -> None:
        self._tables = tables

    def create(self, entry: IssueLog) -> None:
        guards.require_creatable(self._tables.queue, entry)
        self._tables.create(mapping.issue_log_row(entry))

    def get(self, task_id: str, unit_id: str, build_id: str, event: str) -> IssueLog:
        row = self._tables.get(IssueLogRow, (task_id, unit_id, build_id, event))
        return mapping.issue_log_from(self._tables.queue, row)

    def list_after(self, task_id: str, unit_id: str, after: tuple[str, str] | None, limit: int) -> tuple[IssueLog, ...]:
        guards.require_limit(limit)
        rows = self._tables.within(IssueLogRow, (task_id, unit_id), after, limit)
        return tuple(mapping.issue_log_from(self._tables.queue, row) for row in rows)


class RowQueueLogStore(QueueLogStore):
    """Enablement occurrences of one queue."""

    def __init__(self, tables: RowTables) -> None:
        self._tables = tables

    def create(self, entry: QueueLog) -> None:
        guards.require_creatable(self._tables.queue, entry)
        self._tables.create(mapping.queue_log_row(entry))

    def get(self, log_id: str) -> QueueLog:
        return mapping.queue_log_from(self._tables.queue, self._tables.get(QueueLogRow, (log_id,)))

    def list_after(self, sequence: int, limit: int) -> tuple[QueueLog, ...]:
        guards.require_limit(limit)
        later = (row for row in self._walk() if row.sequence > sequence)
        rows = nsmallest(limit, later, key=lambda row: row.sequence)
        return tuple(mapping.queue_log_from(self._tables.queue, row) for row in rows)

    def _walk(self) -> Iterator[QueueLogRow]:
        after: Key | None = None
        while page := self._tables.within(QueueLogRow, (), after, _WALK):
            yield from page
            after = (page[-1].log_id,)


class RowQueueSummaryStore(QueueSummaryStore):
    """The read model of one queue."""

    def __init__(self, tables: RowTables) -> None:
        self._tables = tables

    def create(self, summary: QueueSummary) -> None:
        guards.require_creatable(self._tables.queue, summary)
        self._tables.create(mapping.queue_summary_row(summary))

    def get(self) -> QueueSummary:
        return mapping.queue_summary_from(self._tables.queue, self._tables.get(QueueSummaryRow, ()))

    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._tables.queue, summary, new_version)
        row = mapping.queue_summary_row(summary)
        self._tables.update(row, SUMMARY_FIELDS, old_version=old_version, new_version=new_version)


class RowProjectFactByDegreeStore(ProjectFactByDegreeStore):
    """Degree mappings of one queue."""

    def __init__(self, tables: RowTables) -> None:
        self._tables = tables

    def create(self, mapping_: ProjectFactByDegree) -> None:
        guards.require_creatable(self._tables.queue, mapping_)
        self._tables.create(mapping.by_degree_row(mapping_))

    def list_after(self, uri: str, after: tuple[float, str] | None, limit: int) -> tuple[ProjectFactByDegree, ...]:
        guards.require_limit(limit)
        if after is not None and not 0 <= after[0] <= 1:
            raise InvalidEntity(f"the page cursor has degree {after[0]}", hint="continue after a key that was listed")
        rows = self._tables.within(ProjectFactByDegreeRow, (uri,), after, limit)
        return tuple(mapping.by_degree_from(self._tables.queue, row) for row in rows)
