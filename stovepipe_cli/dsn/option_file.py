"""MySQL option files: what the groups `[client]` and `[stovepipe]` say about a connection."""

import difflib
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stovepipe_cli.dsn.address import parse_port
from stovepipe_cli.dsn.option_lines import Option, read_options
from stovepipe_cli.dsn.secret import Secret
from stovepipe_cli.dsn.target import TlsMode, TlsSettings
from stovepipe_cli.dsn.url_form import read_ssl_mode
from stovepipe_cli.errors import ConfigError, InvalidInput

_KNOWN = (
    "user",
    "password",
    "host",
    "port",
    "socket",
    "protocol",
    "database",
    "connect-timeout",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-verify-server-cert",
)
# Settings that protect a connection in ways not known here; to pass over one would be a silent downgrade.
_PROTECTION = re.compile(r"(?:(?:skip|disable|enable)-)?(?:ssl|tls)(?:-.*)?|server-public-key-path")


@dataclass(frozen=True, slots=True)
class OptionFile:
    """A connection, as far as the file describes it; `ignored` are other programs' settings in `[client]`."""

    path: Path
    user: str | None = None
    password: Secret | None = None
    host: str | None = None
    port: int | None = None
    socket: str | None = None
    database: str | None = None
    tls: TlsSettings = field(default_factory=TlsSettings)
    connect_timeout_ms: int | None = None
    ignored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_option_file(path: Path) -> OptionFile:
    """The connection that the file describes; `[stovepipe]` wins over `[client]`, a later line over an earlier one.

    `warnings` says so when the file holds a password that every user of the machine can read. Raises ConfigError for
    a file that cannot be read, or that asks for protection which cannot be given.
    """
    try:
        text = path.read_text("utf-8-sig")
        is_public = bool(path.stat().st_mode & stat.S_IROTH)
    except OSError as error:
        raise ConfigError(
            f"the option file '{path}' cannot be read: {error.strerror}", hint="check --defaults-file or defaults_file"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"the option file '{path}' is not UTF-8", hint="save it as UTF-8") from None
    return parse_option_file(text, path, is_public=is_public)


def parse_option_file(text: str, path: Path, *, is_public: bool) -> OptionFile:
    """Like `read_option_file`, for the `text` of the file; `path` only goes into messages."""
    try:
        options = _relevant(text)
        password = _text(options, "password")
        protocol = _protocol(options)
        return OptionFile(
            path=path,
            user=_text(options, "user"),
            password=Secret(password) if password else None,
            host=_text(options, "host") if protocol != "socket" else None,
            port=_port(options),
            socket=_text(options, "socket") if protocol != "tcp" else None,
            database=_text(options, "database"),
            tls=_tls(options),
            connect_timeout_ms=_connect_timeout(options),
            ignored=tuple(name for name in options if name not in _KNOWN),
            warnings=(f"'{path}' holds a password and every user can read it",) if password and is_public else (),
        )
    except InvalidInput as error:
        raise ConfigError(f"the option file '{path}': {error.message}", hint=error.hint) from None


def _relevant(text: str) -> dict[str, Option]:
    groups: dict[str, dict[str, Option]] = {"client": {}, "stovepipe": {}}
    for option in read_options(text):
        if option.group not in groups:
            continue
        if option.name not in _KNOWN and (option.group == "stovepipe" or _PROTECTION.fullmatch(option.name)):
            near = difflib.get_close_matches(option.name, _KNOWN, n=1)
            raise InvalidInput(
                f"line {option.line} has the setting '{option.name}', which is not known here",
                hint=f"did you mean '{near[0]}'?" if near else f"known are {', '.join(_KNOWN)}",
            )
        groups[option.group][option.name] = option
    return {**groups["client"], **groups["stovepipe"]}


def _text(options: Mapping[str, Option], name: str) -> str | None:
    return option.value or None if (option := options.get(name)) else None


def _protocol(options: Mapping[str, Option]) -> str | None:
    text = (_text(options, "protocol") or "").lower()
    if text not in {"", "tcp", "socket"}:
        raise InvalidInput("protocol is neither TCP nor SOCKET", hint="write protocol=TCP, or leave it out")
    return text or None


def _port(options: Mapping[str, Option]) -> int | None:
    text = _text(options, "port")
    # MySQL's clients take 0 for "not said".
    return None if text in {None, "0"} else parse_port(text or "")


def _connect_timeout(options: Mapping[str, Option]) -> int | None:
    text = _text(options, "connect-timeout")
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise InvalidInput("connect-timeout is not a whole number of seconds", hint="write connect-timeout=5")
    return int(text) * 1000 or None


def _tls(options: Mapping[str, Option]) -> TlsSettings:
    ca = _text(options, "ssl-ca")
    return TlsSettings(
        mode=_tls_mode(options) or ("verify-ca" if ca else "unset"),
        ca=ca,
        cert=_text(options, "ssl-cert"),
        key=_text(options, "ssl-key"),
    )


def _tls_mode(options: Mapping[str, Option]) -> TlsMode | None:
    if (text := _text(options, "ssl-mode")) is not None:
        if (mode := read_ssl_mode(text)) is None:
            raise InvalidInput(
                "ssl-mode is not a TLS mode", hint="write DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"
            )
        return mode
    if (verify := options.get("ssl-verify-server-cert")) is not None:
        return "required" if (verify.value or "1").lower() in {"0", "off", "false"} else "verify-identity"
    return None
