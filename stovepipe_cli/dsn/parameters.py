"""What follows '?' in a database URL: each parameter is honoured, known to have no effect here, or refused by name."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from stovepipe_cli.dsn.percent import decode_query
from stovepipe_cli.dsn.target import DatabaseTarget, TlsMode
from stovepipe_cli.errors import InvalidInput

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}")
_TRUE = frozenset({"1", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "false", "FALSE", "False"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One decoded `name=value`."""

    name: str
    value: str


Apply = Callable[[DatabaseTarget, Parameter], DatabaseTarget]


def apply_parameters(target: DatabaseTarget, query: str, known: Mapping[str, Apply]) -> DatabaseTarget:
    """`target` as changed by every parameter of `query`. Raises InvalidInput for an unknown, empty or repeated one."""
    seen: set[str] = set()
    for piece in filter(None, query.split("&")):
        name, equals, raw = piece.partition("=")
        if not _NAME.fullmatch(name):
            raise InvalidInput(
                "the database URL holds a parameter whose name is no name",
                hint="write name=value after '?', joined by '&'; percent-encode / ? @ : and % elsewhere",
            )
        if name not in known:
            raise refused(name, "is not one that this tool can honour", "leave it out, or put the setting in a profile")
        if not equals:
            raise refused(name, "has no value", f"write {name}=VALUE, or leave it out")
        if name in seen:
            raise refused(name, "is given twice", "keep one of the two")
        seen.add(name)
        target = known[name](target, Parameter(name, decode_query(raw, f"parameter '{name}'")))
    return target


def refused(name: str, problem: str, hint: str) -> InvalidInput:
    """The error for a parameter; values are left out, for any of them may hold a secret."""
    return InvalidInput(f"the database URL's parameter '{name}' {problem}", hint=hint)


def read_flag(parameter: Parameter) -> bool:
    """Whether it says true, in the spellings of the go-sql-driver."""
    if parameter.value in _TRUE:
        return True
    if parameter.value in _FALSE:
        return False
    raise refused(parameter.name, "is neither true nor false", f"write {parameter.name}=true or {parameter.name}=false")


def set_tls(target: DatabaseTarget, mode: TlsMode, parameter: Parameter) -> DatabaseTarget:
    """`target` with that TLS mode; refused where another parameter already asked for a different one."""
    if target.tls.mode not in {"unset", mode}:
        raise refused(parameter.name, "contradicts an earlier TLS parameter", "keep one of the two")
    return replace(target, tls=replace(target.tls, mode=mode))


def apply_tls(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    """`tls=` as in the go-sql-driver, where any other word names a configuration compiled into the Go program."""
    word = parameter.value.lower()
    modes: dict[str, TlsMode] = {"skip-verify": "required", "preferred": "preferred"}
    if parameter.value in _TRUE | _FALSE:
        return set_tls(target, "verify-identity" if read_flag(parameter) else "disabled", parameter)
    if word not in modes:
        raise refused(
            parameter.name,
            "names a TLS configuration that only the Go program knows",
            "use true, skip-verify, preferred or false, and give the files as 'tls: {ca, cert, key}' in a profile",
        )
    return set_tls(target, modes[word], parameter)


def apply_charset(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    """Any form of utf8: utf8mb4, always spoken here, contains it. A list is the driver's order of preference."""
    if parameter.value.split(",")[0].lower() not in {"utf8mb4", "utf8mb3", "utf8"}:
        raise refused(parameter.name, "is not a form of utf8", "this tool speaks utf8mb4 only; leave the parameter out")
    return target


def apply_collation(target: DatabaseTarget, parameter: Parameter) -> DatabaseTarget:
    """Any collation of utf8: it decides how literals compare with each other, which no query here does."""
    if not parameter.value.lower().startswith(("utf8mb4_", "utf8mb3_", "utf8_")):
        raise refused(parameter.name, "is not a collation of utf8", "this tool speaks utf8mb4 only; leave it out")
    return target


def whole_ms(seconds: Decimal) -> int | None:
    """Milliseconds, rounded up so that a short limit never turns into none; 0 means no limit, None."""
    return math.ceil(seconds * 1000) or None
