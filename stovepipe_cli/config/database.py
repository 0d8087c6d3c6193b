"""Which database a command works on, and how it logs in there."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stovepipe_cli.config.access import DatabaseAccess
from stovepipe_cli.config.credentials import no_password
from stovepipe_cli.config.login import choose_password
from stovepipe_cli.config.overlay import lay_option_file, merge_tls, profile_tls
from stovepipe_cli.config.profile_file import user_directory
from stovepipe_cli.config.setting import DEFAULT, Setting
from stovepipe_cli.config.sources import Sources, url_from_argv, url_from_environment, url_from_profile
from stovepipe_cli.dsn import DatabaseTarget, OptionFile, complete_target, read_option_file
from stovepipe_cli.errors import InvalidInput

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import Profile

Level = Literal["flag", "environment", "profile", "service", "embedded"]

_CONNECTION_KEYS = (
    "read_url",
    "lag_urls",
    "database_id",
    "password_file",
    "password_command",
    "password_env",
    "defaults_file",
    "tls",
)
_DATA_KEYS = ("queues", "history_since", "expect_tables")


@dataclass(frozen=True, slots=True)
class DatabaseChoice:
    """The database, if any; `looked_at` are the places asked, in order.

    `is_profiles` tells whether the profile's keys about a connection and about data belong to this database.
    """

    access: Setting[DatabaseAccess | None]
    level: Level | None = None
    is_profiles: bool = False
    looked_at: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    target: DatabaseTarget
    origin: str
    level: Level


@dataclass(slots=True)
class _Notes:
    looked_at: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def choose_database(sources: Sources, *, may_create_embedded: bool) -> DatabaseChoice:
    """The first of: --database-url, STOVEPIPE_DATABASE_URL, the profile, STORAGE_MYSQL_DSN, the embedded database.

    An option file that names a database stands in for the URL of its own level. The embedded database counts where
    its file exists or may be created, and where the profile has no keys about another database.
    """
    notes = _Notes()
    option_flag = sources.flag("defaults_file", lambda text: read_option_file(Path(text)))
    option = None if option_flag is None else option_flag.value
    found = _find(sources, option, notes, may_create_embedded=may_create_embedded)
    if found is None:
        return DatabaseChoice(Setting(None, DEFAULT), None, True, tuple(notes.looked_at), tuple(notes.warnings))
    try:
        return _open(sources, found, option, notes)
    except InvalidInput as error:
        raise type(error)(f"{found.origin}: {error.message}", hint=error.hint) from None


def _find(sources: Sources, option: OptionFile | None, notes: _Notes, *, may_create_embedded: bool) -> _Found | None:
    profile, looked_at = sources.profile, notes.looked_at
    if (url := sources.flag("database_url", url_from_argv)) is not None:
        return _Found(url.value, url.origin, "flag")
    looked_at.append("flag --database-url")
    if option is not None and option.database:
        return _Found(DatabaseTarget("mysql"), f"flag --defaults-file ({option.path})", "flag")
    if (url := sources.variable("STOVEPIPE_DATABASE_URL", url_from_environment)) is not None:
        return _Found(url.value, url.origin, "environment")
    looked_at.append("environment STOVEPIPE_DATABASE_URL")
    if profile is not None and (target := _profile_target(profile)) is not None:
        return _Found(target, profile.origin, "profile")
    looked_at.append(sources.profile_place)
    if (url := sources.variable("STORAGE_MYSQL_DSN", url_from_environment)) is not None:
        return _Found(url.value, url.origin, "service")
    looked_at.append("environment STORAGE_MYSQL_DSN")
    return _find_embedded(sources, looked_at, may_create=may_create_embedded)


def _profile_target(profile: "Profile") -> DatabaseTarget | None:
    if profile.database_url is not None:
        return url_from_profile(profile.database_url, profile, "database_url")
    if profile.defaults_file is not None and read_option_file(profile.defaults_file).database:
        return DatabaseTarget("mysql")
    return None


def _find_embedded(sources: Sources, looked_at: list[str], *, may_create: bool) -> _Found | None:
    directory = user_directory(sources.environ, "XDG_DATA_HOME", sources.home / ".local" / "share")
    file = directory / "stovepipe.db"
    profile = sources.profile
    if profile is not None and (profile.protected or _given(profile, _CONNECTION_KEYS)):
        looked_at.append(f"the embedded database, which is not what {profile.origin} is about")
        return None
    if may_create or _exists(file):
        return _Found(DatabaseTarget("sqlite", path=str(file)), DEFAULT, "embedded")
    looked_at.append(f"the embedded database {file}")
    return None


def _exists(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        return False


def _given(profile: "Profile", keys: tuple[str, ...]) -> list[str]:
    return [key for key in keys if getattr(profile, key) is not None]


def _open(sources: Sources, found: _Found, option: OptionFile | None, notes: _Notes) -> DatabaseChoice:
    target, profile = found.target, sources.profile
    if option is not None and target.backend != "mysql":
        notes.warnings.append(f"the option file '{option.path}' is not used: {found.origin} names no MySQL server")
    if option is not None:
        target = _lay(target, option, notes, over=found.level != "flag")
    if profile is not None and found.level != "profile" and not _is_about(profile, target):
        if keys := _given(profile, _CONNECTION_KEYS + _DATA_KEYS):
            notes.warnings.append(f"{profile.origin} is about another database; not used: {', '.join(keys)}")
        profile = None
    password = no_password()
    if target.backend == "mysql":
        url_password = Setting(target.password, found.origin)
        target = target if profile is None else _lay_profile(target, profile, notes)
        password = choose_password(sources, profile, option, url_password)
        notes.warnings.extend(password.warnings)
    access = DatabaseAccess(replace(complete_target(target), password=None), password)
    return DatabaseChoice(
        access=Setting(access, found.origin),
        level=found.level,
        is_profiles=profile is not None,
        looked_at=tuple(notes.looked_at),
        warnings=tuple(notes.warnings),
    )


def _is_about(profile: "Profile", target: DatabaseTarget) -> bool:
    own = _profile_target(profile)
    if own is None:
        return True
    if own.backend == "mysql" and profile.defaults_file is not None:
        own, _ = lay_option_file(own, read_option_file(profile.defaults_file), over=False)
    return complete_target(own).place == complete_target(target).place


def _lay_profile(target: DatabaseTarget, profile: "Profile", notes: _Notes) -> DatabaseTarget:
    if profile.defaults_file is not None:
        target = _lay(target, read_option_file(profile.defaults_file), notes, over=False)
    if profile.tls is None:
        return target
    return replace(target, tls=merge_tls(target.tls, profile_tls(profile.tls), profile.origin))


def _lay(target: DatabaseTarget, option: OptionFile, notes: _Notes, *, over: bool) -> DatabaseTarget:
    if target.backend != "mysql":
        return target
    target, differing = lay_option_file(target, option, over=over)
    notes.warnings.extend(option.warnings)
    if differing:
        kept = f"the option file '{option.path}'" if over else "the database URL"
        notes.warnings.append(
            f"the database URL and the option file '{option.path}' differ in {', '.join(differing)}; used: {kept}"
        )
    return target
