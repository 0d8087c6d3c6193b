"""What the walk over requests leaves for the rules about the queue itself, in bounded memory."""

from stovepipe_cli.entities.request import REQUEST_STATES, TERMINAL_STATES
from stovepipe_cli.request_id import parse_request_id
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
        parsed = parse_request_id(self._queue, request.id)
        if parsed is not None:
            if parsed.form == "path":
                self.path_ids += 1
            else:
                self.decimal_ids += 1
            if parsed.number > self._highest:
                self._highest, self.highest_id = parsed.number, request.id
        if request.state in _UNFINISHED:
            if len(self.unfinished) < MOST_UNFINISHED:
                self.unfinished.add(request.id)
            else:
                self.is_unfinished_whole = False

    @property
    def highest_number(self) -> int:
        """The highest number seen, 0 where there is none."""
        return self._highest
