"""Every row of a queue, so that two moments can be compared byte for byte."""

from typing import get_args

from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, Row, key_of

PAGE = 1000

Dump = dict[tuple[str, Key], Row]


def dump_rows(storage: Storage) -> list[Row]:
    """All rows of the tables that are there, by table and primary key."""
    found: list[Row] = []
    types: tuple[type[Row], ...] = get_args(Row)
    for row_type in types:
        if storage.audit.view(TABLE_OF[row_type].name) is None:
            continue
        with storage.audit.snapshot() as snapshot:
            after: Key | None = None
            while True:
                page = snapshot.page(row_type, after=after, limit=PAGE)
                found += page.rows
                if page.next_after is None:
                    break
                after = page.next_after
    return found


def dump_by_key(storage: Storage) -> Dump:
    """All rows under their table and key."""
    return {(TABLE_OF[type(row)].name, key_of(row)): row for row in dump_rows(storage)}
