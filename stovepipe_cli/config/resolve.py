"""Flags over environment over profile over defaults: the one place where the precedence is spelt out."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.config.choices import one_of, parse_max_load, positive_number, read_switch
from stovepipe_cli.config.database import choose_database
from stovepipe_cli.config.further import choose_lag_databases, choose_ledger, choose_read_database
from stovepipe_cli.config.model import Color, Config, Limits, OutputFormat, Throttle
from stovepipe_cli.config.profile_file import ProfileFile, find_profile_file, read_profile_file
from stovepipe_cli.config.setting import DEFAULT, Setting, from_environment, from_flag, from_switch, or_default
from stovepipe_cli.config.sources import Sources
from stovepipe_cli.dsn import Secret, parse_partial_url
from stovepipe_cli.errors import ConfigError, InvalidInput
from stovepipe_cli.instants import parse_duration, parse_zone
from stovepipe_cli.near_names import did_you_mean

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import Profile

_OUTPUTS: tuple[OutputFormat, ...] = ("table", "tsv", "json", "ndjson", "csv")
_COLORS: tuple[Color, ...] = ("auto", "always", "never")


def resolve(
    flags: Mapping[str, object], environ: Mapping[str, str], *, home: Path, may_create_embedded: bool = False
) -> Config:
    """The configuration of one invocation; nothing is written, and no password is fetched.

    `flags` maps option names, with underscores, to what was given as text, None or False for not given; flags that
    configure nothing are passed over. `may_create_embedded` lets the embedded database count before its file exists.
    Raises UsageError, InvalidInput or ConfigError; a missing database or queue is no error until
    `Config.require_database` or `Config.require_queue` asks for it.
    """
    config_file = find_profile_file(environ, home)
    profiles = read_profile_file(config_file.value, home, must_exist=not config_file.is_default)
    selected = _select_profile(flags, environ, profiles)
    profile = None if selected.value is None else profiles.profiles[selected.value]
    place = f"the profile file {profiles.path}" if profile is None else profile.origin
    sources = Sources(flags, environ, profile, place, home)
    database = choose_database(sources, may_create_embedded=may_create_embedded)
    data = sources if database.is_profiles else replace(sources, profile=None)
    queues = or_default(data.written(lambda one: one.queues), ())
    only_queue = Setting(queues.value[0], queues.origin) if len(queues.value) == 1 else None
    connect = sources.flag("connect_timeout", _positive_duration)
    if connect is None and database.access.value is not None:
        from_url = database.access.value.target.connect_timeout_ms
        connect = None if from_url is None else Setting(from_url, database.access.origin)
    return Config(
        config_file=config_file,
        profile=selected,
        queue=or_default(sources.flag("queue", str) or sources.variable("STOVEPIPE_QUEUE", str) or only_queue, None),
        queues=queues,
        database=database.access,
        service_dsn_only=database.level == "service",
        read_database=choose_read_database(sources, database),
        lag_databases=choose_lag_databases(sources, database),
        database_id=or_default(data.written(lambda one: one.database_id), None),
        ledger=choose_ledger(sources, database),
        protected=or_default(sources.written(lambda one: one.protected), False),
        history_since=or_default(
            sources.flag("history_since", str) or data.written(lambda one: one.history_since), None
        ),
        expect_tables=or_default(data.written(lambda one: one.expect_tables), ()),
        min_age_ms=sources.duration("min_age", lambda one: one.min_age_ms, 15 * 60_000),
        settle_ms=or_default(sources.flag("settle", parse_duration), 5_000),
        clock_skew_ms=or_default(sources.written(lambda one: one.clock_skew_ms), 5_000),
        max_builds=or_default(sources.written(lambda one: one.max_builds), 64),
        limits=Limits(
            connect_ms=or_default(connect, 5_000),
            statement_ms=or_default(sources.flag("statement_timeout", _positive_duration), 30_000),
            throttle_ms=or_default(sources.flag("throttle_timeout", parse_duration), 10 * 60_000),
            run_time_ms=or_default(sources.flag("run_time", _positive_duration), None),
        ),
        throttle=_throttle(sources),
        output=or_default(sources.flag("output", one_of(_OUTPUTS)), "auto"),
        tz=or_default(sources.flag("tz", _zone_name) or sources.written(lambda one: one.time_zone), "UTC"),
        color=or_default(sources.flag("color", one_of(_COLORS)) or _color_of_environment(environ), "auto"),
        no_input=or_default(
            from_switch(flags, "no_input") or sources.variable("STOVEPIPE_NO_INPUT", read_switch), False
        ),
        yes=or_default(from_switch(flags, "yes"), False),
        looked_at=database.looked_at,
        warnings=(*_file_warnings(profiles, profile), *database.warnings),
    )


def _select_profile(flags: Mapping[str, object], environ: Mapping[str, str], file: ProfileFile) -> Setting[str | None]:
    named = from_flag(flags, "profile", str) or from_environment(environ, "STOVEPIPE_PROFILE", str)
    if named is None:
        default = file.default_profile
        return Setting(None, DEFAULT) if default is None else Setting(default, f"default_profile ({file.path})")
    if named.value not in file.profiles:
        known = (
            f"its profiles are {', '.join(file.profiles)}" if file.profiles else "write one with: stovepipe config init"
        )
        raise ConfigError(
            f"{named.origin}: there is no profile '{named.value}' in '{file.path}'",
            hint=did_you_mean(named.value, file.profiles, most=1) or known,
        )
    return Setting(named.value, named.origin)


def _throttle(sources: Sources) -> Throttle:
    return Throttle(
        max_lag_ms=or_default(
            sources.flag("max_lag", _positive_duration) or sources.written(lambda one: one.throttle.max_lag_ms), None
        ),
        max_load=or_default(
            sources.flag("max_load", parse_max_load) or sources.written(lambda one: one.throttle.max_load),
            (("Threads_running", 50),),
        ),
        rate=or_default(sources.flag("rate", positive_number) or sources.written(lambda one: one.throttle.rate), None),
        pause_file=or_default(
            sources.flag("pause_file", Path) or sources.written(lambda one: one.throttle.pause_file), None
        ),
    )


def _color_of_environment(environ: Mapping[str, str]) -> Setting[Color] | None:
    if environ.get("NO_COLOR"):
        return Setting("never", "environment NO_COLOR")
    return Setting("never", "environment TERM") if environ.get("TERM") == "dumb" else None


def _positive_duration(text: str) -> int:
    if (ms := parse_duration(text)) == 0:
        raise InvalidInput(f"'{text}' is no time at all", hint="write a longer time, such as 5s")
    return ms


def _zone_name(text: str) -> str:
    parse_zone(text)
    return text


def _file_warnings(file: ProfileFile, profile: "Profile | None") -> tuple[str, ...]:
    if profile is None or not file.is_public:
        return ()
    urls = (profile.database_url, profile.read_url, profile.ledger_url, *(profile.lag_urls or ()))
    if not any(url is not None and _holds_password(url) for url in urls):
        return ()
    return (f"'{file.path}' holds a password and every user of this machine can read it",)


def _holds_password(url: Secret) -> bool:
    try:
        return parse_partial_url(url.reveal(), from_argv=False).password is not None
    except InvalidInput:
        return False
