"""Opens a database by URL or spec; the only module that names a backend."""

from collections.abc import Callable
from dataclasses import replace

from stovepipe_cli.storage.connection import ConnectionSpec, Limits, parse_connection_url
from stovepipe_cli.storage.contract.storage import StorageFactory


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
