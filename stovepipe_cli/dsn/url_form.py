"""Database URLs with a scheme, in SQLAlchemy's spelling; user, password, names and paths are percent-decoded."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from stovepipe_cli.dsn.address import parse_address
from stovepipe_cli.dsn.parameters import (
    Apply,
    Parameter,
    apply_charset,
    apply_collation,
    apply_parameters,
    apply_tls,
    read_flag,
    refused,
    set_tls,
    whole_ms,
)
from stovepipe_cli.dsn.percent import decode
from stovepipe_cli.dsn.secret import Secret
from stovepipe_cli.dsn.target import DatabaseTarget, Driver, TlsMode
from stovepipe_cli.errors import InvalidInput

_MYSQL_DRIVERS: dict[str, Driver | None] = {
    "mysql": None,
    "mariadb": None,
    "mysql+pymysql": "pymysql",
    "mariadb+pymysql": "pymysql",
    "mysql+mysqldb": "mysqldb",
    "mariadb+mysqldb": "mysqldb",
}
_SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
ACCEPTED = (
    "sqlite:///path, mysql://user@host:3306/database (also mysql+pymysql, mysql+mysqldb and mariadb), "
    "or user:password@tcp(host:3306)/database"
)


def parse_url_form(scheme: str, rest: str) -> DatabaseTarget:
    """The target of `scheme://rest`, perhaps without a database name. InvalidInput never repeats `rest`."""
    scheme = scheme.lower()
    if scheme == "memory":
        if rest:
            raise InvalidInput("'memory://' takes nothing after it", hint="write memory:// alone")
        return DatabaseTarget("memory")
    if scheme in _SQLITE:
        return _parse_sqlite(rest)
    if scheme in _MYSQL_DRIVERS:
        return replace(_parse_mysql(rest), driver=_MYSQL_DRIVERS[scheme])
    raise InvalidInput(f"'{scheme}' is not a kind of database known here", hint=f"write {ACCEPTED}")


def _parse_sqlite(rest: str) -> DatabaseTarget:
    place, _, query = rest.partition("?")
    path = decode(place.removeprefix("/"), "path")
    if path in {"", ":memory:"}:
        raise InvalidInput(
            "an SQLite database in memory would be empty and gone at the end",
            hint="name a file: sqlite:///relative/path or sqlite:////absolute/path",
        )
    if not place.startswith("/"):
        raise InvalidInput(
            "an SQLite URL has no host",
            hint="write three slashes before a relative path and four before an absolute one",
        )
    if path.startswith("~"):
        raise InvalidInput("'~' in an SQLite URL stands for no home directory", hint="write the whole path")
    return apply_parameters(DatabaseTarget("sqlite", path=_printable(path, "path")), query, {})


def _parse_mysql(rest: str) -> DatabaseTarget:
    authority, slash, tail = rest.partition("/")
    if not slash:
        authority, _, query = rest.partition("?")
        name = ""
    else:
        name, _, query = tail.partition("?")
    if "?" in authority or "/" in name or "@" in name:
        raise InvalidInput(
            "the database URL cannot be taken apart",
            hint="percent-encode / ? @ : and % within the user and the password",
        )
    login, _, address = authority.rpartition("@")
    user, _, password = login.partition(":")
    host, port = parse_address(address)
    target = DatabaseTarget(
        "mysql",
        host=host,
        port=port,
        user=_printable(decode(user, "user"), "user") or None,
        password=Secret(decode(password, "password")) if password else None,
        database=_printable(decode(name, "database name"), "database name") or None,
    )
    target = apply_parameters(target, query, _parameters())
    if target.socket is not None and target.host not in {None, "localhost"}:
        raise refused("unix_socket", "excludes a host", "write localhost or nothing as the host")
    return target


def _printable(text: str, part: str) -> str:
    if not text.isprintable():
        raise InvalidInput(f"the {part} of the database URL holds control characters", hint="remove them")
    return text


def _parameters() -> Mapping[str, Apply]:
    return {
        "charset": apply_charset,
        "collation": apply_collation,
        "tls": apply_tls,
        "ssl_mode": _apply_ssl_mode,
        "ssl-mode": _apply_ssl_mode,
        "ssl_ca": lambda target, parameter: replace(target, tls=replace(target.tls, ca=_value(parameter))),
        "ssl_cert": lambda target, parameter: replace(target, tls=replace(target.tls, cert=_value(parameter))),
        "ssl_key": lambda target, parameter: replace(target, tls=replace(target.tls, key=_value(parameter))),
        "ssl_check_hostname": _apply_check_hostname,
        "unix_socket": _apply_socket,
        "connect_timeout": lambda target, parameter: replace(target, connect_timeout_ms=_read_seconds(parameter)),
        "read_timeout": lambda target, parameter: replace(target, read_timeout_ms=_read_seconds(parameter)),
        "write_timeout": lambda target, parameter: replace(target, write_timeout_ms=_read_seconds(parameter)),
        "password": _refuse_password,
        "passwd": _refuse_password,
    }


def _value(parameter: Parameter) -> str:
    if not parameter.value:
        raise refused(parameter.name, "has no value", f"write {parameter.name}=VALUE, or leave it out")
    return parameter.value


def read_ssl_mode(text: str) -> TlsMode | None:
    """The mode that MySQL's own clients spell DISABLED to VERIFY_IDENTITY, in any case; None for another word."""
    modes: dict[str, TlsMode] = {
        "DISABLED": "disabled",
        "PREFERRED": "preferred",
        "REQUIRED": "required",
        "VERIFY_CA": "verify-ca",
        "VERIFY_IDENTITY": "verify-identity",
    }
    return modes.get(text.upper())


def _apply_ssl_mode(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    mode = read_ssl_mode(parameter.value)
    if mode is None:
        raise refused(
            parameter.name, "is not a TLS mode", "write DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"
        )
    return set_tls(target, mode, parameter)


def _apply_check_hostname(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    return set_tls(target, "verify-identity" if read_flag(parameter) else "verify-ca", parameter)


def _apply_socket(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    if not parameter.value.startswith("/"):
        raise refused(parameter.name, "is not an absolute path", "write unix_socket=/path/to/socket")
    return replace(target, socket=_printable(parameter.value, "socket"))


def _read_seconds(parameter: Parameter) -> int | None:
    if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", parameter.value):
        raise refused(parameter.name, "is not a number of seconds", f"write {parameter.name}=5")
    return whole_ms(Decimal(parameter.value))


def _refuse_password(_: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    raise refused(parameter.name, "is not where a password goes", "put it in a password_file or STOVEPIPE_PASSWORD")
