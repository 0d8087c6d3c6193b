"""The databases beside the main one: a replica to read from, servers whose lag is measured, and the ledger."""

import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path

from stovepipe_cli.config.access import DatabaseAccess, access_apart, access_beside
from stovepipe_cli.config.credentials import no_password
from stovepipe_cli.config.database import DatabaseChoice
from stovepipe_cli.config.profile_file import user_directory
from stovepipe_cli.config.setting import DEFAULT, Setting, from_flag
from stovepipe_cli.config.sources import Sources, url_from_argv, url_from_environment, url_from_profile
from stovepipe_cli.dsn import DatabaseTarget
from stovepipe_cli.errors import ConfigError, InvalidInput


def choose_read_database(sources: Sources, choice: DatabaseChoice) -> Setting[DatabaseAccess | None]:
    """The replica of --read-url, else of the profile where the profile is about the chosen database, else none."""
    primary = choice.access.value
    url = sources.flag("read_url", url_from_argv)
    if url is not None:
        return Setting(_beside(url.value, url.origin, primary), url.origin)
    profile = sources.profile if choice.is_profiles else None
    if profile is None or profile.read_url is None:
        return Setting(None, DEFAULT)
    target = url_from_profile(profile.read_url, profile, "read_url")
    return Setting(_beside(target, profile.origin, primary), profile.origin)


def choose_lag_databases(sources: Sources, choice: DatabaseChoice) -> Setting[tuple[DatabaseAccess, ...]]:
    """The servers of every --lag-url, else of the profile where it is about the chosen database, else none."""
    primary = choice.access.value
    given = sources.flags.get("lag_url")
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    if texts:
        urls = [from_flag({"lag_url": text}, "lag_url", url_from_argv) for text in texts]
        accesses = tuple(_beside(url.value, url.origin, primary) for url in urls if url is not None)
        return Setting(accesses, "flag --lag-url")
    profile = sources.profile if choice.is_profiles else None
    if profile is None or profile.lag_urls is None:
        return Setting((), DEFAULT)
    targets = [url_from_profile(url, profile, "lag_urls") for url in profile.lag_urls]
    return Setting(tuple(_beside(target, profile.origin, primary) for target in targets), profile.origin)


def choose_ledger(sources: Sources, choice: DatabaseChoice) -> Setting[DatabaseAccess | None]:
    """The ledger of --ledger-url, STOVEPIPE_LEDGER_URL, the profile, else a file of the user's; None for `none`."""
    primary = choice.access.value
    url = sources.flag("ledger_url", lambda text: None if text == "none" else url_from_argv(text)) or sources.variable(
        "STOVEPIPE_LEDGER_URL", lambda text: None if text == "none" else url_from_environment(text)
    )
    if url is None and sources.profile is not None and (secret := sources.profile.ledger_url) is not None:
        is_off = secret.reveal() == "none"
        target = None if is_off else url_from_profile(secret, sources.profile, "ledger_url")
        url = Setting(target, sources.profile.origin)
    if url is None:
        path = str(_ledger_file(sources.environ, sources.home))
        return Setting(DatabaseAccess(DatabaseTarget("sqlite", path=path), no_password()), DEFAULT)
    if url.value is None:
        return Setting(None, url.origin)
    try:
        return Setting(access_apart(url.value, url.origin, primary), url.origin)
    except InvalidInput as error:
        raise ConfigError(f"{url.origin}, the ledger: {error.message}", hint=error.hint) from None


def _ledger_file(environ: Mapping[str, str], home: Path) -> Path:
    # A systemd unit with several state directories gets them joined by ':'; the first is the unit's own.
    state = environ.get("STATE_DIRECTORY", "").partition(":")[0]
    directory = (
        Path(state) if posixpath.isabs(state) else user_directory(environ, "XDG_STATE_HOME", home / ".local/state")
    )
    return directory / "ledger.db"


def _beside(target: DatabaseTarget, origin: str, primary: DatabaseAccess | None) -> DatabaseAccess:
    try:
        return access_beside(target, origin, primary)
    except InvalidInput as error:
        raise ConfigError(f"{origin}: {error.message}", hint=error.hint) from None
