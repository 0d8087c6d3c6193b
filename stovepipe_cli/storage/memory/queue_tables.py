"""Row operations on the tables of one queue, each atomic; the stores speak entities on top of it."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from stovepipe_cli.storage.contract import refusals
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    Key,
    QueueRow,
    QueueSummaryRow,
    RequestRow,
    RequestSummaryRow,
    Row,
    key_of,
)
from stovepipe_cli.storage.memory.database import Database, stored_key
from stovepipe_cli.storage.memory.partition import StoredKey

R = TypeVar("R", bound=Row)
Versioned = TypeVar("Versioned", RequestRow, QueueRow, BuildRow, RequestSummaryRow, QueueSummaryRow)


class QueueTables:
    """The tables of a database as one queue sees them."""

    def __init__(self, database: Database, queue: str) -> None:
        self.database = database
        self.queue = queue

    def get(self, row_type: type[R], key: Key) -> R:
        """The row of this key, else `NotFound`."""
        table = TABLE_OF[row_type]
        with self.database.lock:
            row = self.database.partition(row_type, self.queue).get(stored_key(table, key))
        if row is None:
            raise refusals.not_found(table, self.queue, key)
        return row

    def starting_with(self, row_type: type[R], prefix: Key) -> tuple[R, ...]:
        """Every row whose key begins with these parts, in key order."""
        with self.database.lock:
            return self.database.partition(row_type, self.queue).starting_with(stored_key(TABLE_OF[row_type], prefix))

    def page(self, row_type: type[R], after: Key | None, limit: int) -> tuple[R, ...]:
        """The first rows after a key, in key order."""
        bound = None if after is None else stored_key(TABLE_OF[row_type], after)
        with self.database.lock:
            return self.database.partition(row_type, self.queue).page(bound, None, limit)

    def within(self, row_type: type[R], prefix: Key, after: Key | None, limit: int) -> tuple[R, ...]:
        """The first rows whose key begins with `prefix`, in key order, behind `after`: all other parts of a key."""
        table = TABLE_OF[row_type]
        start = stored_key(table, prefix)
        behind = None if after is None else stored_key(table, (*prefix, *after))[len(prefix) :]
        with self.database.lock:
            return self.database.partition(row_type, self.queue).within(start, behind, limit)

    def between(self, row_type: type[R], lowest: Key, below: Key) -> tuple[R, ...]:
        """Every row with lowest <= key < below, in key order."""
        table = TABLE_OF[row_type]
        with self.database.lock:
            partition = self.database.partition(row_type, self.queue)
            return partition.between(stored_key(table, lowest), stored_key(table, below))

    def create(self, row: Row) -> None:
        """Insert, or `AlreadyExists`."""
        table, key = TABLE_OF[type(row)], key_of(row)
        with self.database.lock:
            partition = self.database.writable(type(row), self.queue)
            if partition.get(stored_key(table, key)) is not None:
                raise refusals.already_exists(table, self.queue, key)
            partition.put(stored_key(table, key), self.database.stored(row))

    def create_missing(self, rows: Sequence[R]) -> tuple[R, ...]:
        """Insert those whose key is free and return them; a key that comes twice counts once."""
        created: list[R] = []
        with self.database.lock:
            for row in rows:
                partition = self.database.writable(type(row), self.queue)
                place = stored_key(TABLE_OF[type(row)], key_of(row))
                if partition.get(place) is None:
                    partition.put(place, self.database.stored(row))
                    created.append(row)
        return tuple(created)

    def create_all(self, rows: Sequence[Row]) -> None:
        """Insert all, or nothing and `AlreadyExists`."""
        with self.database.lock:
            batches: dict[type[Row], dict[StoredKey, Row]] = {}
            for row in rows:
                row_type, table, key = type(row), TABLE_OF[type(row)], key_of(row)
                batch, place = batches.setdefault(row_type, {}), stored_key(table, key)
                if place in batch or self.database.partition(row_type, self.queue).get(place) is not None:
                    raise refusals.already_exists(table, self.queue, key)
                batch[place] = self.database.stored(row)
            for row_type, batch in batches.items():
                self.database.writable(row_type, self.queue).put_all(batch)

    def update(self, row: Versioned, fields: Collection[str], *, old_version: int, new_version: int) -> None:
        """Take the named fields of `row` and the new version where the old version is still there."""
        table, key = TABLE_OF[type(row)], key_of(row)
        with self.database.lock:
            partition = self.database.writable(type(row), self.queue)
            current = partition.get(stored_key(table, key))
            if current is None or current.version != old_version:
                raise refusals.version_mismatch(table, self.queue, key, old_version)
            values = {field: getattr(row, field) for field in fields}
            changed = current._replace(**values)._replace(version=new_version)
            partition.put(stored_key(table, key), self.database.stored(changed))

    def delete(self, row: Row) -> bool:
        """Remove the row where it is there and equal in every column."""
        place = stored_key(TABLE_OF[type(row)], key_of(row))
        with self.database.lock:
            partition = self.database.writable(type(row), self.queue)
            if partition.get(place) != self.database.stored(row):
                return False
            partition.remove(place)
            return True
