"""Opens a database or a ledger by URL or spec; the only module that names a backend."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from stovepipe_cli.storage.connection import ConnectionSpec, Limits, parse_connection_url
from stovepipe_cli.storage.contract.storage import StorageFactory

if TYPE_CHECKING:
    from stovepipe_cli.storage.ledger.contract import Ledger
    from stovepipe_cli.storage.ledger.contract.run_store import RunListener


def open_storage(
    target: str | ConnectionSpec,
    *,
    credentials: Callable[[], str | None] | None = None,
    connect_timeout_ms: int = 5_000,
    statement_timeout_ms: int = 30_000,
    read_only: bool = False,
) -> StorageFactory:
    """A factory for `memory://`, `sqlite:///path`, `mysql://user:password@host:port/database`, or a spec.

    Nothing connects before the first question. `credentials` is asked for the password whenever a connection is made,
    and wins over one in the URL. With `read_only` every write is `StorageReadOnly`, and an SQLite file may lie on a
    read-only file system. `InvalidInput` for a URL of no known kind.
    """
    spec = parse_connection_url(target) if isinstance(target, str) else target
    if credentials is not None:
        spec = replace(spec, credentials=credentials)
    limits = Limits(connect_ms=connect_timeout_ms, statement_ms=statement_timeout_ms)
    if spec.backend == "memory":
        from stovepipe_cli.storage.memory import MemoryFactory

        return MemoryFactory(read_only=read_only)
    from stovepipe_cli.storage.sql.factory import SQLFactory

    if spec.backend == "sqlite":
        from stovepipe_cli.storage.sqlite import SQLiteBackend

        return SQLFactory(SQLiteBackend(spec, limits, is_read_only=read_only))
    from stovepipe_cli.storage.mysql import MySQLBackend

    return SQLFactory(MySQLBackend(spec, limits, is_read_only=read_only))


def open_ledger(
    target: str | ConnectionSpec,
    *,
    connect_timeout_ms: int = 5_000,
    statement_timeout_ms: int = 30_000,
    read_only: bool = False,
    clock: Callable[[], int] | None = None,
    listener: "RunListener | None" = None,
) -> "Ledger":
    """The ledger in the database of a URL or spec of the same forms; nothing connects before the first question.

    `clock` gives Unix milliseconds to a ledger in memory; all others go by their database's own. `listener` hears of
    every run that this ledger ends, once. `InvalidInput` for a URL of no known kind.
    """
    spec = parse_connection_url(target) if isinstance(target, str) else target
    limits = Limits(connect_ms=connect_timeout_ms, statement_ms=statement_timeout_ms)
    if spec.backend == "memory":
        from stovepipe_cli.storage.ledger.memory.ledger import MemoryLedger, system_clock_ms

        return MemoryLedger(clock=clock or system_clock_ms, listener=listener, read_only=read_only)
    from stovepipe_cli.storage.ledger.sql.ledger import SQLLedger

    if spec.backend == "sqlite":
        from stovepipe_cli.storage.sqlite import SQLiteBackend

        return SQLLedger(SQLiteBackend(spec, limits, is_read_only=read_only), listener=listener)
    from stovepipe_cli.storage.mysql import MySQLBackend

    return SQLLedger(MySQLBackend(spec, limits, is_read_only=read_only), listener=listener)
