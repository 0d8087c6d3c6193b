"""Where a queue's history begins: requests below are legacy, and what they lack is no damage."""

from collections.abc import Mapping, Sequence
from typing import Any

from stovepipe_cli.audit.dossier import FIRST_ENTRY
from stovepipe_cli.audit.options import NO_BOUNDARY
from stovepipe_cli.errors import UsageError
from stovepipe_cli.request_id import parse_request_id
from stovepipe_cli.storage.contract.rows import RequestLogRow

Place = tuple[int, str]


class Boundary:
    """Given, or detected from the requests that are observed: the lowest with a first entry, else with any entry."""

    def __init__(self, queue: str, history_since: str | None) -> None:
        self._queue = queue
        self.is_given = history_since is not None
        self._given: Place | None = None
        self._first: Place | None = None
        self._any: Place | None = None
        self.is_known = self.is_given
        self._has_history = False
        self._assumed: int | None = None
        if history_since is not None and history_since != NO_BOUNDARY:
            number = self.number(history_since)
            if number is None:
                raise UsageError(
                    f"history_since '{history_since}' is no request id of queue '{queue}'",
                    hint="give the id of the first request that has history, or none",
                )
            self._given = (number, history_since)

    def number(self, request_id: str) -> int | None:
        """The number in a request id, None where it is of neither form."""
        parsed = parse_request_id(self._queue, request_id)
        return None if parsed is None else parsed.number

    def observe(self, request_id: str, rows: list[RequestLogRow]) -> None:
        """Take account of the entries of a request that exists."""
        if self.is_given or not rows:
            return
        self._has_history = True
        number = self.number(request_id)
        if number is None:
            return
        if self._any is None or number < self._any[0]:
            self._any = (number, request_id)
        if self._first is None or number < self._first[0]:
            for row in rows:
                if row[1] == FIRST_ENTRY:
                    self._first = (number, request_id)
                    return

    def observe_first_entry(self, number: int, request_id: str) -> None:
        """Take account of a request that exists and has its first entry."""
        if self.is_given:
            return
        self._has_history = True
        if self._first is None or number < self._first[0]:
            self._first = (number, request_id)

    def as_json(self) -> dict[str, object]:
        """What was observed, for another process."""
        return {
            "first": None if self._first is None else list(self._first),
            "any": None if self._any is None else list(self._any),
            "has_history": self._has_history,
        }

    def merge(self, seen: Mapping[str, Any]) -> None:
        """Take account of what another one observed; in whatever order, the end is the same."""
        if self.is_given:
            return
        self._first = _lower(self._first, seen["first"])
        self._any = _lower(self._any, seen["any"])
        self._has_history = self._has_history or seen["has_history"]

    def settle(self) -> None:
        """Every request that could move it was observed."""
        self.is_known = True

    def assume(self, number: int) -> None:
        """Nothing from this number on is legacy; where exactly history begins is not known."""
        self._assumed = number
        self.is_known = True

    @property
    def is_exact(self) -> bool:
        """Whether `lowest` is where history begins."""
        return self.is_known and self._assumed is None

    @property
    def lowest(self) -> Place | None:
        """Number and id of the first request that must have history, as far as observed; None where there is none."""
        if self.is_given:
            return self._given
        return self._first or self._any

    @property
    def is_missing(self) -> bool:
        """Whether nothing that was observed has history, and nobody said since when it should."""
        return not self.is_given and not self._has_history and self._assumed is None

    @property
    def is_first_entry(self) -> bool:
        """Whether it rests on a first entry, or was given."""
        return self.is_given or self._first is not None

    def is_legacy(self, request_id: str) -> bool:
        """Whether a request lies below; ids without a number never do, unless nothing has history."""
        number = self.number(request_id)
        if self._assumed is not None:
            return number is not None and number < self._assumed
        if self.is_missing:
            return True
        lowest = self.lowest
        return lowest is not None and number is not None and number < lowest[0]


def _lower(own: Place | None, other: Sequence[Any] | None) -> Place | None:
    """The lower one; of one number in two spellings, the one that sorts first."""
    if other is None:
        return own
    place = (int(other[0]), str(other[1]))
    return place if own is None else min(own, place)
