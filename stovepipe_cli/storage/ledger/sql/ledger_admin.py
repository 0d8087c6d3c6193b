"""Creation, inspection, upgrade and pruning of an SQL ledger."""

from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.storage.contract.errors import StorageReadOnly
from stovepipe_cli.storage.contract.guards import MIN_INT64, require_limit
from stovepipe_cli.storage.ledger.contract.ledger_admin import LedgerAdmin, LedgerState, Pruned
from stovepipe_cli.storage.ledger.sql.creation import absent_tables, create_ledger, upgrade_ledger
from stovepipe_cli.storage.ledger.sql.ledger_database import LedgerDatabase
from stovepipe_cli.storage.ledger.sql.private_file import create_file, is_empty
from stovepipe_cli.storage.ledger.sql.pruning import Pruning
from stovepipe_cli.storage.ledger.tables import LEDGER_TABLES


class SQLLedgerAdmin(LedgerAdmin):
    """Operations on one ledger."""

    def __init__(self, ledger: LedgerDatabase, pruning: Pruning) -> None:
        self._ledger = ledger
        self._pruning = pruning

    def state(self) -> LedgerState:
        ledger, versions = self._ledger, self._ledger.versions
        meta = ledger.meta()
        if ledger.is_private and is_empty(ledger.path):
            absent = tuple(LEDGER_TABLES)
        else:
            absent = ledger.database.read(lambda session: absent_tables(session, ledger.backend))
        no_reading = no_writing = None
        if meta is not None:
            no_reading = versions.read_refusal(meta, ledger.place)
            is_self_made = ledger.is_private and meta.schema_version < versions.own
            no_writing = None if is_self_made else versions.write_refusal(meta, ledger.place)
        elif not ledger.is_private:
            no_reading = no_writing = ledger.no_ledger().message
        if no_writing is None and ledger.backend.is_read_only:
            no_writing = f"the ledger at '{ledger.place}' was opened for reading only"
        return LedgerState(
            backend=ledger.backend.dialect.name,
            place=ledger.place,
            identity="" if meta is None else meta.identity,
            is_private=ledger.is_private,
            schema_version=0 if meta is None else meta.schema_version,
            min_reader=0 if meta is None else meta.min_reader,
            min_writer=0 if meta is None else meta.min_writer,
            tool_schema_version=versions.own,
            absent_tables=absent,
            can_read=no_reading is None,
            can_write=no_writing is None,
            refusal=no_reading or no_writing,
        )

    def init(self) -> tuple[str, ...]:
        self._refuse_if_read_only("no table was created")
        ledger = self._ledger
        meta = ledger.meta()
        if meta is not None:
            ledger.versions.require_not_newer(meta, ledger.place)
        if ledger.is_private:
            create_file(ledger.path)
        return create_ledger(ledger.database, ledger.versions)

    def upgrade(self) -> tuple[int, int, str | None]:
        self._refuse_if_read_only("nothing was upgraded")
        ledger = self._ledger
        meta = ledger.meta()
        if meta is None:
            raise ledger.no_ledger()
        ledger.versions.require_not_newer(meta, ledger.place)
        own = ledger.versions.own
        if meta.schema_version == own:
            return (own, own, None)
        copy_of = ledger.path if ledger.is_private else None
        return (meta.schema_version, own, upgrade_ledger(ledger.database, ledger.versions, meta, copy_of=copy_of))

    def prune(self, *, finished_before_ms: int, limit: int, dry_run: bool) -> Pruned:
        require_limit(limit)
        if not dry_run:
            self._refuse_if_read_only("nothing was removed")
        before = min(max(finished_before_ms, MIN_INT64), MAX_INT64)
        return self._pruning.prune(before, limit, dry_run=dry_run)

    def _refuse_if_read_only(self, so: str) -> None:
        if self._ledger.backend.is_read_only:
            raise StorageReadOnly(
                f"the ledger at '{self._ledger.place}' was opened for reading only; {so}", hint="open it for writing"
            )
