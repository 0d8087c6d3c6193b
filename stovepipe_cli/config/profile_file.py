"""The profile file: found and read as a whole, so that a typing error shows before it matters."""

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.config.setting import DEFAULT, Setting, from_environment
from stovepipe_cli.errors import ConfigError

if TYPE_CHECKING:
    from stovepipe_cli.config.profile import Profile


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """What the file holds; `is_public` when every user of the machine can read it."""

    path: Path
    profiles: "Mapping[str, Profile]" = field(default_factory=dict)
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
    from stovepipe_cli.config.profile_keys import read_profiles  # noqa: PLC0415  # YAML loads only where a file is read

    profiles, default = read_profiles(text, path, home)
    return ProfileFile(path.absolute(), profiles, default, is_public)
