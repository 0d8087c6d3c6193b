"""One connection in use: statements in, plain tuples out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler

from stovepipe_cli.storage.sql.traffic import Tally


class DriverCursor(Protocol):
    """What is used of a DB-API cursor."""

    @property
    def rowcount(self) -> int:
        """Rows matched by the last change."""
        ...

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        """The columns of the answer, each with its name first."""
        ...

    def execute(self, text: str, parameters: Sequence[Any], /) -> object:
        """Run one statement."""
        ...

    def executemany(self, text: str, rows: Sequence[Any], /) -> object:
        """Run one statement for every row."""
        ...

    def fetchall(self) -> Sequence[Any]:
        """Every row of the answer."""
        ...

    def close(self) -> object:
        """Let go of the answer."""
        ...


class DriverConnection(Protocol):
    """What is used of a DB-API connection in autocommit mode."""

    def cursor(self) -> DriverCursor:
        """A new cursor."""
        ...

    def close(self) -> object:
        """Disconnect."""
        ...


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL text with the driver's placeholders, and the parameter that each of them stands for, in order."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, object] = field(default_factory=dict)

    def parameters(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """The values in the order of the placeholders."""
        return tuple(values[name] if name in values else self.fixed[name] for name in self.names)


def compiled(clause: ClauseElement, dialect: Dialect) -> Statement:
    """The statement of an expression; parameters are placeholders, never text."""
    result = cast("SQLCompiler", clause.compile(dialect=dialect))
    names = tuple(result.positiontup or ())
    fixed = {name: value for name, value in result.params.items() if value is not None}
    return Statement(str(result), names, fixed)


class Session:
    """A driver's connection that one caller holds. Its methods raise the driver's own errors."""

    def __init__(self, connection: DriverConnection, generation: int, tally: Tally | None = None) -> None:
        self.connection = connection
        self.generation = generation
        self.tally = tally
        self.is_broken = False

    def run(self, text: str) -> None:
        """A statement without parameters or answer."""
        self.change(Statement(text, ()), {})

    def rows(self, statement: Statement, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Every row of the answer; the statement bounds how many there are."""
        return self.fetch(statement.text, statement.parameters(values))

    def fetch(self, text: str, parameters: Sequence[object] = ()) -> Sequence[tuple[Any, ...]]:
        """Every row that a text with positional parameters answers."""
        cursor = self.connection.cursor()
        try:
            cursor.execute(text, parameters)
            rows = cursor.fetchall()
            if self.tally is not None:
                self.tally.count(text, len(rows))
            return rows
        finally:
            cursor.close()

    def change(self, statement: Statement, values: Mapping[str, object]) -> int:
        """Run a change; how many rows it matched."""
        cursor = self.connection.cursor()
        try:
            cursor.execute(statement.text, statement.parameters(values))
            if self.tally is not None:
                self.tally.count(statement.text, cursor.rowcount)
            return cursor.rowcount
        finally:
            cursor.close()

    def change_many(self, text: str, rows: Sequence[Any]) -> None:
        """Run a change for each row of positional parameters, in as few round trips as the driver can."""
        cursor = self.connection.cursor()
        try:
            cursor.executemany(text, rows)
            if self.tally is not None:
                self.tally.count(text, len(rows))
        finally:
            cursor.close()
