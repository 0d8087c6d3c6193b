"""The row types by table name, for readers and loaders that go through all of them."""

from typing import get_args

from stovepipe_cli.storage.contract.rows import TABLE_OF, Row


def row_types() -> dict[str, type[Row]]:
    """Every row type under its table's name."""
    types: tuple[type[Row], ...] = get_args(Row)
    return {TABLE_OF[row_type].name: row_type for row_type in types}
