"""What a database URL says, as a value: where the database is, who asks, and how the connection is protected."""

import posixpath
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import quote

from stovepipe_cli.dsn.secret import MASK, Secret
from stovepipe_cli.errors import InvalidInput

Backend = Literal["memory", "sqlite", "mysql"]
Driver = Literal["pymysql", "mysqldb"]
TlsMode = Literal["unset", "disabled", "preferred", "required", "verify-ca", "verify-identity"]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 3306


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How the connection is encrypted; the modes are those of MySQL's `ssl-mode`, files are paths to PEM files."""

    mode: TlsMode = "unset"
    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    @property
    def names_files(self) -> bool:
        """Whether any certificate or key file is named."""
        return any((self.ca, self.cert, self.key))


@dataclass(frozen=True, slots=True)
class DatabaseTarget:
    """One database. On `mysql` a `socket` excludes `host` and `port`; on `sqlite` only `path` is set.

    `driver` is None unless the URL chose one. Time limits are milliseconds. `time_zone` is the zone in which a
    go-sql-driver client reads date columns (`loc`). `ignored` names the parameters that steer that driver alone.
    """

    backend: Backend
    driver: Driver | None = None
    host: str | None = None
    port: int | None = None
    socket: str | None = None
    path: str | None = None
    database: str | None = None
    user: str | None = None
    password: Secret | None = None
    tls: TlsSettings = field(default_factory=TlsSettings)
    connect_timeout_ms: int | None = None
    read_timeout_ms: int | None = None
    write_timeout_ms: int | None = None
    time_zone: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def display(self) -> str:
        """A URL that names the place and the user, with `***` for a password."""
        if self.backend == "memory":
            return "memory://"
        if self.backend == "sqlite":
            return f"sqlite:///{quote(self.path or '', safe='/')}"
        user = quote(self.user, safe="") if self.user else ""
        login = f"{user}:{MASK}@" if self.password is not None else f"{user}@" if user else ""
        host = f"[{self.host}]" if self.host and ":" in self.host else self.host or ""
        port = f":{self.port}" if self.port else ""
        database = quote(self.database or "", safe="")
        socket = f"?unix_socket={quote(self.socket, safe='/')}" if self.socket else ""
        return f"mysql://{login}{host}{port}/{database}{socket}"

    @property
    def place(self) -> tuple[str | int | None, ...]:
        """What two complete targets have in common exactly when they name the same database, whoever asks."""
        path = posixpath.normpath(self.path) if self.path else None
        host = self.host.lower() if self.host else None
        return (self.backend, host, self.port, self.socket, path, self.database)


def complete_target(target: DatabaseTarget) -> DatabaseTarget:
    """`target` with the default address filled in and its parts checked against each other.

    Raises InvalidInput for a MySQL target without a database name or with TLS settings that exclude each other.
    """
    if target.backend != "mysql":
        return target
    if not target.database:
        raise InvalidInput(
            "the database URL names a server but no database",
            hint="write the database name after the last '/', as in mysql://user@host:3306/submitqueue",
        )
    if target.socket is not None:
        target = replace(target, host=None, port=None)
    else:
        target = replace(target, host=target.host or DEFAULT_HOST, port=target.port or DEFAULT_PORT)
    return replace(target, tls=_complete_tls(target.tls))


def _complete_tls(tls: TlsSettings) -> TlsSettings:
    if (tls.cert is None) != (tls.key is None):
        raise InvalidInput(
            "a TLS client certificate and its key are only useful together", hint="name both files, or neither"
        )
    if tls.mode == "disabled" and tls.names_files:
        raise InvalidInput(
            "TLS is turned off, yet certificate files are named for it", hint="drop the files, or turn TLS on"
        )
    if tls.mode == "unset" and tls.names_files:
        return replace(tls, mode="verify-identity")
    return tls
