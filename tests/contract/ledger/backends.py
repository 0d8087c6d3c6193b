"""New ledgers on each backend, whole and of this version."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from stovepipe_cli.entities.run import Run
from stovepipe_cli.storage.ledger.contract import Ledger
from stovepipe_cli.storage.ledger.memory import MemoryLedger
from stovepipe_cli.storage.open import open_ledger
from tests.support.mariadb import MariaDBServer

Listener = Callable[[Run], None]


class LedgerBackend(Protocol):
    def fresh(self, listener: Listener | None = None) -> Ledger:
        """Open a new ledger."""
        ...

    def again(self, ledger: Ledger) -> Ledger:
        """Open a ledger that was opened before once more."""
        ...


class InMemory:
    def fresh(self, listener: Listener | None = None) -> Ledger:
        return MemoryLedger(listener=listener)

    def again(self, ledger: Ledger) -> Ledger:
        return ledger


class InFile:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = itertools.count(1)

    def fresh(self, listener: Listener | None = None) -> Ledger:
        return open_ledger(f"sqlite:///{self._directory}/{next(self._numbers)}.db", listener=listener)

    def again(self, ledger: Ledger) -> Ledger:
        return open_ledger(f"sqlite:///{ledger.place}")


class OnServer:
    """`collation` is that of new tables in the database; None leaves the server's own.

    What is opened again is opened on the servers of `again` in turn, nodes of the same cluster.
    """

    def __init__(self, server: MariaDBServer, collation: str | None, *, again: Sequence[MariaDBServer] = ()) -> None:
        self._server = server
        self._again = itertools.cycle(again or (server,))
        self._collation = collation

    def fresh(self, listener: Listener | None = None) -> Ledger:
        url = self._server.create_database(self._server.unused_name("ledger"), self._collation)
        ledger = open_ledger(url, listener=listener)
        ledger.admin.init()
        return ledger

    def again(self, ledger: Ledger) -> Ledger:
        return open_ledger(next(self._again).url(ledger.place.rpartition("/")[2]))
