"""Wrong stores of observations, transitions, enablement and degrees, to be told from the right ones by the suite."""

from contextlib import suppress
from dataclasses import replace

from stovepipe_cli.entities import BuildIssue, IssueLog, ProjectFactByDegree, QueueLog, QueueSummary
from stovepipe_cli.storage.contract import NotFound, mapping
from stovepipe_cli.storage.contract.rows import BuildIssueRow
from stovepipe_cli.storage.memory.queue_tables import QueueTables
from stovepipe_cli.storage.row_stores import (
    RowBuildIssueStore,
    RowIssueLogStore,
    RowProjectFactByDegreeStore,
    RowQueueLogStore,
    RowQueueSummaryStore,
)


class ObservesTasksAlone(RowBuildIssueStore):
    def create(self, issue: BuildIssue) -> None:
        super().create(replace(issue, unit_id=""))


class TakesAnyCursor(RowBuildIssueStore):
    def list_after(self, build_id: str, after: tuple[str, str] | None, limit: int) -> tuple[BuildIssue, ...]:
        rows = self._tables.within(BuildIssueRow, (build_id,), after, limit)
        return tuple(mapping.build_issue_from(self._tables.queue, row) for row in rows)


class IncludesTheTransition(RowIssueLogStore):
    def list_after(self, task_id: str, unit_id: str, after: tuple[str, str] | None, limit: int) -> tuple[IssueLog, ...]:
        page = super().list_after(task_id, unit_id, after, limit)
        with suppress(NotFound):
            page = page if after is None else (self.get(task_id, unit_id, *after), *page)
        return page[:limit]


class MovesTheTimestamp(RowIssueLogStore):
    def __init__(self, tables: QueueTables) -> None:
        super().__init__(tables)
        self._memory = tables

    def create(self, entry: IssueLog) -> None:
        with suppress(NotFound):
            retained = self.get(entry.task_id, entry.unit_id, entry.build_id, entry.event)
            self._memory.delete(mapping.issue_log_row(retained))
        super().create(entry)


class OrdersSequencesByText(RowQueueLogStore):
    def list_after(self, sequence: int, limit: int) -> tuple[QueueLog, ...]:
        entries = [entry for entry in super().list_after(0, 1_000) if entry.id > f"enablement/{sequence}"]
        return tuple(sorted(entries, key=lambda entry: entry.id)[:limit])


class CountsProjectionsByRows(RowQueueSummaryStore):
    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        super().update(
            replace(summary, projection_version=new_version), old_version=old_version, new_version=new_version
        )


class RoundsDegrees(RowProjectFactByDegreeStore):
    def create(self, mapping_: ProjectFactByDegree) -> None:
        super().create(replace(mapping_, degree=round(mapping_.degree, 2)))


class ListsBestFirst(RowProjectFactByDegreeStore):
    def list_after(self, uri: str, after: tuple[float, str] | None, limit: int) -> tuple[ProjectFactByDegree, ...]:
        page = super().list_after(uri, after, limit)
        return tuple(sorted(page, key=lambda each: (each.degree, each.project)))
