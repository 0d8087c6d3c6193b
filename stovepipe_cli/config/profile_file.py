"""The profile file: found, read and checked whole, so that a typing error shows before it matters."""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stovepipe_cli.config.profile import LoadLimits, Profile, ProfileThrottle, ProfileTls, TlsVerify
from stovepipe_cli.config.setting import DEFAULT, Setting, from_environment
from stovepipe_cli.config.values import Keys, Located, Value
from stovepipe_cli.errors import ConfigError, InvalidInput
from stovepipe_cli.instants import parse_zone

PROFILE_KEYS = (
    "database_url",
    "read_url",
    "lag_urls",
    "database_id",
    "password_file",
    "password_command",
    "password_env",
    "defaults_file",
    "tls",
    "queues",
    "protected",
    "ledger_url",
    "history_since",
    "expect_tables",
    "min_age",
    "clock_skew_ms",
    "max_builds",
    "time_zone",
    "throttle",
)
_TLS_KEYS = ("ca", "cert", "key", "verify")
_THROTTLE_KEYS = ("max_lag", "max_load", "rate", "pause_file")


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """What the file holds; `is_public` when every user of the machine can read it."""

    path: Path
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    default_profile: str | None = None
    is_public: bool = False


def find_profile_file(environ: Mapping[str, str], home: Path) -> Setting[Path]:
    """Where the profile file should be: STOVEPIPE_CONFIG, else config.yaml in the user's configuration directory."""
    named = from_environment(environ, "STOVEPIPE_CONFIG", Path)
    return named or Setting(user_directory(environ, "XDG_CONFIG_HOME", home / ".config") / "config.yaml", DEFAULT)


def user_directory(environ: Mapping[str, str], variable: str, fallback: Path) -> Path:
    """The directory `stovepipe` below an XDG base directory; a relative one is ignored, as XDG wants."""
    named = Path(environ.get(variable, ""))
    return (named if named.is_absolute() else fallback) / "stovepipe"


def read_profile_file(path: Path, home: Path, *, must_exist: bool) -> ProfileFile:
    """Everything in the file; no profiles where it is missing and need not exist. Raises ConfigError."""
    try:
        is_public = bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        # A home directory that a service may not enter has no profile for it either.
        if must_exist:
            raise ConfigError(
                f"there is no profile file '{path}', which STOVEPIPE_CONFIG names",
                hint="correct or unset STOVEPIPE_CONFIG, or write the file with: stovepipe config init",
            ) from None
        return ProfileFile(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the profile file '{path}' cannot be read: {error.strerror}", hint="it must be a file you may read"
        ) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"the profile file '{path}' is not UTF-8", hint="save it as UTF-8") from None
    from stovepipe_cli.config.document import parse_document  # noqa: PLC0415  # YAML loads only where a file is read

    return _read_profiles(parse_document(text, path), path.absolute(), home, is_public=is_public)


def _read_profiles(document: Located, path: Path, home: Path, *, is_public: bool) -> ProfileFile:
    top = Value(document, "", path, home).keys(("profiles", "default_profile"))
    named = top.get("profiles", lambda value: value.keys(None))
    profiles = {name: _read_profile(name, named[name], path) for name in named} if named else {}
    default = top.get("default_profile", Value.text)
    if default is not None and default not in profiles:
        raise top["default_profile"].refused(
            f"names '{default}', which is not among the profiles", f"the profiles are {', '.join(profiles) or 'none'}"
        )
    return ProfileFile(path, profiles, default, is_public)


def _read_profile(name: str, value: Value, path: Path) -> Profile:
    keys = value.keys(PROFILE_KEYS)
    _refuse_two_passwords(keys)
    return Profile(
        name=name,
        file=path,
        database_url=keys.get("database_url", Value.secret),
        read_url=keys.get("read_url", Value.secret),
        lag_urls=keys.get("lag_urls", lambda urls: urls.items(Value.secret)),
        database_id=keys.get("database_id", Value.text),
        password_file=keys.get("password_file", Value.path),
        password_command=keys.get("password_command", Value.text),
        password_env=keys.get("password_env", Value.text),
        defaults_file=keys.get("defaults_file", Value.path),
        tls=keys.get("tls", _read_tls),
        queues=keys.get("queues", lambda names: names.items(Value.text)),
        protected=keys.get("protected", Value.flag),
        ledger_url=keys.get("ledger_url", Value.secret),
        history_since=keys.get("history_since", Value.text_or_number),
        expect_tables=keys.get("expect_tables", lambda names: names.items(Value.text)),
        min_age_ms=keys.get("min_age", Value.duration),
        clock_skew_ms=keys.get("clock_skew_ms", Value.whole_number),
        max_builds=keys.get("max_builds", Value.positive_number),
        time_zone=keys.get("time_zone", _read_zone),
        throttle=keys.get("throttle", _read_throttle) or ProfileThrottle(),
    )


def _refuse_two_passwords(keys: Keys) -> None:
    given = [key for key in ("password_file", "password_command", "password_env") if key in keys.found]
    if len(given) > 1:
        raise keys[given[1]].refused(f"and '{given[0]}' both say where the password is", "keep one of the two")


def _read_zone(value: Value) -> str:
    value.parsed(parse_zone)
    return value.text()


def _read_tls(value: Value) -> ProfileTls:
    keys = value.keys(_TLS_KEYS)
    return ProfileTls(
        ca=keys.get("ca", Value.path),
        cert=keys.get("cert", Value.path),
        key=keys.get("key", Value.path),
        verify=keys.get("verify", _read_verify),
    )


def _read_verify(value: Value) -> TlsVerify:
    match value.located.value:
        case True:
            return "identity"
        case False:
            return "none"
        case "ca":
            return "ca"
    raise value.refused(
        "is not a way to verify a server", "write true, false, or ca to check the certificate but not the host name"
    )


def _read_throttle(value: Value) -> ProfileThrottle:
    keys = value.keys(_THROTTLE_KEYS)
    return ProfileThrottle(
        max_lag_ms=keys.get("max_lag", Value.duration),
        max_load=keys.get("max_load", lambda load: load.parsed(parse_max_load)),
        rate=keys.get("rate", Value.positive_number),
        pause_file=keys.get("pause_file", Value.path),
    )


def parse_max_load(text: str) -> LoadLimits:
    """Status variables with their limits, `Threads_running=50,Threads_connected=400`; none for `none`.

    Raises InvalidInput.
    """
    if text == "none":
        return ()
    limits = []
    for piece in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z_]{1,64})=([0-9]{1,15})\s*", piece)
        if match is None:
            raise InvalidInput(f"'{text}' is not a load limit", hint="write Threads_running=50, or none")
        limits.append((match.group(1), int(match.group(2))))
    return tuple(limits)
