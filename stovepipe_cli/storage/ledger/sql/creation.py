"""The tables of a ledger: created, brought to a newer version, and the row that says which version they are."""

import uuid
from pathlib import Path

from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.ledger.sql.ddl import create_statements
from stovepipe_cli.storage.ledger.sql.private_file import reserve_copy
from stovepipe_cli.storage.ledger.sql.statements import Statements, keyed, written
from stovepipe_cli.storage.ledger.sql.versions import Meta, Versions
from stovepipe_cli.storage.ledger.tables import LEDGER_META, LEDGER_TABLES
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.database import Attempt, Database
from stovepipe_cli.storage.sql.errors import DuplicateKey
from stovepipe_cli.storage.sql.faults import Fault, fault_of
from stovepipe_cli.storage.sql.session import Session, Statement

THE_ROW = 1
RACES = 5


class MetaTable:
    """The one row that says which version the ledger has."""

    def __init__(self, backend: Backend) -> None:
        self._statements = Statements(LEDGER_META, backend)

    def read(self, session: Session, *, is_locked: bool = False) -> Meta | None:
        """What the ledger says of itself; None where it is not complete. Raises the driver's error.

        Locked, the row stays so until the transaction ends; what is read afterwards is not older than it.
        """
        found = self._statements.rows(session, self._find(is_locked=is_locked), keyed(id=THE_ROW))
        if not found:
            return None
        _, version, reader, writer, identity = found[0]
        return Meta(int(version), int(reader), int(writer), key_text(identity))

    def insert(self, session: Session, meta: Meta) -> None:
        """Put the row of a new ledger."""
        row = {"id": THE_ROW, **_versions(meta), "identity": key_bytes(meta.identity)}
        session.change(self._statements.insert(), written(row))

    def advance(self, session: Session, meta: Meta, *, from_version: int) -> None:
        """Say that the ledger has come from that version; nothing where another upgrade has said so already."""
        changes = _versions(meta)
        session.change(
            self._statements.update(tuple(changes), ("schema_version",)),
            {**written(changes), **keyed(id=THE_ROW, schema_version=from_version)},
        )

    def _find(self, *, is_locked: bool) -> Statement:
        statements = self._statements
        if not is_locked:
            return statements.find()
        return statements.once("shared", lambda: statements.select(statements.is_key()).with_for_update(read=True))


def absent_tables(session: Session, backend: Backend) -> tuple[str, ...]:
    """The tables that a read proves absent. Raises the driver's error."""
    return tuple(name for name in LEDGER_TABLES if not _is_there(session, backend, name))


def create_ledger(database: Database, versions: Versions) -> tuple[str, ...]:
    """Create every table that is absent, the row about the version last; the names created."""
    backend = database.backend
    missing = database.read(lambda session: absent_tables(session, backend))
    table_of_versions = MetaTable(backend)
    meta = Meta(versions.own, *versions.readers, str(uuid.uuid4()))

    def work(attempt: Attempt) -> None:
        session = attempt.session
        for table in LEDGER_TABLES.values():
            if table.name in missing:
                for statement in create_statements(table, backend.dialect):
                    session.run(statement)
        if table_of_versions.read(session) is None:
            table_of_versions.insert(session, meta)

    for _ in range(RACES):
        try:
            database.write(work, LEDGER_META.name)
        except DuplicateKey:
            # Somebody else has made the same ledger meanwhile.
            continue
        break
    return missing


def upgrade_ledger(database: Database, versions: Versions, found: Meta, *, copy_of: Path | None) -> str | None:
    """Take each step to this version; where the copy of a private file lies. Repeatable after a crash."""
    backend = database.backend
    copy = None if copy_of is None else _copy(database, reserve_copy(copy_of, found.schema_version))
    table_of_versions = MetaTable(backend)

    def work(attempt: Attempt) -> None:
        session = attempt.session
        now = table_of_versions.read(session)
        version = found.schema_version if now is None else now.schema_version
        for migration in versions.after(version):
            migration.apply(session)
            reached = Meta(version + 1, migration.min_reader, migration.min_writer, found.identity)
            table_of_versions.advance(session, reached, from_version=version)
            version += 1

    database.write(work, LEDGER_META.name)
    return copy


def _copy(database: Database, place: Path) -> str:
    """Copy a private file, consistent whatever others write meanwhile, its log included; where it lies."""
    try:
        database.read(lambda session: session.change(Statement("VACUUM INTO ?", ("place",)), {"place": str(place)}))
    except BaseException:
        # Half a copy would be taken for a whole one.
        place.unlink()
        raise
    return str(place)


def _versions(meta: Meta) -> dict[str, object]:
    return {"schema_version": meta.schema_version, "min_reader": meta.min_reader, "min_writer": meta.min_writer}


def _is_there(session: Session, backend: Backend, name: str) -> bool:
    quoted = backend.dialect.identifier_preparer.quote_identifier(name)
    try:
        session.fetch(f"SELECT 1 FROM {quoted} LIMIT 0")  # noqa: S608  # a constant's name, quoted
    except backend.errors as error:
        if fault_of(error) is Fault.TABLE_ABSENT:
            return False
        raise
    return True
