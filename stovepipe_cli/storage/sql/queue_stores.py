"""The queue's own row, its builds, verdicts and open issues."""

from stovepipe_cli.entities import Build, OpenIssue, Queue, ValidationFact
from stovepipe_cli.storage.contract import (
    AlreadyExists,
    BuildStore,
    OpenIssueStore,
    QueueStore,
    ValidationFactStore,
    guards,
    mapping,
)
from stovepipe_cli.storage.contract.rows import BuildRow, OpenIssueRow, QueueRow, ValidationFactRow
from stovepipe_cli.storage.sql.queue_tables import QueueTables

QUEUE_FIELDS = tuple(field for field in QueueRow._fields if field != "version")


class SQLQueueStore(QueueStore):
    """The coordination row of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def get_or_create(self) -> Queue:
        row = self._tables.find(QueueRow, ())
        if row is not None:
            return mapping.queue_from(self._tables.queue, row)
        try:
            self._tables.create(mapping.queue_row(Queue(name=self._tables.queue, version=1)))
        except AlreadyExists:
            # Another process was faster; its row is the queue's.
            return self.get()
        return self.get()

    def get(self) -> Queue:
        return mapping.queue_from(self._tables.queue, self._tables.get(QueueRow, ()))

    def update(self, queue: Queue, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._tables.queue, queue, new_version)
        row = mapping.queue_row(queue)
        self._tables.update(row, QUEUE_FIELDS, old_version=old_version, new_version=new_version)


class SQLBuildStore(BuildStore):
    """Builds of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, build: Build) -> None:
        guards.require_creatable(self._tables.queue, build)
        self._tables.create(mapping.build_row(build))

    def get(self, build_id: str) -> Build:
        return mapping.build_from(self._tables.queue, self._tables.get(BuildRow, (build_id,)))

    def update(self, build: Build, *, old_version: int, new_version: int) -> None:
        guards.require_updatable(self._tables.queue, build, new_version)
        row = mapping.build_row(build)
        self._tables.update(row, ("status",), old_version=old_version, new_version=new_version)


class SQLValidationFactStore(ValidationFactStore):
    """Facts of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, fact: ValidationFact) -> None:
        guards.require_creatable(self._tables.queue, fact)
        self._tables.create(mapping.fact_row(fact))

    def get(self, uri: str, project: str = "") -> ValidationFact:
        return mapping.fact_from(self._tables.queue, self._tables.get(ValidationFactRow, (uri, project)))

    def list_after(self, uri: str, project: str | None, limit: int) -> tuple[ValidationFact, ...]:
        guards.require_limit(limit)
        after = None if project is None else (project,)
        rows = self._tables.listing(ValidationFactRow, (uri,), ("project",), after, limit)
        return tuple(mapping.fact_from(self._tables.queue, row) for row in rows)


class SQLOpenIssueStore(OpenIssueStore):
    """Open issues of one queue."""

    def __init__(self, tables: QueueTables) -> None:
        self._tables = tables

    def create(self, issue: OpenIssue) -> None:
        guards.require_creatable(self._tables.queue, issue)
        self._tables.create(mapping.open_issue_row(issue))

    def get(self, task_id: str, unit_id: str) -> OpenIssue:
        return mapping.open_issue_from(self._tables.queue, self._tables.get(OpenIssueRow, (task_id, unit_id)))

    def delete(self, issue: OpenIssue) -> bool:
        guards.require_own(self._tables.queue, issue)
        return self._tables.delete(mapping.open_issue_row(issue))

    def list_after(self, after: tuple[str, str] | None, limit: int) -> tuple[OpenIssue, ...]:
        guards.require_limit(limit)
        guards.require_issue_cursor(after)
        rows = self._tables.listing(OpenIssueRow, (), ("task_id", "unit_id"), after, limit)
        return tuple(mapping.open_issue_from(self._tables.queue, row) for row in rows)
