"""The configuration as rows for people: name, value and origin, without a single secret."""

from collections.abc import Iterator

from stovepipe_cli.config.access import DatabaseAccess
from stovepipe_cli.config.model import Config
from stovepipe_cli.config.setting import Setting
from stovepipe_cli.dsn import TlsSettings
from stovepipe_cli.instants import format_duration

Row = tuple[str, str, str]

_UNSET = "-"


def config_rows(config: Config) -> Iterator[Row]:
    """Every setting as (name, value as text, origin), `-` for one that has no value; passwords by their source.

    The first row names the profile file, and no other repeats it.
    """
    told = f" ({config.config_file.value})"
    return ((name, value, origin.removesuffix(told)) for name, value, origin in _every_row(config))


def _every_row(config: Config) -> Iterator[Row]:
    yield _row("config_file", config.config_file)
    yield _row("profile", config.profile)
    yield _row("queue", config.queue)
    yield _row("queues", config.queues)
    yield from _database_rows("database", config.database)
    yield ("service_dsn_only", _text(config.service_dsn_only), config.database.origin)
    yield from _database_rows("read_database", config.read_database)
    for access in config.lag_databases.value:
        yield from _database_rows("lag_database", Setting(access, config.lag_databases.origin))
    yield _row("database_id", config.database_id)
    yield from _database_rows("ledger", config.ledger, absent="none")
    yield _row("protected", config.protected)
    yield _row("history_since", config.history_since)
    yield _row("expect_tables", config.expect_tables)
    yield _duration("min_age", config.min_age_ms)
    yield _duration("settle", config.settle_ms)
    yield _row("clock_skew_ms", config.clock_skew_ms)
    yield _row("max_builds", config.max_builds)
    yield _duration("connect_timeout", config.limits.connect_ms)
    yield _duration("statement_timeout", config.limits.statement_ms)
    yield _duration("throttle_timeout", config.limits.throttle_ms)
    yield _duration("run_time", config.limits.run_time_ms)
    yield _duration("throttle.max_lag", config.throttle.max_lag_ms)
    load = ",".join(f"{name}={limit}" for name, limit in config.throttle.max_load.value)
    yield ("throttle.max_load", load or "none", config.throttle.max_load.origin)
    yield _row("throttle.rate", config.throttle.rate)
    yield _row("throttle.pause_file", config.throttle.pause_file)
    yield _row("output", config.output)
    yield _row("tz", config.tz)
    yield _row("color", config.color)
    yield _row("no_input", config.no_input)
    yield _row("yes", config.yes)


def _database_rows(name: str, setting: Setting[DatabaseAccess | None], *, absent: str = _UNSET) -> Iterator[Row]:
    access = setting.value
    if access is None:
        yield (name, absent, setting.origin)
        return
    yield (name, access.target.display, setting.origin)
    if access.target.backend != "mysql":
        return
    yield (f"{name}.password", access.password.description, access.password.origin)
    yield (f"{name}.tls", _tls(access.target.tls), setting.origin)
    if access.target.ignored:
        yield (f"{name}.without_effect", ", ".join(access.target.ignored), setting.origin)


def _tls(tls: TlsSettings) -> str:
    files = (("ca", tls.ca), ("cert", tls.cert), ("key", tls.key))
    return " ".join([tls.mode, *(f"{kind}={path}" for kind, path in files if path)])


def _row(name: str, setting: Setting[object]) -> Row:
    return (name, _text(setting.value), setting.origin)


def _duration(name: str, setting: Setting[int | None]) -> Row:
    return (name, _UNSET if setting.value is None else format_duration(setting.value), setting.origin)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or value == ():
        return _UNSET
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)
