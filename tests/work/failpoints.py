"""Ledgers and databases that tell of every boundary between two statements, as they reach the driver."""

from collections.abc import Callable, Sequence
from typing import Any

from stovepipe_cli.storage.connection import ConnectionSpec, Limits, parse_connection_url
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.ledger.contract import Ledger
from stovepipe_cli.storage.ledger.sql.ledger import SQLLedger
from stovepipe_cli.storage.mysql import MySQLBackend
from stovepipe_cli.storage.sql.factory import SQLFactory
from stovepipe_cli.storage.sqlite import SQLiteBackend

Tick = Callable[[], None]


class TickingCursor:
    def __init__(self, real: Any, tick: Tick) -> None:  # noqa: ANN401 - a driver's
        self._real, self._tick = real, tick

    def execute(self, text: str, parameters: Sequence[Any]) -> object:
        self._tick()
        answer = self._real.execute(text, parameters)
        self._tick()
        return answer

    def executemany(self, text: str, rows: Sequence[Any]) -> object:
        self._tick()
        answer = self._real.executemany(text, rows)
        self._tick()
        return answer

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a driver's
        return getattr(self._real, name)


class TickingConnection:
    def __init__(self, real: Any, tick: Tick) -> None:  # noqa: ANN401 - a driver's
        self._real, self._tick = real, tick

    def cursor(self) -> TickingCursor:
        return TickingCursor(self._real.cursor(), self._tick)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a driver's
        return getattr(self._real, name)


def ticking_ledger(url: str, tick: Tick) -> Ledger:
    return SQLLedger(_backend(url, tick))


def ticking_storage(url: str, tick: Tick) -> StorageFactory:
    return SQLFactory(_backend(url, tick))


def _backend(url: str, tick: Tick) -> "TickingSQLite | TickingMySQL":
    spec = parse_connection_url(url)
    return TickingSQLite(spec, tick) if spec.backend == "sqlite" else TickingMySQL(spec, tick)


class TickingSQLite(SQLiteBackend):
    def __init__(self, spec: ConnectionSpec, tick: Tick) -> None:
        super().__init__(spec, Limits(), is_read_only=False)
        self._tick = tick

    def connect(self) -> Any:  # noqa: ANN401 - stands for the driver's
        return TickingConnection(super().connect(), self._tick)


class TickingMySQL(MySQLBackend):
    def __init__(self, spec: ConnectionSpec, tick: Tick) -> None:
        super().__init__(spec, Limits(), is_read_only=False)
        self._tick = tick

    def connect(self) -> Any:  # noqa: ANN401 - stands for the driver's
        return TickingConnection(super().connect(), self._tick)
