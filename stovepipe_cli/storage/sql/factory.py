"""An open SQL database."""

from stovepipe_cli.storage.contract import DatabaseAdmin, QueueDirectory, Storage, StorageFactory, guards
from stovepipe_cli.storage.row_stores import (
    RowBuildIssueStore,
    RowIssueLogStore,
    RowProjectFactByDegreeStore,
    RowQueueLogStore,
    RowQueueSummaryStore,
)
from stovepipe_cli.storage.sql.audit_reader import SQLAuditReader, SQLBulkWriter
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.database import Database
from stovepipe_cli.storage.sql.database_admin import SQLDatabaseAdmin
from stovepipe_cli.storage.sql.queue_directory import SQLQueueDirectory
from stovepipe_cli.storage.sql.queue_stores import (
    SQLBuildStore,
    SQLOpenIssueStore,
    SQLQueueStore,
    SQLValidationFactStore,
)
from stovepipe_cli.storage.sql.queue_tables import QueueTables
from stovepipe_cli.storage.sql.request_stores import (
    SQLRequestAcceptanceStore,
    SQLRequestLogStore,
    SQLRequestStore,
    SQLRequestSummaryStore,
    SQLRequestURIStore,
)
from stovepipe_cli.storage.sql.retry import RetryPolicy


class SQLFactory(StorageFactory):
    """Stores over one backend. Nothing connects before the first question."""

    def __init__(self, backend: Backend, policy: RetryPolicy | None = None) -> None:
        self._database = Database(backend, policy or RetryPolicy())
        self._directory = SQLQueueDirectory(self._database)
        self._admin = SQLDatabaseAdmin(self._database)

    def for_queue(self, name: str) -> Storage:
        guards.require_queue_name(name)
        tables = QueueTables(self._database, name)
        return Storage(
            queue=name,
            requests=SQLRequestStore(tables),
            request_uris=SQLRequestURIStore(tables),
            queues=SQLQueueStore(tables),
            builds=SQLBuildStore(tables),
            facts=SQLValidationFactStore(tables),
            request_log=SQLRequestLogStore(tables),
            summaries=SQLRequestSummaryStore(tables),
            acceptances=SQLRequestAcceptanceStore(tables),
            open_issues=SQLOpenIssueStore(tables),
            build_issues=RowBuildIssueStore(tables),
            issue_log=RowIssueLogStore(tables),
            queue_log=RowQueueLogStore(tables),
            queue_summaries=RowQueueSummaryStore(tables),
            facts_by_degree=RowProjectFactByDegreeStore(tables),
            audit=SQLAuditReader(tables),
            bulk=SQLBulkWriter(tables),
        )

    @property
    def directory(self) -> QueueDirectory:
        return self._directory

    @property
    def admin(self) -> DatabaseAdmin:
        return self._admin

    def checked_out(self) -> int:
        return self._database.in_use

    def close(self) -> None:
        self._database.close()
