"""The places where configuration comes from, for one invocation."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.config.setting import Setting, T, from_environment, from_flag, or_default
from stovepipe_cli.dsn import DatabaseTarget, Secret, parse_partial_url
from stovepipe_cli.errors import ConfigError, InvalidInput
from stovepipe_cli.instants import parse_duration

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import Profile


@dataclass(frozen=True, slots=True)
class Sources:
    """Flags as given, the environment, and the selected profile; `profile_place` says where that was looked for."""

    flags: Mapping[str, object]
    environ: Mapping[str, str]
    profile: "Profile | None"
    profile_place: str
    home: Path

    def flag(self, name: str, read: Callable[[str], T]) -> Setting[T] | None:
        """The flag's value through `read`, None where it was not given."""
        return from_flag(self.flags, name, read)

    def variable(self, name: str, read: Callable[[str], T]) -> Setting[T] | None:
        """The environment variable's value through `read`, None where it is not set."""
        return from_environment(self.environ, name, read)

    def written(self, value: "Callable[[Profile], T | None]") -> Setting[T] | None:
        """A value of the selected profile, None where there is no profile or it leaves the key out."""
        return None if self.profile is None else self.profile.setting(value(self.profile))

    def duration(self, name: str, written: "Callable[[Profile], int | None]", default: int) -> Setting[int]:
        """Milliseconds of a flag, else of the profile, else the default."""
        return or_default(self.flag(name, parse_duration) or self.written(written), default)


def url_from_argv(text: str) -> DatabaseTarget:
    """A target as far as `text` says it. Raises UsageError for a password in it."""
    return parse_partial_url(text, from_argv=True)


def url_from_environment(text: str) -> DatabaseTarget:
    """A target as far as `text` says it; a password in it is welcome."""
    return parse_partial_url(text, from_argv=False)


def url_from_profile(url: Secret, profile: "Profile", key: str) -> DatabaseTarget:
    """A target as far as the profile's URL says it; a relative SQLite path starts at the profile file's directory."""
    try:
        target = parse_partial_url(url.reveal(), from_argv=False)
    except InvalidInput as error:
        raise ConfigError(f"{profile.origin}, '{key}': {error.message}", hint=error.hint) from None
    if target.path is None:
        return target
    return replace(target, path=posixpath.normpath(profile.file.parent / target.path))
