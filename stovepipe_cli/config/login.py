"""Which of the configured passwords is the one for the chosen database."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stovepipe_cli.config.credentials import (
    PasswordSource,
    given_password,
    no_password,
    password_from_command,
    password_from_environment,
    password_from_file,
    password_from_option_file,
)
from stovepipe_cli.config.setting import Setting
from stovepipe_cli.config.sources import Sources
from stovepipe_cli.dsn import OptionFile, Secret
from stovepipe_cli.errors import ConfigError

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import Profile


def choose_password(
    sources: Sources, profile: "Profile | None", option: OptionFile | None, url: Setting[Secret | None]
) -> PasswordSource:
    """The first of: --defaults-file, a URL in the environment, STOVEPIPE_PASSWORD, the profile's URL, the profile.

    `url` is the password within the chosen URL with the URL's origin. Raises ConfigError for a profile that holds a
    password in its URL and names another source beside it.
    """
    if option is not None and option.password is not None:
        return password_from_option_file(option.path, "flag --defaults-file")
    is_profiles_url = profile is not None and url.origin == profile.origin
    if url.value is not None and not is_profiles_url:
        return given_password(url.value, url.origin)
    variable = sources.variable("STOVEPIPE_PASSWORD", Secret)
    if variable is not None:
        return password_from_environment(sources.environ, "STOVEPIPE_PASSWORD", variable.origin)
    if profile is None:
        return no_password()
    named = next(_named_sources(sources, profile), None)
    if url.value is None:
        return named or no_password()
    if named is not None:
        raise ConfigError(
            f"{profile.origin} has a password in its database_url and names another source of it",
            hint="take the password out of database_url",
        )
    return given_password(url.value, url.origin)


def _named_sources(sources: Sources, profile: "Profile") -> Iterator[PasswordSource]:
    if profile.password_file is not None:
        yield password_from_file(profile.password_file, profile.origin)
    if profile.password_command is not None:
        yield password_from_command(profile.password_command, sources.environ, profile.origin)
    if profile.password_env is not None:
        yield password_from_environment(sources.environ, profile.password_env, profile.origin)
    if profile.defaults_file is not None:
        yield password_from_option_file(profile.defaults_file, profile.origin)
