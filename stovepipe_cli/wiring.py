"""The composition root: from configuration to open storage."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stovepipe_cli.config import Config, DatabaseAccess
    from stovepipe_cli.storage.connection import ConnectionSpec
    from stovepipe_cli.storage.contract import StorageFactory
    from stovepipe_cli.storage.ledger.contract import Ledger


def open_database(config: "Config", *, read_only: bool) -> "StorageFactory":
    """The configured database, for reads or for writes too; `ConfigError` where none is configured."""
    from stovepipe_cli.files import make_directory
    from stovepipe_cli.storage import open_storage

    access = config.require_database()
    if config.database.is_default and access.target.path is not None and not read_only:
        make_directory(Path(access.target.path).parent, mode=0o700)
    return open_storage(
        connection_spec(access),
        connect_timeout_ms=config.limits.connect_ms.value,
        statement_timeout_ms=config.limits.statement_ms.value,
        read_only=read_only,
    )


def open_replica(config: "Config") -> "StorageFactory":
    """The configured replica, for reads; `ConfigError` where the database that it is one of is not configured."""
    from stovepipe_cli.storage import open_storage

    primary = config.require_database()
    return open_storage(
        connection_spec(config.read_database.value or primary),
        connect_timeout_ms=config.limits.connect_ms.value,
        statement_timeout_ms=config.limits.statement_ms.value,
        read_only=True,
    )


def open_the_ledger(config: "Config", *, read_only: bool) -> "Ledger | None":
    """The configured ledger, for reads or for writes too; None where the configuration says that there is none.

    Nothing is looked at yet. The directory of the user's own ledger is made for a write to it.
    """
    from stovepipe_cli.storage.open import open_ledger

    access = config.ledger.value
    if access is None:
        return None
    if config.ledger.is_default and access.target.path is not None and not read_only:
        from stovepipe_cli.files import make_directory

        make_directory(Path(access.target.path).parent, mode=0o700)
    return open_ledger(
        connection_spec(access),
        connect_timeout_ms=config.limits.connect_ms.value,
        statement_timeout_ms=config.limits.statement_ms.value,
        read_only=read_only,
    )


def connection_spec(access: "DatabaseAccess") -> "ConnectionSpec":
    """What the storage library needs to know of a configured database; the password is read at each connection."""
    from stovepipe_cli.storage.connection import DEFAULT_HOST, DEFAULT_PORT, ConnectionSpec

    target = access.target

    def password() -> str | None:
        secret = access.credentials()
        return None if secret is None else secret.reveal()

    tls = {
        name: value
        for name, value in (
            ("mode", None if target.tls.mode == "unset" else target.tls.mode),
            ("ca", target.tls.ca),
            ("cert", target.tls.cert),
            ("key", target.tls.key),
        )
        if value is not None
    }
    return ConnectionSpec(
        backend=target.backend,
        driver=target.driver,
        host=target.host or DEFAULT_HOST,
        port=target.port or DEFAULT_PORT,
        socket=target.socket,
        path=target.path,
        database=target.database or "",
        user=target.user,
        tls=tls,
        credentials=password,
    )


def throw_away_database(directory: str) -> "StorageFactory":
    """A fresh SQLite database inside `directory`, with every table."""
    from stovepipe_cli.storage import ConnectionSpec, open_storage

    factory = open_storage(ConnectionSpec("sqlite", path=str(Path(directory) / "demo.db")))
    factory.admin.create_tables()
    return factory
