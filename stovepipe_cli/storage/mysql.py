"""MySQL and MariaDB: how a server is reached, what a session is told, and how its tables are created."""

import hashlib
import importlib
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from sqlalchemy.dialects import mysql as dialects

from stovepipe_cli.errors import ConfigError
from stovepipe_cli.storage.connection import ConnectionSpec, DriverName, Limits
from stovepipe_cli.storage.contract.database_admin import ServerState
from stovepipe_cli.storage.contract.tables import Column, Table
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.catalog import Catalog, FoundColumn, FoundTable, known_table_names
from stovepipe_cli.storage.sql.column_texts import LONGEST_TEXT
from stovepipe_cli.storage.sql.ddl import create_table, index_part
from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.interruptible import connect_interruptibly
from stovepipe_cli.storage.sql.replication import replica_lag_ms
from stovepipe_cli.storage.sql.session import DriverConnection, Session

SQL_MODE = "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
# The driver gives up on a silent server only after the server itself should have ended the statement.
GRACE_SECONDS = 10
# Shorter than the waits for a lock that a write makes before it gives up.
IDLE_WRITE_SECONDS = 5
# Makes the count of an update that of the rows it matched, also where it changed nothing.
FOUND_ROWS = 2
TYPES = {"text": "varchar({size})", "binary": "varbinary({size})"}
# MariaDB keeps JSON as checked text.
JSON_TYPES = ("json", "longtext")
COLUMNS = """
SELECT table_name, column_name, column_type, is_nullable, column_default, collation_name
FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position
"""
KEYS = """
SELECT table_name, column_name FROM information_schema.statistics
WHERE table_schema = DATABASE() AND index_name = 'PRIMARY' ORDER BY table_name, seq_in_index
"""
SERVER = """
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uid', 'server_uuid', 'wsrep_on', 'read_only',
'super_read_only', 'innodb_read_only', 'hostname', 'port', 'datadir', 'server_id', 'version')
"""
STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ({})"
CLUSTER = "SHOW GLOBAL STATUS LIKE 'wsrep_cluster_state_uuid'"


