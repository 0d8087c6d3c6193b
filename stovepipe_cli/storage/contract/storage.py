"""The queue-scoped aggregate and the factory that resolves it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from stovepipe_cli.storage.contract.audit_reader import AuditReader
from stovepipe_cli.storage.contract.build_issue_store import BuildIssueStore
from stovepipe_cli.storage.contract.build_store import BuildStore
from stovepipe_cli.storage.contract.bulk_writer import BulkWriter
from stovepipe_cli.storage.contract.database_admin import DatabaseAdmin
from stovepipe_cli.storage.contract.issue_log_store import IssueLogStore
from stovepipe_cli.storage.contract.open_issue_store import OpenIssueStore
from stovepipe_cli.storage.contract.project_fact_by_degree_store import ProjectFactByDegreeStore
from stovepipe_cli.storage.contract.queue_directory import QueueDirectory
from stovepipe_cli.storage.contract.queue_log_store import QueueLogStore
from stovepipe_cli.storage.contract.queue_store import QueueStore
from stovepipe_cli.storage.contract.queue_summary_store import QueueSummaryStore
from stovepipe_cli.storage.contract.request_acceptance_store import RequestAcceptanceStore
from stovepipe_cli.storage.contract.request_log_store import RequestLogStore
from stovepipe_cli.storage.contract.request_store import RequestStore
from stovepipe_cli.storage.contract.request_summary_store import RequestSummaryStore
from stovepipe_cli.storage.contract.request_uri_store import RequestURIStore
from stovepipe_cli.storage.contract.validation_fact_store import ValidationFactStore


@dataclass(frozen=True, slots=True)
class Storage:
    """Every store of one queue. Foreign entities are refused, foreign rows are invisible."""

    queue: str
    requests: RequestStore
    request_uris: RequestURIStore
    queues: QueueStore
    builds: BuildStore
    facts: ValidationFactStore
    request_log: RequestLogStore
    summaries: RequestSummaryStore
    acceptances: RequestAcceptanceStore
    open_issues: OpenIssueStore
    build_issues: BuildIssueStore
    issue_log: IssueLogStore
    queue_log: QueueLogStore
    queue_summaries: QueueSummaryStore
    facts_by_degree: ProjectFactByDegreeStore
    audit: AuditReader
    bulk: BulkWriter


class StorageFactory(ABC):
    """An open database. Close it, or use it as a context manager, to give its connections back."""

    @abstractmethod
    def for_queue(self, name: str) -> Storage:
        """The aggregate bound to this queue; `InvalidEntity` for an empty name, `IdentifierTooLong` beyond 255 bytes.

        A queue without rows resolves as well: its reads are empty.
        """

    @property
    @abstractmethod
    def directory(self) -> QueueDirectory:
        """The names of the queues there are."""

    @property
    @abstractmethod
    def admin(self) -> DatabaseAdmin:
        """Creation, inspection and health of the database."""

    @abstractmethod
    def checked_out(self) -> int:
        """How many connections are in use now; 0 between calls, else one leaked."""

    @abstractmethod
    def close(self) -> None:
        """Give every connection back. Repeatable."""

    def __enter__(self) -> Self:
        """The factory itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close()
