"""A database in memory, for as long as its factory lives."""

import hashlib
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from stovepipe_cli import __version__
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract import (
    DatabaseAdmin,
    Drift,
    QueueDirectory,
    ServerState,
    Storage,
    StorageFactory,
    guards,
)
from stovepipe_cli.storage.contract.rows import QueueRow, RequestRow
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.memory.audit import MemoryAuditReader, MemoryBulkWriter
from stovepipe_cli.storage.memory.database import Database
from stovepipe_cli.storage.memory.queue_stores import (
    MemoryBuildStore,
    MemoryOpenIssueStore,
    MemoryQueueStore,
    MemoryValidationFactStore,
)
from stovepipe_cli.storage.memory.queue_tables import QueueTables
from stovepipe_cli.storage.memory.request_stores import (
    MemoryRequestAcceptanceStore,
    MemoryRequestLogStore,
    MemoryRequestStore,
    MemoryRequestSummaryStore,
    MemoryRequestURIStore,
)
from stovepipe_cli.storage.row_stores import (
    RowBuildIssueStore,
    RowIssueLogStore,
    RowProjectFactByDegreeStore,
    RowQueueLogStore,
    RowQueueSummaryStore,
)


def system_clock_ms() -> int:
    """Now, in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def storage_over(tables: QueueTables) -> Storage:
    """Every store of the queue whose tables these are."""
    return Storage(
        queue=tables.queue,
        requests=MemoryRequestStore(tables),
        request_uris=MemoryRequestURIStore(tables),
        queues=MemoryQueueStore(tables),
        builds=MemoryBuildStore(tables),
        facts=MemoryValidationFactStore(tables),
        request_log=MemoryRequestLogStore(tables),
        summaries=MemoryRequestSummaryStore(tables),
        acceptances=MemoryRequestAcceptanceStore(tables),
        open_issues=MemoryOpenIssueStore(tables),
        build_issues=RowBuildIssueStore(tables),
        issue_log=RowIssueLogStore(tables),
        queue_log=RowQueueLogStore(tables),
        queue_summaries=RowQueueSummaryStore(tables),
        facts_by_degree=RowProjectFactByDegreeStore(tables),
        audit=MemoryAuditReader(tables),
        bulk=MemoryBulkWriter(tables),
    )


class MemoryFactory(StorageFactory):
    """Every table is there from the start, but for those and the columns that are said to be absent."""

    def __init__(
        self,
        *,
        absent_tables: frozenset[str] = frozenset(),
        absent_columns: Mapping[str, frozenset[str]] = MappingProxyType({}),
        clock: Callable[[], int] = system_clock_ms,
        read_only: bool = False,
    ) -> None:
        self._database = Database(absent_tables, absent_columns, clock, is_read_only=read_only)
        self._directory = MemoryQueueDirectory(self._database)
        self._admin = MemoryDatabaseAdmin(self._database)

    def for_queue(self, name: str) -> Storage:
        guards.require_queue_name(name)
        return storage_over(QueueTables(self._database, name))

    @property
    def directory(self) -> QueueDirectory:
        return self._directory

    @property
    def admin(self) -> DatabaseAdmin:
        return self._admin

    def checked_out(self) -> int:
        return 0

    def close(self) -> None:
        return


class MemoryQueueDirectory(QueueDirectory):
    """Names of the queues of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_after(self, name: str | None, limit: int) -> tuple[str, ...]:
        guards.require_limit(limit)
        with self._database.lock:
            names = sorted(self._database.queues(QueueRow) | self._database.queues(RequestRow))
        if name is not None:
            names = [known for known in names if known > key_bytes(name)]
        return tuple(key_text(known) for known in names[:limit])


class MemoryDatabaseAdmin(DatabaseAdmin):
    """Operations on one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._identity = str(uuid.uuid4())

    def create_tables(self) -> tuple[str, ...]:
        with self._database.lock:
            return self._database.create_tables()

    def drift(self) -> tuple[Drift, ...]:
        found: list[Drift] = []
        for table in TABLES.values():
            with self._database.lock:
                columns = self._database.columns(table.name)
            if columns is None:
                found.append(Drift("table-absent", table.name, "", table.name, "", harmless=not table.expected))
                continue
            found.extend(
                Drift("column-absent", table.name, column.name, column.kind, "", harmless=column.later)
                for column in table.columns
                if column.name not in columns
            )
        return tuple(sorted(found, key=lambda drift: (drift.table, drift.column)))

    def ping(self) -> ServerState:
        return ServerState(
            backend="memory",
            host="",
            database="memory",
            server_version=__version__,
            identity=self._identity,
            read_only=self._database.is_read_only,
            driver="memory",
            now_ms=self._database.clock(),
        )

    def status_values(self, names: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002  # there is no server to count
        return {}

    def replica_lag_ms(self) -> int | None:
        return None

    def schema_fingerprint(self) -> str:
        with self._database.lock:
            there = {table.name: self._database.columns(table.name) or frozenset() for table in TABLES.values()}
        lines = [
            f"{table.name}.{column.name} {column.kind} {column.size}"
            for table in TABLES.values()
            for column in table.columns
            if column.name in there[table.name]
        ]
        return "sha256:" + hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
