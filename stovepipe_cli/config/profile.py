"""One profile as typed values; URLs may hold a password and are kept as secrets."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stovepipe_cli.config.choices import LoadLimits
from stovepipe_cli.config.setting import Setting, T
from stovepipe_cli.dsn import Secret

TlsVerify = Literal["identity", "ca", "none"]


@dataclass(frozen=True, slots=True)
class ProfileTls:
    """The `tls` mapping; `verify` is None where the profile leaves it out."""

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    verify: TlsVerify | None = None


@dataclass(frozen=True, slots=True)
class ProfileThrottle:
    """The `throttle` mapping; `max_load` is empty for `none`."""

    max_lag_ms: int | None = None
    max_load: LoadLimits | None = None
    rate: int | None = None
    pause_file: Path | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as written; None for a key that is left out. Relative paths start at the file's own directory."""

    name: str
    file: Path
    database_url: Secret | None = None
    read_url: Secret | None = None
    lag_urls: tuple[Secret, ...] | None = None
    database_id: str | None = None
    password_file: Path | None = None
    password_command: str | None = None
    password_env: str | None = None
    defaults_file: Path | None = None
    tls: ProfileTls | None = None
    queues: tuple[str, ...] | None = None
    protected: bool | None = None
    ledger_url: Secret | None = None
    history_since: str | None = None
    expect_tables: tuple[str, ...] | None = None
    min_age_ms: int | None = None
    clock_skew_ms: int | None = None
    max_builds: int | None = None
    time_zone: str | None = None
    throttle: ProfileThrottle = field(default_factory=ProfileThrottle)

    @property
    def origin(self) -> str:
        """How a value from this profile names where it came from."""
        return f"profile '{self.name}' ({self.file})"

    def setting(self, value: T | None) -> Setting[T] | None:
        """One of this profile's values with its origin; None where the key is left out."""
        return None if value is None else Setting(value, self.origin)
