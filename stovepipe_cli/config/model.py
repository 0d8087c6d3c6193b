"""Everything that was configured for one invocation, each value with its origin."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stovepipe_cli.config.access import DatabaseAccess
from stovepipe_cli.config.choices import LoadLimits
from stovepipe_cli.config.setting import Setting
from stovepipe_cli.errors import ConfigError, UsageError

OutputFormat = Literal["auto", "table", "tsv", "json", "ndjson", "csv"]
Color = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in milliseconds; `run_time_ms` is None for the command's own default."""

    connect_ms: Setting[int]
    statement_ms: Setting[int]
    throttle_ms: Setting[int]
    run_time_ms: Setting[int | None]


@dataclass(frozen=True, slots=True)
class Throttle:
    """When to slow down; `max_load` is empty for `none`, `rate` is rows a second."""

    max_lag_ms: Setting[int | None]
    max_load: Setting[LoadLimits]
    rate: Setting[int | None]
    pause_file: Setting[Path | None]


@dataclass(frozen=True, slots=True)
class Config:
    """One invocation's configuration; milliseconds throughout.

    `database` is None where nothing was configured, `ledger` where it was turned off. `tz` is a name that
    `instants.parse_zone` knows. `output` is `auto` where standard output decides. `service_dsn_only` says that the
    database is known through the service's own STORAGE_MYSQL_DSN alone. `warnings` are sentences.
    """

    config_file: Setting[Path]
    profile: Setting[str | None]
    queue: Setting[str | None]
    queues: Setting[tuple[str, ...]]
    database: Setting[DatabaseAccess | None]
    service_dsn_only: bool
    read_database: Setting[DatabaseAccess | None]
    lag_databases: Setting[tuple[DatabaseAccess, ...]]
    database_id: Setting[str | None]
    ledger: Setting[DatabaseAccess | None]
    protected: Setting[bool]
    history_since: Setting[str | None]
    expect_tables: Setting[tuple[str, ...]]
    min_age_ms: Setting[int]
    settle_ms: Setting[int]
    clock_skew_ms: Setting[int]
    max_builds: Setting[int]
    limits: Limits
    throttle: Throttle
    output: Setting[OutputFormat]
    tz: Setting[str]
    color: Setting[Color]
    no_input: Setting[bool]
    yes: Setting[bool]
    looked_at: tuple[str, ...]
    warnings: tuple[str, ...]

    def require_database(self) -> DatabaseAccess:
        """The database. Raises ConfigError with the places that were looked at where there is none."""
        if self.database.value is None:
            raise ConfigError(
                f"no database is configured; looked at: {'; '.join(self.looked_at)}",
                hint="try: stovepipe demo, or stovepipe config init",
            )
        return self.database.value

    def require_queue(self) -> str:
        """The queue. Raises UsageError where none was named, for to guess one could give a false verdict."""
        if self.queue.value is None:
            names = ", ".join(f"'{name}'" for name in self.queues.value)
            known = f"; {self.profile.origin} lists {names}" if names else ""
            raise UsageError(
                f"no queue is named{known}",
                hint="add --queue NAME, or set STOVEPIPE_QUEUE; 'stovepipe queues list' shows them",
            )
        return self.queue.value
