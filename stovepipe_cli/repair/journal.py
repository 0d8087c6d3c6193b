"""A list of every row written through a storage, kept by the stores themselves, so that no writer can forget one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stovepipe_cli.entities import QueueSummary, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.errors import Refused
from stovepipe_cli.repair.written_rows import (
    Cells,
    acceptance_cells,
    key_cells,
    log_cells,
    queue_summary_cells,
    summary_cells,
    table_written,
    uri_cells,
)
from stovepipe_cli.reports import Written
from stovepipe_cli.reports.repair import Action
from stovepipe_cli.storage.contract import (
    QueueSummaryStore,
    RequestAcceptanceStore,
    RequestLogStore,
    RequestSummaryStore,
    RequestURIStore,
    Storage,
)


class UpdateLeftOut(Refused):
    """An insert that an update would have to follow, where updates are left out."""


def update_left_out(whose: str) -> UpdateLeftOut:
    """The refusal of an update of a summary."""
    return UpdateLeftOut(
        f"--insert-only leaves out the update of the summary of {whose} that would follow",
        hint="plan without --insert-only",
    )


def _ignore(_: Written) -> None:
    return


@dataclass(slots=True)
class Journal:
    """The rows written so far, in order. `heard` is told of each right after it was written."""

    written: list[Written] = field(default_factory=list)
    heard: Callable[[Written], None] = _ignore

    def note(self, action: Action, after: Cells, before: Cells | None = None) -> None:
        """Take down one row."""
        table = table_written(action)
        entry = Written(action, table.name, key_cells(table, after), before, after)
        self.written.append(entry)
        self.heard(entry)

    def since(self, mark: int) -> tuple[Written, ...]:
        """The rows written after the first `mark`."""
        return tuple(self.written[mark:])


def journaled(storage: Storage, journal: Journal, *, insert_only: bool = False) -> Storage:
    """The same storage, whose writes of history, projections and URI mappings are taken down.

    With `insert_only` an update is refused before it reaches the store.
    """
    return replace(
        storage,
        request_log=_JournaledLog(storage.request_log, journal),
        summaries=_JournaledSummaries(storage.summaries, journal, insert_only=insert_only),
        acceptances=_JournaledAcceptances(storage.acceptances, journal),
        request_uris=_JournaledURIs(storage.request_uris, journal),
        queue_summaries=_JournaledQueueSummary(storage.queue_summaries, journal, insert_only=insert_only),
    )


class _JournaledLog(RequestLogStore):
    def __init__(self, inner: RequestLogStore, journal: Journal) -> None:
        self._inner = inner
        self._journal = journal

    def create(self, entry: RequestLog) -> None:
        self._inner.create(entry)
        self._journal.note("create-log", log_cells(entry))

    def get(self, request_id: str, log_id: str) -> RequestLog:
        return self._inner.get(request_id, log_id)

    def list(self, request_id: str) -> tuple[RequestLog, ...]:
        return self._inner.list(request_id)

    def list_after(self, request_id: str, after: tuple[int, str] | None, limit: int) -> tuple[RequestLog, ...]:
        return self._inner.list_after(request_id, after, limit)


class _JournaledSummaries(RequestSummaryStore):
    def __init__(self, inner: RequestSummaryStore, journal: Journal, *, insert_only: bool) -> None:
        self._inner = inner
        self._journal = journal
        self._insert_only = insert_only

    def create(self, summary: RequestSummary) -> None:
        self._inner.create(summary)
        self._journal.note("create-summary", summary_cells(summary))

    def get(self, request_id: str) -> RequestSummary:
        return self._inner.get(request_id)

    def update(self, summary: RequestSummary, *, old_version: int, new_version: int) -> None:
        if self._insert_only:
            raise update_left_out(f"'{summary.request_id}'")
        before = self._inner.get(summary.request_id)
        self._inner.update(summary, old_version=old_version, new_version=new_version)
        # The update held the version it was given, so what was read at that version is what it replaced.
        after = replace(summary, version=new_version)
        self._journal.note("advance-summary", summary_cells(after), summary_cells(before))

    def retains(self, field: str) -> bool:
        return self._inner.retains(field)


class _JournaledAcceptances(RequestAcceptanceStore):
    def __init__(self, inner: RequestAcceptanceStore, journal: Journal) -> None:
        self._inner = inner
        self._journal = journal

    def create(self, acceptance: RequestAcceptance) -> None:
        self._inner.create(acceptance)
        self._journal.note("create-acceptance", acceptance_cells(acceptance))

    def get(self, accepted_at_ms: int, request_id: str) -> RequestAcceptance:
        return self._inner.get(accepted_at_ms, request_id)

    def create_missing(self, acceptances: Sequence[RequestAcceptance]) -> tuple[RequestAcceptance, ...]:
        created = self._inner.create_missing(acceptances)
        for acceptance in created:
            self._journal.note("create-acceptance", acceptance_cells(acceptance))
        return created

    def list_before(
        self, accepted_at_or_after_ms: int, accepted_before_ms: int, before: tuple[int, str] | None, limit: int
    ) -> tuple[RequestAcceptance, ...]:
        return self._inner.list_before(accepted_at_or_after_ms, accepted_before_ms, before, limit)


class _JournaledURIs(RequestURIStore):
    def __init__(self, inner: RequestURIStore, journal: Journal) -> None:
        self._inner = inner
        self._journal = journal

    def create(self, mapping: RequestURI) -> None:
        self._inner.create(mapping)
        self._journal.note("create-uri", uri_cells(mapping))

    def get(self, uri: str) -> RequestURI:
        return self._inner.get(uri)


class _JournaledQueueSummary(QueueSummaryStore):
    def __init__(self, inner: QueueSummaryStore, journal: Journal, *, insert_only: bool) -> None:
        self._inner = inner
        self._journal = journal
        self._insert_only = insert_only

    def create(self, summary: QueueSummary) -> None:
        self._inner.create(summary)
        self._journal.note("advance-queue-summary", queue_summary_cells(summary))

    def get(self) -> QueueSummary:
        return self._inner.get()

    def update(self, summary: QueueSummary, *, old_version: int, new_version: int) -> None:
        if self._insert_only:
            raise update_left_out("the queue")
        before = self._inner.get()
        self._inner.update(summary, old_version=old_version, new_version=new_version)
        after = replace(summary, version=new_version)
        self._journal.note("advance-queue-summary", queue_summary_cells(after), queue_summary_cells(before))
