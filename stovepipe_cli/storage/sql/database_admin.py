"""Creation, inspection and health of a database."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from stovepipe_cli.storage.contract import DatabaseAdmin, Drift, ServerState
from stovepipe_cli.storage.contract.errors import StorageReadOnly
from stovepipe_cli.storage.contract.tables import TABLES, Table
from stovepipe_cli.storage.sql.database import Attempt, Database
from stovepipe_cli.storage.sql.drift import absent, differences
from stovepipe_cli.storage.sql.session import Session


class SQLDatabaseAdmin(DatabaseAdmin):
    """Operations on one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create_tables(self) -> tuple[str, ...]:
        backend = self._database.backend
        if backend.is_read_only:
            raise StorageReadOnly(
                f"'{backend.spec.place}' was opened for reading only; no table was created", hint="open it for writing"
            )
        backend.prepare_creation()
        self._database.forget_catalog()
        catalog = self._database.read(self._database.catalog)
        missing = [table for table in TABLES.values() if table.name not in catalog.tables]

        def work(attempt: Attempt) -> None:
            session = attempt.session
            for statement in chain.from_iterable(backend.create_statements(table, session) for table in missing):
                session.run(statement)

        if missing:
            self._database.write(work)
            self._database.forget_catalog()
        return tuple(table.name for table in missing)

    def drift(self) -> tuple[Drift, ...]:
        self._database.forget_catalog()

        drifts = [
            drift for table in TABLES.values() for drift in self._database.read(self._drift_of(table), table.name)
        ]
        return tuple(sorted(drifts, key=lambda drift: (drift.table, drift.column, drift.kind)))

    def _drift_of(self, table: Table) -> Callable[[Session], list[Drift]]:
        def work(session: Session) -> list[Drift]:
            found = self._database.catalog(session).tables.get(table.name)
            if found is not None:
                return [*differences(table, found, self._database.backend)]
            is_there = self._database.statements_if_there(session, table) is not None
            return [] if is_there else [absent(table)]

        return work

    def ping(self) -> ServerState:
        return self._database.read(self._database.backend.server_state)

    def status_values(self, names: Sequence[str]) -> Mapping[str, int]:
        return self._database.read(lambda session: self._database.backend.status_values(session, names))

    def replica_lag_ms(self) -> int | None:
        return self._database.read(self._database.backend.replica_lag_ms)

    def schema_fingerprint(self) -> str:
        self._database.forget_catalog()
        catalog = self._database.read(self._database.catalog)
        there = sorted(
            (name, column.name, column.type)
            for name, found in catalog.tables.items()
            if name in TABLES
            for column in found.columns.values()
        )
        return "sha256:" + hashlib.sha256(json.dumps(there).encode()).hexdigest()
