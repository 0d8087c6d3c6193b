"""Creation, inspection and health of a whole database."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

DriftKind = Literal[
    "table-absent",
    "table-obsolete",
    "column-absent",
    "column-unknown",
    "column-type",
    "key-differs",
    "collation-not-byte-exact",
]


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between the database and the tables this tool knows, and whether it stops any command."""

    kind: DriftKind
    table: str
    column: str
    expected: str
    found: str
    harmless: bool


@dataclass(frozen=True, slots=True)
class ServerState:
    """Who answered: identity is of one database and outlives a change of host; `read_only` refuses writes."""

    backend: str
    host: str
    database: str
    server_version: str
    identity: str
    read_only: bool
    driver: str
    now_ms: int


class DatabaseAdmin(ABC):
    """Operations on the database as such. Nothing here alters a table that exists."""

    @abstractmethod
    def create_tables(self) -> tuple[str, ...]:
        """Create every known table that is absent, byte-exact; the names created, in order. Repeatable."""

    @abstractmethod
    def drift(self) -> tuple[Drift, ...]:
        """Every difference, ordered by table and column."""

    @abstractmethod
    def ping(self) -> ServerState:
        """Ask the server; `StorageUnavailable` where none answers."""

    @abstractmethod
    def status_values(self, names: Sequence[str]) -> Mapping[str, int]:
        """The server's counters of these names, as far as it has them; an embedded database has none."""

    @abstractmethod
    def replica_lag_ms(self) -> int | None:
        """How far a replica is behind its source; None where this is no running replica.

        A node of a cluster is 0 behind the others, whose commits its reads wait for.
        """

    @abstractmethod
    def schema_fingerprint(self) -> str:
        """`sha256:` and the digest of the tables, columns and types that are there."""
