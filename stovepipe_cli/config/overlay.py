"""How a database URL, an option file and a profile's TLS settings become one target, without losing any of them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.dsn import DatabaseTarget, OptionFile, TlsMode, TlsSettings
from stovepipe_cli.errors import ConfigError

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import ProfileTls, TlsVerify


def lay_option_file(
    target: DatabaseTarget, option: OptionFile, *, over: bool
) -> tuple[DatabaseTarget, tuple[str, ...]]:
    """`target` with what `option` says beside it, and the names of what both say differently.

    The option file wins where `over`, else it only fills gaps. Host, port and socket go together. A user from the
    option file leaves the target's password behind: it belongs to another account.
    """
    differing: list[str] = []
    user, database = option.user, option.database
    if user and target.user and user != target.user:
        differing.append("user")
        target = replace(target, user=user, password=None) if over else target
    if database and target.database and database != target.database:
        differing.append("database")
        target = replace(target, database=database) if over else target
    target, has_other_address = _lay_address(target, option, over=over)
    if has_other_address:
        differing.append("address")
    target = replace(
        target,
        user=target.user or user,
        database=target.database or database,
        connect_timeout_ms=target.connect_timeout_ms or option.connect_timeout_ms,
        tls=merge_tls(target.tls, option.tls, f"the option file '{option.path}'"),
    )
    return target, tuple(differing)


def _lay_address(target: DatabaseTarget, option: OptionFile, *, over: bool) -> tuple[DatabaseTarget, bool]:
    # As in MySQL's clients, a socket counts only where the host is this machine.
    socket = option.socket if option.host in {None, "localhost"} else None
    host = None if socket else option.host
    if socket is None and host is None:
        return replace(target, port=target.port or option.port), False
    port = None if socket else option.port
    if target.host is None and target.socket is None:
        return replace(target, host=host, port=target.port or port, socket=socket), False
    is_same = (target.host, target.socket) == (host, socket)
    if is_same:
        return replace(target, port=target.port or port), False
    return (replace(target, host=host, port=port, socket=socket) if over else target), True


def merge_tls(chosen: TlsSettings, other: TlsSettings, origin: str) -> TlsSettings:
    """`chosen` with its gaps filled from `other`. Raises ConfigError where the two ask for different modes.

    To let either win would weaken a connection that somebody wanted protected, or break one that works.
    """
    if "unset" not in {chosen.mode, other.mode} and chosen.mode != other.mode:
        raise ConfigError(
            f"the database URL asks for TLS mode '{chosen.mode}' and {origin} for '{other.mode}'",
            hint="say it in one of the two places",
        )
    return TlsSettings(
        mode=other.mode if chosen.mode == "unset" else chosen.mode,
        ca=chosen.ca or other.ca,
        cert=chosen.cert or other.cert,
        key=chosen.key or other.key,
    )


def profile_tls(tls: "ProfileTls") -> TlsSettings:
    """The settings that a profile's `tls` mapping means."""
    modes: dict[TlsVerify, TlsMode] = {"identity": "verify-identity", "ca": "verify-ca", "none": "required"}
    return TlsSettings(
        mode="unset" if tls.verify is None else modes[tls.verify],
        ca=_text(tls.ca),
        cert=_text(tls.cert),
        key=_text(tls.key),
    )


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
