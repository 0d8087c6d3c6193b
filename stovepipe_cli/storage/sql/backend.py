"""What differs between SQL databases, behind one interface."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from sqlalchemy.engine import Dialect

from stovepipe_cli.storage.connection import ConnectionSpec
from stovepipe_cli.storage.contract.database_admin import ServerState
from stovepipe_cli.storage.contract.tables import Column, Table
from stovepipe_cli.storage.sql.catalog import Catalog
from stovepipe_cli.storage.sql.session import DriverConnection, Session


class Backend(ABC):
    """A database product, reached by one spec; holds no connection itself.

    `errors` are the classes that its driver raises. `clock` is an expression for Unix milliseconds. `compares_rows`
    says whether comparing whole rows of columns reads a range of an index, `keeps_types` whether a column holds values
    of its own type alone, `folds_by_column` how histories are folded, `folds_pages` whether rows cost less to read as
    whole columns, `writers` how many can write at once.
    """

    spec: ConnectionSpec
    is_read_only: bool
    dialect: Dialect
    errors: tuple[type[Exception], ...]
    begin_write: str
    clock: str
    compares_rows: bool
    keeps_types: bool = True
    folds_by_column: bool = False
    folds_pages: bool = False
    writers: int = 1

    @abstractmethod
    def connect(self) -> DriverConnection:
        """A new connection in autocommit mode, its session settings made. Raises the driver's error."""

    @abstractmethod
    def begin_snapshot(self, session: Session) -> None:
        """Open a read-only transaction that sees one state of the database."""

    @abstractmethod
    def read_catalog(self, session: Session) -> Catalog:
        """What is there of the known tables."""

    @abstractmethod
    def server_state(self, session: Session) -> ServerState:
        """Who answers."""

    @abstractmethod
    def status_values(self, session: Session, names: Sequence[str]) -> Mapping[str, int]:
        """Counters of the server, those of the names that it has."""

    @abstractmethod
    def replica_lag_ms(self, session: Session) -> int | None:
        """How far behind its source the server is; None where it is no running replica or does not tell."""

    @abstractmethod
    def prepare_creation(self) -> None:
        """Make what has to be there before the first table; nothing where a server does it."""

    @abstractmethod
    def create_statements(self, table: Table, session: Session) -> tuple[str, ...]:
        """The statements that create the table, byte-exact, unless it is there."""

    @abstractmethod
    def expected_types(self, column: Column) -> tuple[str, ...]:
        """The normalised types that are right for a column, the first one being created here."""
