"""What the walk over requests leaves for the rules about the queue itself, in bounded memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from stovepipe_cli.entities.request import REQUEST_STATES, TERMINAL_STATES
from stovepipe_cli.request_id import MAX_NUMBER, IdForm, parse_request_id, spell_request_id
from stovepipe_cli.storage.contract.rows import RequestRow

# A backlog beyond this is not held; the count of requests in flight is then not judged.
MOST_UNFINISHED = 50_000

_UNFINISHED = frozenset(REQUEST_STATES) - TERMINAL_STATES


class Tally:
    """The highest number, the forms of ids, and the requests that have not ended."""

    def __init__(self, queue: str) -> None:
        self._queue = queue
        self._highest = 0
        self.highest_id = ""
        self.path_ids = 0
        self.decimal_ids = 0
        self.unfinished: set[str] = set()
        self.is_unfinished_whole = True

    def observe(self, request: RequestRow) -> None:
        """Take account of a request."""
        self._observe_id(request.id)
        if request.state in _UNFINISHED:
            if len(self.unfinished) < MOST_UNFINISHED:
                self.unfinished.add(request.id)
            else:
                self.is_unfinished_whole = False

    def observe_ended(self, ids: Sequence[str]) -> tuple[int, str] | None:
        """Take account of many requests that have ended; number and id of the lowest, None where none has a number."""
        found = _all_of_one_form(self._queue, ids)
        if found is None:
            # One of them is unusual, so that each has to be looked at.
            one_by_one = [each for request_id in ids if (each := self._observe_id(request_id)) is not None]
            return min(one_by_one, default=None)
        form, numbers = found
        if form == "path":
            self.path_ids += len(ids)
        else:
            self.decimal_ids += len(ids)
        highest, lowest = max(numbers), min(numbers)
        if highest > self._highest:
            self._highest, self.highest_id = highest, ids[numbers.index(highest)]
        return lowest, ids[numbers.index(lowest)]

    def _observe_id(self, request_id: str) -> tuple[int, str] | None:
        parsed = parse_request_id(self._queue, request_id)
        if parsed is None:
            return None
        if parsed.form == "path":
            self.path_ids += 1
        else:
            self.decimal_ids += 1
        if parsed.number > self._highest:
            self._highest, self.highest_id = parsed.number, request_id
        return parsed.number, request_id

    def as_json(self) -> dict[str, object]:
        """What was seen, for another process."""
        return {
            "highest": [self._highest, self.highest_id],
            "path_ids": self.path_ids,
            "decimal_ids": self.decimal_ids,
            "unfinished": sorted(self.unfinished),
            "is_unfinished_whole": self.is_unfinished_whole,
        }

    def merge(self, seen: Mapping[str, Any]) -> None:
        """Take account of what another one saw of other requests; in whatever order, the end is the same."""
        number, request_id = seen["highest"]
        if (number, self.highest_id) > (self._highest, request_id):
            self._highest, self.highest_id = number, request_id
        self.path_ids += seen["path_ids"]
        self.decimal_ids += seen["decimal_ids"]
        self.unfinished.update(seen["unfinished"])
        self.is_unfinished_whole = self.is_unfinished_whole and seen["is_unfinished_whole"]
        if len(self.unfinished) > MOST_UNFINISHED:
            self.is_unfinished_whole = False
            self.unfinished = set(sorted(self.unfinished)[:MOST_UNFINISHED])

    @property
    def highest_number(self) -> int:
        """The highest number seen, 0 where there is none."""
        return self._highest


def _all_of_one_form(queue: str, ids: Sequence[str]) -> tuple[IdForm, list[int]] | None:
    """The form and the numbers of ids that are all spelled as the service does; None where one is not, or none is."""
    if not ids:
        return None
    prefix = spell_request_id(queue, 1, "path")[:-1]
    form: IdForm = "path" if ids[0].startswith(prefix) else "decimal"
    tails = [*ids] if form == "decimal" else [each[len(prefix) :] for each in ids if each.startswith(prefix)]
    try:
        numbers = [*map(int, tails)]
    except ValueError:
        return None
    if len(numbers) != len(ids) or [*map(str, numbers)] != tails or min(numbers) < 1 or max(numbers) > MAX_NUMBER:
        return None
    return form, numbers