class MySQLBackend(Backend):
    """One database on one server, with the fastest driver that is installed unless the spec chose one."""

    begin_write = "START TRANSACTION"
    clock = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
    # Neither product reads a range of an index for `(a, b) > (x, y)`.
    compares_rows = False
    writers = 2

    def __init__(self, spec: ConnectionSpec, limits: Limits, *, is_read_only: bool) -> None:
        self.spec = spec
        self.is_read_only = is_read_only
        self.dialect = dialects.dialect()
        self._limits = limits
        self._driver_name, self._driver = _driver(spec.driver)
        self.errors = (self._driver.Error,)
        # It is written in Python, where a column of a thousand texts costs little more than one value.
        self.folds_pages = self._driver_name == "pymysql"
        self._is_clustered: bool | None = None

    def connect(self) -> DriverConnection:
        try:
            connection = self._log_in(self.spec.credentials())
        except self.errors as error:
            if fault_of(error) is not Fault.LOGIN_REFUSED:
                raise
            # The password may have been changed since it was last read.
            connection = self._log_in(self.spec.credentials())
        try:
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def begin_snapshot(self, session: Session) -> None:
        session.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    def read_catalog(self, session: Session) -> Catalog:
        columns: dict[str, dict[str, FoundColumn]] = {}
        for table, name, kind, nullable, default, collation in session.fetch(COLUMNS):
            columns.setdefault(_text(table), {})[_text(name)] = FoundColumn(
                name=_text(name),
                type=_plain_type(_text(kind)),
                is_nullable=_text(nullable) == "YES",
                has_default=default is not None,
                collation=_text(collation or ""),
            )
        keys: dict[str, list[str]] = {}
        for table, name in session.fetch(KEYS):
            keys.setdefault(_text(table), []).append(_text(name))
        return Catalog(
            {
                name: FoundTable(name, columns[name], tuple(keys.get(name, ())))
                for name in known_table_names()
                if name in columns
            }
        )

    def server_state(self, session: Session) -> ServerState:
        server = {_text(name).lower(): _text(value) for name, value in session.fetch(SERVER)}
        cluster = [_text(value) for _, value in session.fetch(CLUSTER)]
        flags = (server.get(name, "OFF").upper() for name in ("read_only", "super_read_only", "innodb_read_only"))
        return ServerState(
            backend="mysql",
            host=self.spec.host_name,
            database=self.spec.database,
            server_version=server["version"],
            identity=f"{_identity(server, cluster[0] if cluster else '')}/{self.spec.database}",
            read_only=any(flag not in {"OFF", "0", ""} for flag in flags),
            driver=self._driver_name,
            now_ms=int(session.fetch(f"SELECT {self.clock}")[0][0]),
        )

    def status_values(self, session: Session, names: Sequence[str]) -> Mapping[str, int]:
        found = session.fetch(STATUS.format(", ".join(["%s"] * len(names))), names) if names else ()
        return {_text(name): int(_text(value)) for name, value in found if _text(value).isdigit()}

    def replica_lag_ms(self, session: Session) -> int | None:
        # A read on a node of a cluster waits for every commit of the others.
        return replica_lag_ms(session, self.errors, alone_ms=0 if self._is_clustered else None)

    def prepare_creation(self) -> None:
        return

    def create_statements(self, table: Table, session: Session) -> tuple[str, ...]:
        collation = "utf8mb4_nopad_bin" if _is_mariadb(_version(session.connection)) else "utf8mb4_0900_bin"
        options = f"ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={collation}"
        index = None if table.index is None else index_part(table.index, self.dialect)
        return (
            create_table(table, self.dialect, lambda column: self.expected_types(column)[0].upper(), options, index),
        )

    def expected_types(self, column: Column) -> tuple[str, ...]:
        if column.kind == "json":
            return JSON_TYPES
        return (TYPES.get(column.kind, column.kind).format(size=column.size),)

    def _log_in(self, password: str | None) -> DriverConnection:
        spec, silence = self.spec, self._silence_seconds()
        # libmysqlclient takes this one name for a request to use a socket.
        host = "127.0.0.1" if spec.host == "localhost" and self._driver_name == "mysqlclient" else spec.host
        patience = max(1, -(-self._limits.connect_ms // 1000))
        # PyMySQL's own connect_timeout ends with the TCP connection; a server that accepts and then says nothing is
        # waited for by the timeout of reads. libmysqlclient counts the greeting in.
        is_patient_in_parts = self._driver_name == "pymysql"
        options: dict[str, Any] = {
            "user": spec.user,
            "password": password,
            "database": spec.database,
            "charset": "utf8mb4",
            "autocommit": True,
            "client_flag": FOUND_ROWS,
            "connect_timeout": patience,
            "read_timeout": patience if is_patient_in_parts else silence,
            "write_timeout": silence,
            **({"unix_socket": spec.socket} if spec.socket else {"host": host, "port": spec.port}),
            **self._tls(),
        }
        given = {name: value for name, value in options.items() if value is not None}
        connect: Callable[[], DriverConnection] = partial(self._driver.connect, **given)
        connection = connect_interruptibly(connect) if self._driver_name == "mysqlclient" else connect()
        if is_patient_in_parts:
            # Not public, and read anew before every packet.
            vars(connection)["_read_timeout"] = silence
        return connection

    def _silence_seconds(self) -> int | None:
        if not self._limits.statement_ms:
            return None
        return GRACE_SECONDS + -(-(self._limits.statement_ms + self._limits.lock_wait_ms) // 1000)

    def _set_up(self, connection: DriverConnection) -> None:
        session = Session(connection, 0)
        # The default of later transactions, single statements included, so that a read costs one round trip.
        access = ", READ ONLY" if self.is_read_only else ", READ WRITE"
        session.run(f"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ{access}")
        settings = {
            "time_zone": "'+00:00'",
            "sql_mode": f"'{SQL_MODE}'",
            # The usual histories fit many times over, and thousands of ids; what is longer is cut, and read row by row.
            "group_concat_max_len": str(LONGEST_TEXT),
            "innodb_lock_wait_timeout": str(max(1, self._limits.lock_wait_ms // 1000)),
        }
        if _is_mariadb(_version(connection)):
            settings["max_statement_time"] = f"{self._limits.statement_ms / 1000:.3f}"
            # A process that is frozen in the middle of a write must not keep its locks from all others; a write that is
            # under way never waits for anything but its own statements, and is redone where it is ended.
            settings["idle_write_transaction_timeout"] = str(IDLE_WRITE_SECONDS)
        else:
            settings["max_execution_time"] = str(self._limits.statement_ms)
        if self._is_clustered is None:
            self._is_clustered = any(
                _text(value).upper() in {"ON", "1"} for _, value in session.fetch("SHOW VARIABLES LIKE 'wsrep_on'")
            )
        if self._is_clustered:
            # A read waits for what other nodes have committed, so that it sees every successful write.
            settings["wsrep_sync_wait"] = "1"
        session.run("SET SESSION " + ", ".join(f"{name} = {value}" for name, value in settings.items()))

    def _tls(self) -> dict[str, Any]:
        mode = self.spec.tls.get("mode", "unset")
        files = {name: self.spec.tls[name] for name in ("ca", "cert", "key") if self.spec.tls.get(name)}
        if mode == "unset" and files:
            mode = "verify-identity"
        if self._driver_name == "mysqlclient":
            named = {} if mode == "unset" else {"ssl_mode": mode.replace("-", "_").upper()}
            return {**named, **({"ssl": files} if files else {})}
        if mode in {"unset", "preferred"}:
            return {}
        if mode == "disabled":
            return {"ssl_disabled": True}
        return {"ssl": _tls_context(mode, files)}


def _driver(name: DriverName | None) -> tuple[str, ModuleType]:
    if name != "pymysql":
        try:
            return "mysqlclient", importlib.import_module("MySQLdb")
        except ImportError as error:
            if name == "mysqldb":
                raise ConfigError(
                    "the driver mysqlclient, which the database URL names, is not installed",
                    hint="install stovepipe-cli[fast], or write mysql+pymysql://",
                ) from error
    return "pymysql", importlib.import_module("pymysql")


def _tls_context(mode: str, files: Mapping[str, str]) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=files.get("ca"))
        # The certificates that servers make for themselves lack extensions that the strict check demands.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        context.check_hostname = mode == "verify-identity"
        context.verify_mode = ssl.CERT_NONE if mode == "required" else ssl.CERT_REQUIRED
        if "cert" in files:
            context.load_cert_chain(files["cert"], files.get("key"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            "the TLS files of the database connection cannot be used",
            hint="check the paths and the contents of the CA, certificate and key files",
        ) from error
    return context


def _version(connection: DriverConnection) -> str:
    """The version that the server told when it was connected to."""
    return str(getattr(connection, "get_server_info")())  # noqa: B009  # both drivers have it, the DB-API has not


def _is_mariadb(version: str) -> bool:
    return "mariadb" in version.lower()


def _plain_type(kind: str) -> str:
    """The type without the display width, which older servers print for integers and which means nothing."""
    return re.sub(r"^(tinyint|smallint|mediumint|int|bigint)\(\d+\)", r"\1", kind.lower())


def _identity(server: Mapping[str, str], cluster: str) -> str:
    if server.get("wsrep_on", "OFF").upper() in {"ON", "1"} and cluster:
        return f"galera:{cluster}"
    if "server_uuid" in server:
        return f"mysql:{server['server_uuid']}"
    if server.get("server_uid"):
        return f"mariadb:{server['server_uid']}"
    parts = "\n".join(server.get(name, "") for name in ("hostname", "port", "datadir", "server_id"))
    return f"mariadb:{hashlib.sha256(parts.encode()).hexdigest()[:32]}"


def _text(value: str | bytes) -> str:
    """Names and settings, which one driver gives as bytes on some servers."""
    return value.decode("utf-8") if isinstance(value, bytes) else value
