"""Expressions that fold the rows of a group into texts, as `storage.contract.folding` describes them."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ColumnElement

from stovepipe_cli.storage.contract.folding import BETWEEN_COLUMNS, BETWEEN_ENTRIES, MOST_FOLDED

Expression = ColumnElement[Any]


def folded(columns: Sequence[Expression], *, is_by_column: bool) -> Expression:
    """One text of these columns of all rows of a group, empty where there are too many rows.

    By column it joins one aggregate for each, and else aggregates what is joined of each row: the databases differ in
    which of the two takes half as long again.
    """
    entries: Expression = sa.literal_column(f"'{BETWEEN_ENTRIES}'")
    between: Expression = sa.literal_column(f"'{BETWEEN_COLUMNS}'")
    text: Expression
    if is_by_column:
        first, *others = (sa.func.group_concat(column, entries) for column in columns)
        text = first
        for other in others:
            text = text.op("||")(between).op("||")(other)
    else:
        text = columns[0]
        if len(columns) > 1:
            # As bytes, since columns of different collations do not go into one text.
            text = sa.func.concat_ws(between, *(sa.cast(each, sa.LargeBinary) for each in columns))
        text = sa.func.group_concat(text.op("SEPARATOR")(entries))
    return sa.case((sa.func.count() <= sa.literal_column(str(MOST_FOLDED)), text), else_=sa.literal_column("''"))


def count_of_odd_types(texts: Sequence[Expression], numbers: Sequence[Expression]) -> Expression:
    """How many rows hold bytes for a text, or anything else for a number, where columns take any type.

    Numbers sort before all texts, and bytes behind them.
    """
    empty_bytes: Expression = sa.literal_column("x''")
    empty_text: Expression = sa.literal_column("''")
    sound = [*(each < empty_bytes for each in texts), *(each < empty_text for each in numbers)]
    return sa.func.count().filter(sa.not_(sa.and_(*sound)))


def differs(column: Expression, value: Expression | None = None) -> Expression:
    """Whether the bytes of a column differ from a value, or among the rows of the group."""
    raw = sa.cast(column, sa.LargeBinary)
    lowest, highest = sa.func.min(raw), sa.func.max(raw)
    return lowest != highest if value is None else sa.or_(lowest != value, highest != value)


def whole_column(column: Expression, *, is_server: bool) -> Expression:
    """One text of a column of all rows, in the order in which they are read."""
    between: Expression = sa.literal_column(f"'{BETWEEN_ENTRIES}'")
    if is_server:
        return sa.func.group_concat(column.op("SEPARATOR")(between))
    return sa.func.group_concat(column, between)


def sorted_bytewise(column: Expression, *, is_inexact: bool) -> Expression:
    """A value that is equal to another one only where their bytes are, which that of an inexact column is not."""
    return sa.cast(column, sa.LargeBinary) if is_inexact else column
