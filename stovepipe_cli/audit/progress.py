"""How far a verify has come, for whoever shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows that one pass has checked so far; `part` is `settle` while waiting and `confirm` in the second read."""

    part: str
    checked: int
