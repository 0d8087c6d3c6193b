"""Values on their way into a table and out of it: parameters of its statements, and rows of its answers."""

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar, cast

from stovepipe_cli.entities.limits import MAX_INT64
from stovepipe_cli.keys import is_text, key_bytes, key_text
from stovepipe_cli.storage.contract.errors import InvalidEntity, UnreadableRow
from stovepipe_cli.storage.contract.rows import Key, Row
from stovepipe_cli.storage.contract.tables import Column, ColumnKind
from stovepipe_cli.storage.sql.catalog import Shape

R = TypeVar("R", bound=Row)
Values = dict[str, object]
Answer = tuple[Any, ...]


_TYPES: Mapping[ColumnKind, frozenset[type]] = MappingProxyType(
    {
        "text": frozenset({str}),
        "json": frozenset({str}),
        "binary": frozenset({str, bytes}),
        "int": frozenset({int}),
        "bigint": frozenset({int}),
        "double": frozenset({float, int}),
    }
)
_WORDS: Mapping[ColumnKind, str] = MappingProxyType(
    {"text": "text", "json": "text", "binary": "bytes", "int": "integer", "bigint": "integer", "double": "number"}
)


class Unstorable(Exception):
    """No row can hold this value, so a look-up for it finds nothing."""


class TableValues:
    """The values of one table.

    Parameters are named by what they are for and their column: `v_` is written, `k_` is compared as the column compares
    and `b_` as bytes, `o_` and `ob_` are the same for the place where an order goes on.
    """

    def __init__(self, shape: Shape, *, keeps_types: bool = True) -> None:
        self._shape = shape
        self._keeps_types = keeps_types
        self._table = shape.table
        self._queue_column = shape.table.queue_column
        self._columns = shape.row_columns
        self._binary = tuple(
            place
            for place, column in enumerate(shape.row_columns)
            if shape.has(column.name) and shape.is_binary(column.name)
        )

    def written(self, queue: str, row: Row, names: Collection[str] | None = None) -> Values:
        """Parameters for the columns that are there, of a whole row or of the named ones."""
        values: Values = {f"v_{self._queue_column}": self._for_write(self._table.column(self._queue_column), queue)}
        for column, value in zip(self._columns, row, strict=True):
            if self._shape.has(column.name) and (names is None or column.name in names):
                values[f"v_{column.name}"] = self._for_write(column, value)
        return values

    def inserted(self, queue: str, rows: Sequence[Row]) -> Sequence[Answer]:
        """Many rows as the columns that are there take them, in their order; whole columns are checked at a time."""
        return self.inserted_columns(queue, [*zip(*rows, strict=True)])

    def inserted_columns(self, queue: str, fields: Sequence[Sequence[Any]]) -> Sequence[Answer]:
        """The same of rows that are given as a column a field."""
        mine = self._for_write(self._table.column(self._queue_column), queue)
        columns: list[Sequence[object]] = [[mine] * len(fields[0])]
        for column, values in zip(self._columns, fields, strict=True):
            if self._shape.has(column.name):
                columns.append(self._column_for_write(column, values))
        return list(zip(*columns, strict=True))

    def identified(self, queue: str, key: Key) -> Values:
        """Parameters for a key or its leading parts. `Unstorable` where no row can have it."""
        return self.compared({self._queue_column: queue, **dict(zip(self._shape.key_columns, key, strict=False))})

    def compared(self, wanted: Mapping[str, Any]) -> Values:
        """Parameters for any columns by name. `Unstorable` where no row can have them."""
        values: Values = {}
        for name, value in wanted.items():
            values[f"k_{name}"] = self.stored(name, value)
            if isinstance(value, str):
                values[f"b_{name}"] = key_bytes(value)
        return values

    def bounds(self, order: Sequence[str], after: Sequence[str | float]) -> Values:
        """Parameters for the place that an order goes on behind, which may be no value of the table."""
        values: Values = {}
        for name, value in zip(order, after, strict=False):
            values[f"o_{name}"] = value
            if isinstance(value, str):
                values[f"ob_{name}"] = key_bytes(value)
                if self._shape.is_binary(name):
                    values[f"o_{name}"] = key_bytes(value)
        return values

    def stored(self, name: str, value: str | float) -> object:
        """A value as the column holds it; `Unstorable` where it cannot."""
        if isinstance(value, str):
            if self._shape.is_binary(name):
                return key_bytes(value)
            if not is_text(value):
                raise Unstorable
        elif isinstance(value, int) and not -MAX_INT64 - 1 <= value <= MAX_INT64:
            raise Unstorable
        return value

    def read(self, answers: Sequence[Answer]) -> Sequence[Answer]:
        """Answers of whole rows, or of their first columns, with their bytes turned into text.

        `UnreadableRow` where a value is not of its column's type.
        """
        if not answers or (self._keeps_types and not self._binary):
            return answers
        by_column: list[Sequence[Any]] = [*zip(*answers, strict=True)]
        if not self._keeps_types:
            self._require_types(answers, by_column)
        if not self._binary:
            return answers
        for place in self._binary:
            if place < len(by_column):
                by_column[place] = as_texts(by_column[place])
        return [*zip(*by_column, strict=True)]

    def known(self, row: R) -> R:
        """What would be read back after `row` was written."""
        return made(
            type(row),
            [
                tuple(
                    value if self._shape.has(column.name) else unknown(column)
                    for column, value in zip(self._columns, row, strict=True)
                )
            ],
        )[0]

    def _for_write(self, column: Column, value: Any) -> object:  # noqa: ANN401  # a field of any row
        if self._shape.is_nullable(column.name) and column.later and value == unknown(column):
            # Where a writer that does not know the column leaves NULL, unknown stays NULL.
            return None
        try:
            return self.stored(column.name, value)
        except Unstorable:
            raise InvalidEntity(
                f"a value for column '{column.name}' of table '{self._table.name}' cannot be stored there",
                hint="text is UTF-8 and integers have at most 64 bits",
            ) from None

    def _column_for_write(self, column: Column, values: Sequence[Any]) -> Sequence[object]:
        is_plain = not (self._shape.is_nullable(column.name) and column.later and unknown(column) in values)
        with contextlib.suppress(UnicodeEncodeError, TypeError):
            if is_plain and column.kind in {"text", "json"} and not self._shape.is_binary(column.name):
                "".join(values).encode("utf-8")
                return values
            if is_plain and column.kind == "double":
                return values
            if is_plain and self._shape.is_binary(column.name):
                return as_bytes(values)
            if is_plain and column.kind in {"int", "bigint"} and -MAX_INT64 <= min(values) <= max(values) <= MAX_INT64:
                return values
        return [self._for_write(column, value) for value in values]

    def _require_types(self, answers: Sequence[Answer], by_column: Sequence[Sequence[Any]]) -> None:
        # What a select adds behind the columns is not looked at.
        for place, (column, values) in enumerate(zip(self._columns, by_column, strict=False)):
            allowed = self._allowed(column)
            if not allowed.issuperset(map(type, values)):
                answer = next(each for each in answers if type(each[place]) not in allowed)
                key = ", ".join(repr(part) for part in answer[: len(self._shape.key_columns)])
                raise UnreadableRow(
                    f"row ({key}) of table '{self._table.name}' has a '{column.name}' that is no {_WORDS[column.kind]}",
                    hint="the row was written by another program; correct or remove it",
                )

    def _allowed(self, column: Column) -> frozenset[type]:
        if self._shape.has(column.name) and self._shape.is_binary(column.name):
            return frozenset({bytes})
        return _TYPES[column.kind]


def unknown(column: Column) -> str | int | float:
    """What stands for a column that is absent or NULL."""
    if column.default is not None:
        return column.default
    return "" if column.kind in {"text", "binary", "json"} else 0


def as_texts(values: Sequence[bytes]) -> Sequence[str]:
    """Identifiers as text; bytes that are not UTF-8 are carried as surrogates."""
    with contextlib.suppress(UnicodeDecodeError):
        # Many short values are decoded at a time where that cannot be mistaken.
        texts = b"\0".join(values).decode("utf-8").split("\0")
        if len(texts) == len(values):
            return texts
    return [*map(key_text, values)]


def as_bytes(values: Sequence[str]) -> Sequence[bytes]:
    """Identifiers as they are stored; the inverse of `as_texts`."""
    raw = "\0".join(values).encode("utf-8", "surrogateescape").split(b"\0")
    return raw if len(raw) == len(values) else [*map(key_bytes, values)]


def made(row_type: type[R], answers: Iterable[Answer]) -> tuple[R, ...]:
    """Rows of answers that hold their columns in order."""
    return tuple(map(cast("Callable[[Answer], R]", row_type._make), answers))
