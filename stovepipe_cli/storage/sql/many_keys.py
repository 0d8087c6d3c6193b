"""Rows of many keys in few statements."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from stovepipe_cli.storage.contract.rows import Key, Row
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sql.table_statements import TableStatements
from stovepipe_cli.storage.sql.table_values import Unstorable, Values, made

R = TypeVar("R", bound=Row)

# A chunk is filled up to one of few sizes by repeating its last key, so that there are few statements to build.
# Beyond a thousand values MariaDB turns a list into a join, and SQLite refuses a thousand alternatives.
LIST_SIZES = (1, 10, 100, 500)
ALTERNATIVE_SIZES = (1, 10, 50, 200)


def rows_of_keys(
    session: Session, statements: TableStatements, row_type: type[R], queue: str, keys: Sequence[Key]
) -> tuple[R, ...]:
    """The rows of a queue whose key starts with one of `keys`, byte for byte and each once, in no order."""
    by_parts: dict[int, dict[Key, Values]] = {}
    for key in keys:
        try:
            by_parts.setdefault(len(key), {})[key] = _stored(statements, key)
        except Unstorable:
            continue
    found: list[tuple[Any, ...]] = []
    for parts, wanted in by_parts.items():
        found.extend(_of_length(session, statements, queue, parts, wanted))
    if len(by_parts) > 1:
        size = len(statements.key_columns)
        found = [*{row[:size]: row for row in found}.values()]
    return made(row_type, found)


def _of_length(
    session: Session, statements: TableStatements, queue: str, parts: int, wanted: dict[Key, Values]
) -> Iterator[tuple[Any, ...]]:
    sizes = LIST_SIZES if parts <= 1 else ALTERNATIVE_SIZES
    pending = list(wanted.values())
    is_exact = all(statements.shape.is_byte_exact(name) for name in statements.key_columns[:parts])
    for start in range(0, len(pending), sizes[-1]):
        chunk = pending[start : start + sizes[-1]]
        size = next(size for size in sizes if size >= len(chunk))
        is_padded = size > len(chunk)
        chunk += [chunk[-1]] * (size - len(chunk))
        values = statements.values.identified(queue, ())
        for number, key in enumerate(chunk):
            for name, value in key.items():
                values[f"k{number}_{name}"] = value
        rows = statements.values.read(session.rows(statements.many(parts, size), values))
        if is_padded:
            # A join answers the repeated key each time it stands there.
            width = len(statements.key_columns)
            rows = list({row[:width]: row for row in rows}.values())
        yield from rows if is_exact else (row for row in rows if row[:parts] in wanted)


def _stored(statements: TableStatements, key: Key) -> Values:
    return {name: statements.values.stored(name, part) for name, part in zip(statements.key_columns, key, strict=False)}
