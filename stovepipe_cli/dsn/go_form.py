"""The go-sql-driver DSN, `user:password@tcp(host:3306)/database?parseTime=true`, as that driver takes it apart."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from stovepipe_cli.dsn.address import is_ip_address, parse_address
from stovepipe_cli.dsn.parameters import (
    Apply,
    Parameter,
    apply_charset,
    apply_collation,
    apply_parameters,
    apply_tls,
    read_flag,
    refused,
    whole_ms,
)
from stovepipe_cli.dsn.percent import decode
from stovepipe_cli.dsn.secret import Secret
from stovepipe_cli.dsn.target import DatabaseTarget
from stovepipe_cli.errors import InvalidInput

_EXAMPLE = "write mysql://user@host:3306/database, user@tcp(host:3306)/database or user@unix(/path/to/socket)/database"
_NETWORK = re.compile(r"(tcp|tcp4|tcp6|unix)(?:\((.*)\))?", re.DOTALL)
_DEFAULT_SOCKET = "/tmp/mysql.sock"  # noqa: S108  # the go-sql-driver's own default address for unix
# Go writes microseconds with either of the two letters mu.
_DURATION = re.compile("(?:[0-9]{1,12}(?:[.][0-9]{1,12})?(?:ns|[u\u00b5\u03bc]s|ms|s|m|h))+")
_DURATION_PART = re.compile("([0-9.]+)([a-z\u00b5\u03bc]+)")
_SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "\u00b5s": Decimal("1e-6"),
    "\u03bcs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}


def parse_go_form(text: str) -> DatabaseTarget:
    """The target of a DSN, possibly without a database name. Raises InvalidInput, which never repeats `text`.

    The last '/' ends the address and the last '@' before it ends the password, so both may hold any character.
    """
    left, slash, right = text.rpartition("/")
    if not slash:
        raise InvalidInput("the database URL has no '/' before the database name", hint=_EXAMPLE)
    login, at, network = left.rpartition("@")
    if not at and not network:
        raise InvalidInput(
            "the database URL names neither a user nor a server",
            hint=f"{_EXAMPLE}; an SQLite file is sqlite:///relative/path or sqlite:////absolute/path",
        )
    user, _, password = login.partition(":")
    name, _, query = right.partition("?")
    target = replace(
        _read_network(network),
        user=user or None,
        password=Secret(password) if password else None,
        database=decode(name, "database name") or None,
    )
    return apply_parameters(target, query, _parameters())


def ends_like_go_form(text: str) -> bool:
    """Whether `text` ends in an address that only this form writes, such as `@tcp(host)/name`."""
    left, slash, _ = text.rpartition("/")
    network = left.rpartition("@")[2]
    return bool(slash) and network.endswith(")") and _NETWORK.fullmatch(network) is not None


def _read_network(text: str) -> DatabaseTarget:
    match = _NETWORK.fullmatch(text or "tcp")
    if match is None:
        raise InvalidInput(
            "what stands before the database name is no address",
            hint=f"{_EXAMPLE}; within parameters write %2F for '/'",
        )
    kind, address = match.group(1), match.group(2) or ""
    if kind == "unix":
        if address and not address.startswith("/"):
            raise InvalidInput("the socket in unix(...) is not an absolute path", hint="write unix(/path/to/socket)")
        return DatabaseTarget("mysql", socket=address or _DEFAULT_SOCKET)
    host, port = parse_address(address)
    if address.endswith(":"):
        raise InvalidInput("the address ends in ':' without a port", hint=_EXAMPLE)
    version = {"tcp4": 4, "tcp6": 6}.get(kind)
    if version is not None and not (host is not None and is_ip_address(host, version=version)):
        raise InvalidInput(
            f"'{kind}' needs an IPv{version} address, not a host name", hint="write the address, or use tcp(host:port)"
        )
    return DatabaseTarget("mysql", host=host, port=port)


def _parameters() -> Mapping[str, Apply]:
    return {
        "tls": apply_tls,
        "charset": apply_charset,
        "collation": apply_collation,
        "loc": _apply_loc,
        "timeout": lambda target, parameter: replace(target, connect_timeout_ms=_read_duration(parameter)),
        "readTimeout": lambda target, parameter: replace(target, read_timeout_ms=_read_duration(parameter)),
        "writeTimeout": lambda target, parameter: replace(target, write_timeout_ms=_read_duration(parameter)),
        "parseTime": _ignore_flag,
        "interpolateParams": _ignore_flag,
        "multiStatements": _ignore_flag,
        "columnsWithAlias": _ignore_flag,
        "checkConnLiveness": _ignore_flag,
        "clientFoundRows": _ignore_flag,
        "rejectReadOnly": _ignore_flag,
        "tinyInt1IsBool": _ignore_flag,
        "compress": _ignore_flag,
        "allowAllFiles": _ignore_flag,
        "allowCleartextPasswords": _ignore_flag,
        "allowNativePasswords": _only(allowed=True),
        "allowOldPasswords": _only(allowed=False),
        "allowFallbackToPlaintext": _only(allowed=False),
        "maxAllowedPacket": _ignore_number,
        "timeTruncate": _ignore_duration,
        "connectionAttributes": _ignore,
    }


def _ignore(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    return replace(target, ignored=(*target.ignored, parameter.name))


def _ignore_flag(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    read_flag(parameter)
    return _ignore(target, parameter)


def _ignore_number(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    if not re.fullmatch(r"-?[0-9]{1,12}", parameter.value):
        raise refused(parameter.name, "is not a whole number", "leave it out; it has no effect here")
    return _ignore(target, parameter)


def _ignore_duration(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    _read_duration(parameter)
    return _ignore(target, parameter)


def _only(*, allowed: bool) -> Apply:
    def apply(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
        if read_flag(parameter) is not allowed:
            raise refused(
                parameter.name,
                f"asks for a way of logging in or encrypting that this tool cannot follow ({parameter.value})",
                "leave it out, and choose the account or 'tls' accordingly",
            )
        return _ignore(target, parameter)

    return apply


def _apply_loc(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+\-]*(?:/[A-Za-z0-9_+\-]+)*", parameter.value):
        raise refused(parameter.name, "is not the name of a time zone", "write loc=UTC or loc=Europe%2FBerlin")
    # No column read here is a date, so the zone is kept for whoever asks and otherwise without effect.
    return _ignore(replace(target, time_zone=parameter.value), parameter)


def _read_duration(parameter: Parameter) -> int | None:
    if parameter.value == "0":
        return None
    if not _DURATION.fullmatch(parameter.value):
        raise refused(parameter.name, "is not a length of time", f"write {parameter.name}=5s or {parameter.name}=500ms")
    parts = _DURATION_PART.findall(parameter.value)
    return whole_ms(sum((Decimal(number) * _SECONDS[unit] for number, unit in parts), Decimal()))
