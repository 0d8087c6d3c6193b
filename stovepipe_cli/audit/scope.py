"""Which requests of the queue a verify was asked to look at, and how to say so."""

from dataclasses import dataclass

from stovepipe_cli.request_id import parse_request_id


@dataclass(frozen=True, slots=True)
class Scope:
    """`ids` names requests one by one; `lowest` and `highest` bound their numbers. All None: every request.

    `words` tell everything that was left out, rules too; None where nothing was.
    """

    queue: str
    words: str | None
    ids: frozenset[str] | None = None
    lowest: int | None = None
    highest: int | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether some requests are left out."""
        return self.ids is not None or self.lowest is not None or self.highest is not None

    def contains(self, request_id: str) -> bool:
        """Whether a request is looked at; within bounds, ids without a number are not."""
        if self.ids is not None:
            return request_id in self.ids
        if self.lowest is None and self.highest is None:
            return True
        parsed = parse_request_id(self.queue, request_id)
        if parsed is None:
            return False
        return (self.lowest is None or parsed.number >= self.lowest) and (
            self.highest is None or parsed.number <= self.highest
        )
