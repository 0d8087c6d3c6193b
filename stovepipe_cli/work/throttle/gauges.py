"""What is looked at before a batch. A gauge says why to pause, or nothing; one that cannot measure pauses."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.storage.contract import DatabaseAdmin, StorageError
from stovepipe_cli.work.throttle.pause import Pause

UNKNOWN = "unknown"


class Gauge(Protocol):
    """One reason to pause."""

    def look(self) -> Pause | None:
        """Why to pause now; None where there is no reason. Raises nothing for what cannot be measured."""
        ...


class HoldGauge:
    """An operator's hold in the ledger. A ledger that does not answer is a reason to pause too."""

    def __init__(self, find: Callable[[], RunHold | None]) -> None:
        self._find = find

    def look(self) -> Pause | None:
        """The hold, if there is one."""
        try:
            hold = self._find()
        except StorageError as error:
            return Pause("hold", f"{UNKNOWN}: {error.message}", "none", "ledger")
        if hold is None:
            return None
        return Pause("hold", hold.reason or "held", "none", f"put by {hold.actor}", hold.since_ms)


class PauseFileGauge:
    """A file whose being there means to pause, whatever it holds."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def look(self) -> Pause | None:
        """The file, if it is there; a directory that cannot be looked into might hold it."""
        source = f"file '{self._path}'"
        try:
            # A link that leads nowhere is a file that was put there, too.
            os.lstat(self._path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            return Pause("pause file", f"{UNKNOWN}: {reason or 'no file can have this name'}", "absent", source)
        return Pause("pause file", "there", "absent", source)


class LoadGauge:
    """Counters of the server that is written to, each with the highest value at which work goes on."""

    def __init__(self, admin: DatabaseAdmin, limits: tuple[tuple[str, int], ...], source: str) -> None:
        self._admin = admin
        self._limits = limits
        self._source = source

    def look(self) -> Pause | None:
        """The first counter that is over its limit, or that the server does not tell."""
        try:
            values = {name.lower(): value for name, value in self._admin.status_values(self._names()).items()}
        except StorageError as error:
            return Pause("load", f"{UNKNOWN}: {error.message}", self._words(), self._source)
        for name, limit in self._limits:
            value = values.get(name.lower())
            if value is None:
                return Pause("load", f"{name} {UNKNOWN}: the server has no such counter", f"{limit}", self._source)
            if value > limit:
                return Pause("load", f"{name} {value}", f"{limit}", self._source)
        return None

    def _names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._limits)

    def _words(self) -> str:
        return ", ".join(f"{name} {limit}" for name, limit in self._limits)


class LagGauge:
    """One replica, and the longest time that it may be behind."""

    def __init__(self, admin: DatabaseAdmin, max_lag_ms: int, source: str) -> None:
        self._admin = admin
        self._max_lag_ms = max_lag_ms
        self._source = source

    def look(self) -> Pause | None:
        """The lag, where it is too long or cannot be told."""
        limit = _seconds(self._max_lag_ms)
        try:
            lag_ms = self._admin.replica_lag_ms()
        except StorageError as error:
            return Pause("replica lag", f"{UNKNOWN}: {error.message}", limit, self._source)
        if lag_ms is None:
            return Pause("replica lag", f"{UNKNOWN}: the server is no running replica", limit, self._source)
        return Pause("replica lag", _seconds(lag_ms), limit, self._source) if lag_ms > self._max_lag_ms else None


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g} s"
