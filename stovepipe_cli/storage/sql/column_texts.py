"""Whole columns from the texts that a database folded them into."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from stovepipe_cli.keys import key_text
from stovepipe_cli.storage.contract.column_page import ColumnPage
from stovepipe_cli.storage.contract.folding import BETWEEN_ENTRIES, MOST_LOGGED, LogTexts
from stovepipe_cli.storage.contract.tables import Table

# A server cuts a text that is longer than it was told to make one (`group_concat_max_len`), at most by a character
# less; what comes close to that is not trusted.
LONGEST_TEXT = 1_048_576
_NEARLY = LONGEST_TEXT - 16

_ODD = ColumnPage((), None, is_odd=True)
_NUMBERS: Mapping[str, Callable[[str], int | float]] = MappingProxyType({"int": int, "bigint": int, "double": float})


def unfolded_columns(
    table: Table, listed: Sequence[str], alike: Sequence[str], count: int, texts: Sequence[Any], *, is_odd: bool
) -> ColumnPage:
    """The page of `count` rows; `texts` are one of each listed column, then the lowest and highest of those alike."""
    if is_odd:
        return _ODD
    if not count:
        return ColumnPage(tuple([] for _ in listed), None)
    columns: list[Sequence[Any]] = []
    for name, text in zip(listed, map(_text, texts), strict=False):
        parts = text.split(BETWEEN_ENTRIES)
        # A value that holds what stands between makes more parts than there are rows.
        if len(parts) != count or len(text) > _NEARLY // 4:
            return _ODD
        number = _NUMBERS.get(table.column(name).kind)
        columns.append(parts if number is None else [*map(number, parts)])
    size = len(alike)
    lowest, highest = texts[len(listed) : len(listed) + size], texts[len(listed) + size :]
    if lowest != highest:
        return ColumnPage(tuple(columns), None)
    values = tuple(
        _text(value) if (number := _NUMBERS.get(table.column(name).kind)) is None else number(value)
        for name, value in zip(alike, lowest, strict=True)
    )
    return ColumnPage(tuple(columns), values)


def whole_texts(answer: Sequence[Any], *, is_server: bool) -> LogTexts:
    """The texts of the log from an answer: the count, one of each column, and whether the rows are odd."""
    count, *texts, is_odd = answer
    *columns, times = [_text(text or "") for text in texts]
    is_cut = count > MOST_LOGGED or (
        is_server and any(len(text) > (_NEARLY if text.isascii() else _NEARLY // 4) for text in (*columns, times))
    )
    return LogTexts(count, tuple(columns), times, is_odd=bool(is_odd) or is_cut)


def _text(value: str | bytes) -> str:
    return key_text(value) if isinstance(value, bytes) else value
