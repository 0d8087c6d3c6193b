"""Where a database is and how to log in, as storage needs it; URLs are read here for library users and tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from stovepipe_cli.errors import InvalidInput

BackendName = Literal["memory", "sqlite", "mysql"]
DriverName = Literal["pymysql", "mysqldb"]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 3306
TLS_MODES = ("disabled", "preferred", "required", "verify-ca", "verify-identity")

_SCHEMES: Mapping[str, tuple[BackendName, DriverName | None]] = {
    "memory": ("memory", None),
    "sqlite": ("sqlite", None),
    "mysql": ("mysql", None),
    "mysql+pymysql": ("mysql", "pymysql"),
    "mysql+mysqldb": ("mysql", "mysqldb"),
    "mariadb": ("mysql", None),
    "mariadb+pymysql": ("mysql", "pymysql"),
    "mariadb+mysqldb": ("mysql", "mysqldb"),
}
_TLS_PARAMETERS: Mapping[str, str] = {"ssl_ca": "ca", "ssl_cert": "cert", "ssl_key": "key", "ssl_mode": "mode"}


def no_password() -> str | None:
    """The credentials of an account without a password."""
    return None


@dataclass(frozen=True, slots=True)
class ConnectionSpec:
    """One database. SQLite uses `path` alone; on MySQL a `socket` wins over host and port.

    `driver` None means the fastest one installed. `credentials` is asked for the password at every new connection and
    once more when the server refuses it, so that a rotated password is picked up. `tls` may hold `mode` (disabled,
    preferred, required, verify-ca or verify-identity) and the paths `ca`, `cert` and `key`.
    """

    backend: BackendName
    driver: DriverName | None = None
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    socket: str | None = None
    path: str | None = None
    database: str = ""
    user: str | None = None
    tls: Mapping[str, str] = field(default_factory=dict)
    credentials: Callable[[], str | None] = field(default=no_password, repr=False)

    @property
    def host_name(self) -> str:
        """The address without the database: `host:port`, the socket's path, or nothing."""
        if self.backend != "mysql":
            return ""
        if self.socket is not None:
            return self.socket
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def place(self) -> str:
        """The database as messages name it; never holds a secret."""
        match self.backend:
            case "memory":
                return "memory"
            case "sqlite":
                return self.path or ""
            case "mysql":
                return f"{self.host_name}/{self.database}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of a connection in milliseconds; 0 lifts the limit on statements."""

    connect_ms: int = 5_000
    statement_ms: int = 30_000
    lock_wait_ms: int = 3_000
    busy_ms: int = 5_000


def parse_connection_url(url: str) -> ConnectionSpec:
    """The spec of `memory://`, `sqlite:///path` or `mysql://user:password@host:port/database?unix_socket=...`.

    `InvalidInput` for anything else; it never repeats the URL, which may hold a password.
    """
    scheme, separator, rest = url.partition("://")
    known = _SCHEMES.get(scheme.lower())
    if known is None or not separator:
        raise InvalidInput(
            "the database URL is of no known kind",
            hint="write memory://, sqlite:///path or mysql://user@host:3306/database",
        )
    backend, driver = known
    if backend == "memory":
        return ConnectionSpec("memory")
    if backend == "sqlite":
        path = unquote(rest.partition("?")[0].removeprefix("/"))
        if not path or not rest.startswith("/"):
            raise InvalidInput(
                "the SQLite URL names no file", hint="write sqlite:///relative/path or sqlite:////absolute/path"
            )
        return ConnectionSpec("sqlite", path=path)
    return _parse_server(rest, driver)


def _parse_server(rest: str, driver: DriverName | None) -> ConnectionSpec:
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port or DEFAULT_PORT
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise _unreadable() from error
    database = unquote(parts.path.removeprefix("/"))
    if not database or "/" in database:
        raise _unreadable()
    spec = ConnectionSpec(
        "mysql",
        driver,
        host=parts.hostname or DEFAULT_HOST,
        port=port,
        socket=parameters.pop("unix_socket", None),
        database=database,
        user=unquote(parts.username) if parts.username else None,
        tls=_tls(parameters),
    )
    unknown = sorted(set(parameters) - set(_TLS_PARAMETERS) - {"charset"})
    if unknown:
        raise InvalidInput(
            f"the database URL has the unknown parameter '{unknown[0]}'",
            hint=f"use unix_socket, {', '.join(_TLS_PARAMETERS)}",
        )
    if parts.password is None:
        return spec
    password = unquote(parts.password)
    return replace(spec, credentials=lambda: password)


def _tls(parameters: Mapping[str, str]) -> Mapping[str, str]:
    tls = {_TLS_PARAMETERS[name]: value for name, value in parameters.items() if name in _TLS_PARAMETERS}
    if "mode" in tls:
        tls["mode"] = tls["mode"].lower().replace("_", "-")
        if tls["mode"] not in TLS_MODES:
            raise InvalidInput("ssl_mode is not a TLS mode", hint=f"use one of {', '.join(TLS_MODES)}")
    return tls


def _unreadable() -> InvalidInput:
    return InvalidInput(
        "the database URL cannot be taken apart",
        hint="write mysql://user@host:3306/database, and percent-encode / ? @ : and % within user and password",
    )
