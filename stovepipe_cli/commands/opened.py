"""What an invocation has opened: the database for reads and for writes, who answers there, and the ledger."""

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from stovepipe_cli.config import Config
    from stovepipe_cli.storage.contract import ServerState, StorageFactory
    from stovepipe_cli.storage.ledger.contract import Ledger

T = TypeVar("T")


@dataclass(slots=True)
class Opened:
    """Each is opened when it is first asked for; all are given back in the end, the latest first."""

    stack: ExitStack = field(default_factory=ExitStack)
    reader: "StorageFactory | None" = None
    primary: "StorageFactory | None" = None
    writer: "StorageFactory | None" = None
    state: "ServerState | None" = None
    lag_ms: int | None = None
    fingerprint: str | None = None
    read_ledger: "Ledger | None" = None
    written_ledger: "Ledger | None" = None

    @property
    def any_database(self) -> "StorageFactory | None":
        """The database as it was opened first for writes, else for reads; None where nobody asked for it."""
        return self.writer or self.reader

    def reading(self, config: "Config", *, from_replica: bool = False) -> "StorageFactory":
        """The database, for reads alone; `from_replica`, as the configured replica has it."""
        if self.reader is None:
            from stovepipe_cli.wiring import open_database, open_replica

            opened = open_replica(config) if from_replica else open_database(config, read_only=True)
            self.reader = self.stack.enter_context(opened)
        return self.reader

    def beside(self, config: "Config") -> "StorageFactory":
        """The primary, for reads alone, beside a replica."""
        if self.primary is None:
            from stovepipe_cli.wiring import open_database

            self.primary = self.stack.enter_context(open_database(config, read_only=True))
        return self.primary

    def writing(self, config: "Config") -> "StorageFactory":
        """The database, for writes."""
        if self.writer is None:
            from stovepipe_cli.wiring import open_database

            self.writer = self.stack.enter_context(open_database(config, read_only=False))
        return self.writer

    def server(self, config: "Config", *, from_replica: bool = False) -> "ServerState":
        """Who answers for the database; of a replica, also how far it is behind."""
        if self.state is None:
            factory = self.any_database or self.reading(config, from_replica=from_replica)
            self.state = factory.admin.ping()
            if from_replica:
                self.measure_lag(factory)
        return self.state

    def measure_lag(self, factory: "StorageFactory") -> int | None:
        """How far a replica is behind now, which an answer tells from then on."""
        from stovepipe_cli.commands.replica import lag_of

        self.lag_ms = lag_of(factory)
        return self.lag_ms

    def schema_fingerprint(self, config: "Config") -> str:
        """What the tables look like, asked for once."""
        if self.fingerprint is None:
            self.fingerprint = (self.any_database or self.reading(config)).admin.schema_fingerprint()
        return self.fingerprint

    def ledger(self, config: "Config", *, read_only: bool) -> "Ledger | None":
        """The ledger, None where the configuration says that there is none."""
        if self.written_ledger is not None:
            return self.written_ledger
        if read_only and self.read_ledger is not None:
            return self.read_ledger
        from stovepipe_cli.wiring import open_the_ledger

        ledger = open_the_ledger(config, read_only=read_only)
        if ledger is not None:
            self.stack.enter_context(ledger)
            if read_only:
                self.read_ledger = ledger
            else:
                self.written_ledger = ledger
        return ledger

    def keep(self, resource: AbstractContextManager[T]) -> T:
        """Enter a resource that lasts to the end of the invocation, and learns how that came."""
        return self.stack.enter_context(resource)

    def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Give everything back."""
        self.stack.__exit__(kind, error, traceback)
