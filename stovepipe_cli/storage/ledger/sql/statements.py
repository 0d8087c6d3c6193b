"""Statements on one table of the ledger, built once and kept as text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ClauseElement, ColumnElement

from stovepipe_cli.storage.contract.errors import UnreadableRow
from stovepipe_cli.storage.ledger.tables import LedgerTable
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.session import Session, Statement, compiled

Conditions = Sequence[ColumnElement[bool]]


class Statements:
    """Parameters are named `k_` and `v_` and their column: `k_` is compared, `v_` is written."""

    def __init__(self, table: LedgerTable, backend: Backend) -> None:
        self.names = tuple(column.name for column in table.table.columns)
        self.key = table.table.key
        self.source = sa.table(table.name, *(sa.column(name) for name in self.names))
        self.clock: ColumnElement[int] = sa.literal_column(backend.clock, sa.BigInteger)
        self._backend = backend
        self._keeps_types = backend.keeps_types
        self._types = tuple(
            (bytes if column.kind == "binary" else int, *((type(None),) if column.nullable else ()))
            for column in table.table.columns
        )
        self._made: dict[object, Statement] = {}

    def column(self, name: str) -> ColumnElement[Any]:
        """A column of the table."""
        return self.source.c[name]

    def is_key(self, names: Sequence[str] | None = None) -> list[ColumnElement[bool]]:
        """Equality in the key, or in these columns, with `k_` parameters."""
        return [self.column(name) == sa.bindparam(f"k_{name}") for name in (self.key if names is None else names)]

    def rows(self, session: Session, statement: Statement, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Whole rows; `UnreadableRow` where a value is not of its column's type, which SQLite lets happen."""
        found = session.rows(statement, values)
        if not self._keeps_types:
            for row in found:
                for name, allowed, value in zip(self.names, self._types, row, strict=True):
                    if not isinstance(value, allowed):
                        raise UnreadableRow(
                            f"a row of table '{self.source.name}' of the ledger has a '{name}' of another type",
                            hint="the row was written by another program; correct or remove it",
                        )
        return found

    def find(self) -> Statement:
        """The row of a key."""
        return self.once("find", lambda: self.select(self.is_key()))

    def find_locked(self) -> Statement:
        """The same, which nobody else changes until this transaction ends; as it is now, not as a snapshot has it."""
        return self.once("locked", lambda: self.select(self.is_key()).with_for_update())

    def insert(self) -> Statement:
        """A whole row."""
        return self.once(
            "insert", lambda: sa.insert(self.source).values({name: sa.bindparam(f"v_{name}") for name in self.names})
        )

    def update(self, names: Sequence[str], guards: Sequence[str] = ()) -> Statement:
        """These columns of the row of a key, where the guarding columns hold their `k_` parameters."""

        def build() -> ClauseElement:
            return (
                sa.update(self.source)
                .where(*self.is_key(), *self.is_key(guards))
                .values({name: sa.bindparam(f"v_{name}") for name in names})
            )

        return self.once(("update", tuple(names), tuple(guards)), build)

    def delete(self) -> Statement:
        """The row of a key."""
        return self.once("delete", lambda: sa.delete(self.source).where(*self.is_key()))

    def now(self, session: Session) -> int:
        """The database's clock, in Unix milliseconds."""
        return int(session.rows(self.once("now", lambda: sa.select(self.clock)), {})[0][0])

    def select(
        self, where: Conditions, *, order: Sequence[ColumnElement[Any]] = (), is_limited: bool = False
    ) -> sa.Select[Any]:
        """Whole rows, in their columns' order."""
        chosen = sa.select(*(self.column(name) for name in self.names)).where(*where).order_by(*order)
        return chosen.limit(sa.bindparam("limit", type_=sa.Integer)) if is_limited else chosen

    def once(self, name: object, build: Callable[[], ClauseElement]) -> Statement:
        """The statement of that name, built at its first use."""
        statement = self._made.get(name)
        if statement is None:
            statement = self._made[name] = compiled(build(), self._backend.dialect)
        return statement


def keyed(**values: object) -> dict[str, object]:
    """Parameters that are compared."""
    return {f"k_{name}": value for name, value in values.items()}


def written(values: Mapping[str, object]) -> dict[str, object]:
    """Parameters that are written."""
    return {f"v_{name}": value for name, value in values.items()}
