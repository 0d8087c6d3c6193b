"""Checks of arguments that every backend makes before it sends a query, so that all refuse the same."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import require_bytes, require_name, require_text
from stovepipe_cli.storage.contract.errors import ForeignQueue, InvalidEntity
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row
from stovepipe_cli.storage.contract.tables import Column, ColumnKind

MIN_INT64 = -(2**63)

_INTEGERS: Mapping[ColumnKind, tuple[int, int]] = MappingProxyType(
    {"int": (-(2**31), limits.MAX_INT32), "bigint": (MIN_INT64, limits.MAX_INT64)}
)


class Owned(Protocol):
    """An entity that names its queue and knows its invariants."""

    # What makes a class a dataclass, which `replace` asks for.
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def queue(self) -> str:
        """The queue it belongs to."""
        ...

    def validate(self) -> None:
        """Raise where an invariant is broken."""
        ...


class Versioned(Owned, Protocol):
    """An entity whose row carries a version."""

    @property
    def version(self) -> int:
        """The row version."""
        ...


def require_queue_name(name: str) -> None:
    """Refuse a queue that no storage can be bound to: empty, over 255 bytes, or not UTF-8."""
    require_name("queue", "name", name)
    require_bytes("queue", "name", name, limits.QUEUE_BYTES)
    require_text("queue", "name", name, limits.TEXT_CHARACTERS)


def require_own(queue_bound: str, entity: Owned) -> None:
    """`ForeignQueue` where the entity belongs to another queue, compared as bytes."""
    if entity.queue != queue_bound:
        raise ForeignQueue(
            f"{_kind(entity)} belongs to queue '{entity.queue}', the storage is bound to '{queue_bound}'",
            hint=f"bind a storage to '{entity.queue}'",
        )


def require_creatable(queue_bound: str, entity: Owned) -> None:
    """Refuse a foreign entity, then an invalid one."""
    require_own(queue_bound, entity)
    entity.validate()


def require_updatable(queue_bound: str, entity: Versioned, new_version: int) -> None:
    """Refuse a foreign entity, then one that would be invalid at `new_version`; its own version is not read."""
    require_own(queue_bound, entity)
    replace(entity, version=new_version).validate()


def require_limit(limit: int) -> None:
    """Refuse a page of no entries."""
    if limit < 1:
        raise InvalidEntity(f"a page was asked for with limit {limit}", hint="use a limit of at least 1")


def require_window(accepted_at_or_after_ms: int, accepted_before_ms: int) -> None:
    """Refuse a half-open window of acceptance times that is negative, empty or beyond 64 bits."""
    if not 0 <= accepted_at_or_after_ms < accepted_before_ms <= limits.MAX_INT64:
        raise InvalidEntity(
            f"the acceptance window from {accepted_at_or_after_ms} to before {accepted_before_ms} is negative or empty",
            hint="give two times in Unix milliseconds, the earlier one first",
        )


def require_time_cursor(cursor: tuple[int, str] | None) -> None:
    """Refuse a cursor (time, id) whose time does not fit into 64 bits."""
    if cursor is not None and not MIN_INT64 <= cursor[0] <= limits.MAX_INT64:
        raise InvalidEntity(f"the page cursor has time {cursor[0]}", hint="continue after a key that was listed")


def require_issue_cursor(after: tuple[str, str] | None) -> None:
    """Refuse a cursor (task, unit) that has a unit and no task."""
    if after is not None and after[1] and not after[0]:
        raise InvalidEntity(
            f"the page cursor has unit '{after[1]}' and no task", hint="continue after a task, or a task and its unit"
        )


def require_storable(rows: Sequence[Row]) -> None:
    """Refuse rows with a value that no backend's column holds: too long, out of range, not UTF-8 or not JSON."""
    columns: dict[type[Row], tuple[Column, ...]] = {}
    for row in rows:
        own = columns.get(type(row))
        if own is None:
            table = TABLE_OF[type(row)]
            own = columns[type(row)] = tuple(table.column(name) for name in row._fields)
        for column, value in zip(own, row, strict=True):
            # Nearly all values are short and plain, or small; a look at each bound would take longer than the insert.
            if type(value) is str:
                # JSON has no size of its own.
                if column.size and len(value) <= column.size and value.isascii():
                    continue
            elif type(value) is int and 0 <= value <= limits.MAX_INT32:
                continue
            _require_storable(TABLE_OF[type(row)].name, column, value)


def _require_storable(table: str, column: Column, value: object) -> None:
    match value:
        case str() if column.kind == "binary":
            require_bytes(table, column.name, value, column.size)
        case str() if column.kind == "text":
            require_text(table, column.name, value, column.size)
        case str() if column.kind == "json":
            require_text(table, column.name, value, limits.MAX_INT32)
            _require_json(table, column.name, value)
        case int() if column.kind in _INTEGERS:
            lowest, highest = _INTEGERS[column.kind]
            if not lowest <= value <= highest:
                raise InvalidEntity(
                    f"{table} has {column.name} {value}", hint=f"{column.name} runs from {lowest} to {highest}"
                )


def _require_json(table: str, name: str, text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidEntity(f"{table} has {name} that is not JSON", hint="use '{}' for none") from None


def _kind(entity: Owned) -> str:
    return type(entity).__name__
