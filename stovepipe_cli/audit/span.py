"""A stretch of a table in key order."""

from dataclasses import dataclass

from stovepipe_cli.storage.contract.rows import Key


@dataclass(frozen=True, slots=True)
class Span:
    """Rows with `after` < key <= `upto`; None is the table's start, and its end."""

    after: Key | None = None
    upto: Key | None = None


WHOLE = Span()
