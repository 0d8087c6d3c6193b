"""The entries of one request folded into a few texts, so that reading them costs little more than one row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stovepipe_cli.storage.contract.rows import Key, RequestLogRow

# Control characters that no text of a sound entry holds; counting them tells where one does.
BETWEEN_ENTRIES = "\x1e"
BETWEEN_COLUMNS = "\x1f"

# Longer histories come without their texts.
MOST_FOLDED = 8
# Nor are texts made of more entries: the usual ones of a page are six for each of a thousand requests.
MOST_LOGGED = 20_000

FOLDED_COLUMNS = ("log_id", "state", "event", "request_version", "outcome_reason", "metadata")
FOLDED_TIME = "timestamp_ms"
LOGGED_COLUMNS = ("request_id", *FOLDED_COLUMNS)


class FoldedHistory(NamedTuple):
    """How many entries there are, a text of their columns, and one of their times, in one order for the moment.

    `is_odd` tells that the rows themselves must be read: they are of two requests that are equal by collation, or of
    another queue, or hold a value that is not of its column's type.
    """

    request_id: str
    entries: int
    text: str
    times: str
    is_odd: int


@dataclass(frozen=True, slots=True)
class FoldedPage:
    """Histories in key order, as plain tuples of the fields of `FoldedHistory`.

    `is_odd` where one of them is. `next_after` is where the next page starts, None only after an explicit empty answer.
    `is_by_column`: a text holds one column of all entries after the other, and not one entry after the other.
    """

    histories: Sequence[tuple[Any, ...]]
    is_odd: bool
    next_after: Key | None
    is_by_column: bool = False


@dataclass(frozen=True, slots=True)
class LogTexts:
    """The entries of many requests, in key order: how many, and of each column one text.

    `columns` are those of `LOGGED_COLUMNS`. `is_odd` tells that nothing but the rows can be trusted: one is of another
    queue, or holds a value that is not of its column's type, or there are too many of them, or too long ones.
    """

    entries: int
    columns: tuple[str, ...]
    times: str
    is_odd: bool = False


def log_texts(rows: Sequence[RequestLogRow]) -> LogTexts:
    """The same of rows in key order."""
    columns = (BETWEEN_ENTRIES.join(str(getattr(row, name)) for row in rows) for name in LOGGED_COLUMNS)
    return LogTexts(len(rows), tuple(columns), BETWEEN_ENTRIES.join(str(row.timestamp_ms) for row in rows))


def folded(request_id: str, entries: int, rows: Sequence[RequestLogRow]) -> FoldedHistory:
    """The history of a request from its rows, of which none need be given where there are too many to fold."""
    shown = rows if entries <= MOST_FOLDED else ()
    texts = (BETWEEN_COLUMNS.join(str(getattr(row, name)) for name in FOLDED_COLUMNS) for row in shown)
    times = (str(row.timestamp_ms) for row in shown)
    return FoldedHistory(request_id, entries, BETWEEN_ENTRIES.join(texts), BETWEEN_ENTRIES.join(times), is_odd=0)


def unfolded(text: str, entries: int, *, is_by_column: bool) -> list[list[str]] | None:
    """The columns of every entry; None where a value holds what stands between them, so that they cannot be told."""
    outer, inner = BETWEEN_ENTRIES, BETWEEN_COLUMNS
    if is_by_column:
        outer, inner = inner, outer
    found = [part.split(inner) for part in text.split(outer)]
    sizes = (len(FOLDED_COLUMNS), entries) if is_by_column else (entries, len(FOLDED_COLUMNS))
    if len(found) != sizes[0] or any(len(part) != sizes[1] for part in found):
        return None
    return [*map(list, zip(*found, strict=True))] if is_by_column else found
