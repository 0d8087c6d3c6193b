"""The storage contract: one abstract store a file, and what all of them guarantee.

- A storage is bound to one queue. An entity of another queue is refused with `ForeignQueue` before any query is
  sent; reads never surface a row of another queue, even where a column's collation takes two names for one.
- Keys are compared as bytes. Case, accents and trailing spaces distinguish; a row that matches by collation only is
  not found. Where a collation keeps a table from holding two such keys, creating the second is `CollationConflict`.
- A read right after a successful write returns that write. Absence is an answer, never a reason to retry.
- Writes are create, conditional update and, for open issues, guarded deletion; reads are gets and bounded pages over
  a prefix of the primary key. An ordered key-value store could do all of it.
- A conditional update compares `old_version`, writes `new_version` and computes nothing; no matching row is
  `VersionMismatch`, also where the row is missing. An update that changes no value still succeeds.
- Creates and updates validate the entity first. Identifiers over their limit are refused, and nothing is truncated.
- Returned values are new and frozen. Nothing a caller holds changes because of a later write.
- Pages take a positive limit (`InvalidEntity` otherwise) and are no snapshot across calls.
- A column that the database lacks reads as unknown and is not written. An absent table is `SchemaMismatch`, naming it.
- Errors are the classes of `stovepipe_cli.storage.contract.errors` alone.
"""

from stovepipe_cli.storage.contract.audit_reader import AuditPage, AuditReader, AuditSnapshot, BarePage, TableView
from stovepipe_cli.storage.contract.build_issue_store import BuildIssueStore
from stovepipe_cli.storage.contract.build_store import BuildStore
from stovepipe_cli.storage.contract.bulk_writer import BulkWriter
from stovepipe_cli.storage.contract.database_admin import DatabaseAdmin, Drift, DriftKind, ServerState
from stovepipe_cli.storage.contract.errors import (
    AlreadyExists,
    CollationConflict,
    ForeignQueue,
    IdentifierTooLong,
    InvalidCursor,
    InvalidEntity,
    NotFound,
    SchemaMismatch,
    StatementTimeout,
    StorageError,
    StorageReadOnly,
    StorageUnavailable,
    UnreadableRow,
    VersionMismatch,
)
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
from stovepipe_cli.storage.contract.storage import Storage, StorageFactory
from stovepipe_cli.storage.contract.validation_fact_store import ValidationFactStore

__all__ = [
    "AlreadyExists",
    "AuditPage",
    "AuditReader",
    "AuditSnapshot",
    "BarePage",
    "BuildIssueStore",
    "BuildStore",
    "BulkWriter",
    "CollationConflict",
    "DatabaseAdmin",
    "Drift",
    "DriftKind",
    "ForeignQueue",
    "IdentifierTooLong",
    "InvalidCursor",
    "InvalidEntity",
    "IssueLogStore",
    "NotFound",
    "OpenIssueStore",
    "ProjectFactByDegreeStore",
    "QueueDirectory",
    "QueueLogStore",
    "QueueStore",
    "QueueSummaryStore",
    "RequestAcceptanceStore",
    "RequestLogStore",
    "RequestStore",
    "RequestSummaryStore",
    "RequestURIStore",
    "SchemaMismatch",
    "ServerState",
    "StatementTimeout",
    "Storage",
    "StorageError",
    "StorageFactory",
    "StorageReadOnly",
    "StorageUnavailable",
    "TableView",
    "UnreadableRow",
    "ValidationFactStore",
    "VersionMismatch",
]
