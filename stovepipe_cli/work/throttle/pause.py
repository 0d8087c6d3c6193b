"""Why work pauses."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Pause:
    """One reason.

    `value` is what was measured and `limit` what is allowed, both with their unit; `source` names what was asked.
    `since_ms` is when this reason was first met, 0 while that is not known.
    """

    name: str
    value: str
    limit: str
    source: str
    since_ms: int = 0

    def since(self, at_ms: int) -> Self:
        """The same reason, first met at that time."""
        return replace(self, since_ms=at_ms)

    def is_like(self, other: "Pause | None") -> bool:
        """Whether it is the same reason, whatever was measured."""
        return other is not None and (self.name, self.source) == (other.name, other.source)

    @property
    def words(self) -> str:
        """The reason in one phrase, without since when."""
        return f"{self.name}: {self.value}, limit {self.limit} ({self.source})"
