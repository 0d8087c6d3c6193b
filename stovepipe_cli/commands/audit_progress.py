"""How far a verify has come, in a sentence: counts, rate, and an estimate where there is something to estimate by."""

from typing import TYPE_CHECKING

from stovepipe_cli.clock import Clock
from stovepipe_cli.commands.progress import ProgressLine
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.instants import format_age

if TYPE_CHECKING:
    from stovepipe_cli.audit.progress import Progress
    from stovepipe_cli.storage.contract import Storage

# Passes over tables that hold about a row a request.
_A_ROW_A_REQUEST = frozenset({"builds", "facts", "acceptances", "uris"})
_SENTENCES = {"settle": "waiting before the second read", "confirm": "second read: {checked:,} looked at again"}

# A rate over less than this says more about the first page than about the rest.
_LEAST_SECONDS = 1.0
_MOST_PERCENT = 99


class AuditProgress:
    """Give it to a verify. `is_whole` tells that the whole queue is walked, so that its size means something."""

    def __init__(
        self, line: ProgressLine, clock: Clock, storage: "Storage", *, prefix: str = "", is_whole: bool = True
    ) -> None:
        from stovepipe_cli.render.sanitise import visible

        self._line = line
        self._clock = clock
        self._storage = storage
        self._prefix = visible(prefix)
        self._is_whole = is_whole
        self._part = ""
        self._started = 0.0
        self._requests: int | None = None

    def __call__(self, at: "Progress") -> None:
        """Show the news."""
        now = self._clock.monotonic()
        if at.part != self._part:
            if not self._part and self._is_whole:
                self._requests = self._expected_requests()
            self._part, self._started = at.part, now
        if at.part == "requests" and self._requests is not None:
            # The highest number was a guess at how many there are; more than that can only be counted.
            self._requests = max(self._requests, at.checked)
        self._line(self._prefix + self._sentence(at, now - self._started))

    def _sentence(self, at: "Progress", seconds: float) -> str:
        if at.part in _SENTENCES:
            return _SENTENCES[at.part].format(checked=at.checked)
        expected = self._requests if at.part == "requests" or at.part in _A_ROW_A_REQUEST else None
        text = f"{at.part}: {at.checked:,} checked"
        is_estimated = expected is not None and at.checked < expected
        if expected is not None and is_estimated:
            text += f" of about {expected:,} ({min(100 * at.checked // expected, _MOST_PERCENT)} %)"
        if seconds >= _LEAST_SECONDS and at.checked:
            rate = at.checked / seconds
            text += f", {rate:,.0f} a second"
            if expected is not None and is_estimated:
                text += f", about {format_age(round((expected - at.checked) / rate * 1000))} left for this part"
        return text

    def _expected_requests(self) -> int | None:
        """The number of the latest request: ids are counted up, and a gap only makes the estimate too high."""
        from stovepipe_cli.request_id import parse_request_id

        try:
            latest = self._storage.queues.get().latest_request_id
        except StovepipeError:
            return None
        parsed = parse_request_id(self._storage.queue, latest)
        return None if parsed is None else parsed.number
