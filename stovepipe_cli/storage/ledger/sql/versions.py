"""Which version of the tool may do what with a ledger of which version."""

from collections.abc import Callable
from dataclasses import dataclass

from stovepipe_cli.storage.ledger.contract.errors import LedgerTooNew, LedgerTooOld
from stovepipe_cli.storage.ledger.tables import MIN_READER, MIN_WRITER, SCHEMA_VERSION
from stovepipe_cli.storage.sql.session import Session


@dataclass(frozen=True, slots=True)
class Meta:
    """What a ledger says of itself: its version, and the lowest version of the tool that may read and write it."""

    schema_version: int
    min_reader: int
    min_writer: int
    identity: str


@dataclass(frozen=True, slots=True)
class Migration:
    """A step to the next version. `apply` may run again after a crash: a server commits each of its changes."""

    min_reader: int
    min_writer: int
    apply: Callable[[Session], None]


@dataclass(frozen=True, slots=True)
class Versions:
    """What this version of the tool knows: the first version, and the steps from each to the next."""

    migrations: tuple[Migration, ...] = ()

    @property
    def own(self) -> int:
        """The version that this tool makes."""
        return SCHEMA_VERSION + len(self.migrations)

    @property
    def readers(self) -> tuple[int, int]:
        """The lowest reader and the lowest writer of a ledger that this tool makes."""
        if not self.migrations:
            return MIN_READER, MIN_WRITER
        return self.migrations[-1].min_reader, self.migrations[-1].min_writer

    def after(self, version: int) -> tuple[Migration, ...]:
        """The steps that a ledger of this version lacks."""
        return self.migrations[version - SCHEMA_VERSION :]

    def read_refusal(self, meta: Meta, place: str) -> str | None:
        """Why this tool may not read; None where it may."""
        if meta.min_reader <= self.own:
            return None
        return (
            f"the ledger at '{place}' has version {meta.schema_version} and asks for a tool of version "
            f"{meta.min_reader} to read it, this one has {self.own}"
        )

    def write_refusal(self, meta: Meta, place: str) -> str | None:
        """Why this tool may not write; None where it may."""
        if meta.schema_version < self.own:
            return f"the ledger at '{place}' has the older version {meta.schema_version}, this tool writes {self.own}"
        if meta.min_writer <= self.own:
            return None
        return (
            f"the ledger at '{place}' has version {meta.schema_version} and asks for a tool of version "
            f"{meta.min_writer} to write it, this one has {self.own}; nothing was written"
        )

    def require_readable(self, meta: Meta, place: str) -> None:
        """`LedgerTooNew` where this tool may not read."""
        refusal = self.read_refusal(meta, place)
        if refusal is not None:
            raise LedgerTooNew(refusal, hint="install the newer version of stovepipe")

    def require_writable(self, meta: Meta, place: str) -> None:
        """`LedgerTooNew` or `LedgerTooOld` where this tool may not write."""
        refusal = self.write_refusal(meta, place)
        if refusal is None:
            return
        if meta.schema_version < self.own:
            raise LedgerTooOld(refusal, hint="'stovepipe ledger upgrade' brings it to this version")
        raise LedgerTooNew(refusal, hint="install the newer version of stovepipe; reading may still work")

    def require_not_newer(self, meta: Meta, place: str) -> None:
        """`LedgerTooNew` for what an older tool must leave alone whatever the ledger allows: its tables."""
        if meta.schema_version > self.own:
            raise LedgerTooNew(
                f"the ledger at '{place}' has the newer version {meta.schema_version}, this tool knows {self.own}",
                hint="install the newer version of stovepipe",
            )
