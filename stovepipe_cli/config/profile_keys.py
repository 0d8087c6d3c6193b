"""The keys of the profile file, each checked and read into its type."""

from collections.abc import Mapping
from pathlib import Path

from stovepipe_cli.config.choices import parse_max_load
from stovepipe_cli.config.document import parse_document
from stovepipe_cli.config.profile import Profile, ProfileThrottle, ProfileTls, TlsVerify
from stovepipe_cli.config.values import Keys, Value
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


def read_profiles(text: str, path: Path, home: Path) -> tuple[Mapping[str, Profile], str | None]:
    """Every profile in the text of the file by name, and the name of the default one. Raises ConfigError."""
    file = path.absolute()
    top = Value(parse_document(text, path), "", file, home).keys(("profiles", "default_profile"))
    named = top.get("profiles", lambda value: value.keys(None))
    profiles = {name: _read_profile(name, named[name], file) for name in named} if named else {}
    default = top.get("default_profile", Value.text)
    if default is not None and default not in profiles:
        raise top["default_profile"].refused(
            f"names '{default}', which is not among the profiles", f"the profiles are {', '.join(profiles) or 'none'}"
        )
    return profiles, default


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
