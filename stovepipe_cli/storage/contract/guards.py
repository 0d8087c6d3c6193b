"""Checks of arguments that every backend makes before it sends a query, so that all refuse the same."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, cast

from stovepipe_cli.entities import limits
from stovepipe_cli.keys import require_bytes, require_name, require_text
from stovepipe_cli.storage.contract.errors import ForeignQueue, InvalidEntity
from stovepipe_cli.storage.contract.mapping_columns import MappingColumns
from stovepipe_cli.storage.contract.rows import TABLE_OF, Row
from stovepipe_cli.storage.contract.tables import Column, ColumnKind

MIN_INT64 = -(2**63)
# Of one character in UTF-8.
_MOST_BYTES = 4

_INTEGERS: Mapping[ColumnKind, tuple[int, int]] = MappingProxyType(
    {"int": (-(2**31), limits.MAX_INT32), "bigint": (MIN_INT64, limits.MAX_INT64)}
)

# An object of strings without escapes.
_FLAT_JSON = re.compile(r'\{(?:"[^"\\\x00-\x1f]*":"[^"\\\x00-\x1f]*"(?:,(?=")|(?=\})))*\}\Z')


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


def are_plain_mappings(queue_bound: str, mappings: MappingColumns) -> bool:
    """Whether a look at all mappings at once tells that each of them can be created; it may be so where it does not."""
    times, ids = mappings.accepted_at_ms, mappings.request_ids
    if mappings.queue != queue_bound or not ids:
        return False
    longest = max(map(len, ids)) * _MOST_BYTES
    return all(ids) and longest <= limits.REQUEST_ID_BYTES and min(times) > 0 and max(times) <= limits.MAX_INT64


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


def require_storable(rows: Sequence[Row]) -> Mapping[type[Row], Sequence[Row]]:
    """The rows by their type, in their order.

    Refuses rows with a value that no backend's column holds: too long, out of range, not UTF-8 or not JSON.
    """
    by_type: dict[type[Row], list[Row]] = {}
    for row in rows:
        own = by_type.get(type(row))
        if own is None:
            own = by_type[type(row)] = []
        own.append(row)
    for row_type, own in by_type.items():
        table = TABLE_OF[row_type]
        for name, values in zip(row_type._fields, zip(*own, strict=True), strict=True):
            column = table.column(name)
            # A look at each value would take longer than the insert.
            if not _is_plainly_storable(column, values):
                for value in values:
                    _require_storable(table.name, column, value)
    return by_type


def _is_plainly_storable(column: Column, values: Sequence[object]) -> bool:
    """Whether nearly nothing has to be asked: texts are short and plain, integers small, JSON is flat."""
    types = set(map(type, values))
    if types == {str}:
        texts = cast("Sequence[str]", values)
        if not "".join(texts).isascii():
            return False
        return all(map(_FLAT_JSON.match, texts)) if column.kind == "json" else max(map(len, texts)) <= column.size
    if types == {int} and column.kind in _INTEGERS:
        numbers = cast("Sequence[int]", values)
        lowest, highest = _INTEGERS[column.kind]
        return lowest <= min(numbers) and max(numbers) <= highest
    return column.kind == "double"


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
