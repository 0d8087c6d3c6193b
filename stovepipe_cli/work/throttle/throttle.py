"""The gauges of one job, looked at before each batch, and the bounded wait while one of them says so."""

from collections.abc import Callable, Sequence

from stovepipe_cli.clock import Clock, SystemClock
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.work.throttle.gauges import Gauge
from stovepipe_cli.work.throttle.pace import Pace
from stovepipe_cli.work.throttle.pause import Pause

# Small batches would otherwise ask the servers more often than they write to them.
LOOK_EVERY_SECONDS = 1.0
# How long a stop can go unheard.
SLICE_SECONDS = 0.2

PauseListener = Callable[[Pause | None], None]


class ThrottledTooLong(StovepipeError):
    """A throttle kept the work waiting for longer than was allowed; what was done stays, the rest can be resumed."""

    code = "throttled"
    exit_code = 4
    retryable = True


class Throttle:
    """Any number of gauges in order, and a pace. `listener` hears of each new pause, and of None once work goes on."""

    def __init__(
        self,
        gauges: Sequence[Gauge],
        pace: Pace,
        *,
        clock: Clock,
        timeout_ms: int | None = None,
        listener: PauseListener = lambda _: None,
    ) -> None:
        self._gauges = tuple(gauges)
        self._pace = pace
        self._clock = clock
        self._timeout_ms = timeout_ms
        self._listener = listener
        self._looked_at: float | None = None
        self.pause: Pause | None = None

    def took(self, rows: int) -> None:
        """Account for rows that were handled just now."""
        self._pace.took(rows)

    def wait(self, *, is_stopped: Callable[[], bool] = lambda: False, deadline: float | None = None) -> None:
        """Return when there is no reason to pause, or as soon as `is_stopped`.

        `ThrottledTooLong` after the throttle's own time, or at `deadline` (seconds of the clock's `monotonic`).
        """
        limit = self._limit(deadline)
        while not is_stopped():
            pause = self._look()
            left = self._pace.wait_seconds
            if pause is None and left <= 0:
                return
            if pause is not None and limit is not None and self._clock.monotonic() >= limit:
                raise _too_long(pause)
            if pause is None and deadline is not None and self._clock.monotonic() >= deadline:
                return
            self._clock.sleep(SLICE_SECONDS if pause is not None else min(left, SLICE_SECONDS))

    def _limit(self, deadline: float | None) -> float | None:
        own = None if self._timeout_ms is None else self._clock.monotonic() + self._timeout_ms / 1000
        return min((each for each in (own, deadline) if each is not None), default=None)

    def _look(self) -> Pause | None:
        now = self._clock.monotonic()
        if self._looked_at is not None and now - self._looked_at < LOOK_EVERY_SECONDS:
            return self.pause
        self._looked_at = now
        found = next((pause for gauge in self._gauges if (pause := gauge.look()) is not None), None)
        self._take(found)
        return self.pause

    def _take(self, found: Pause | None) -> None:
        before = self.pause
        if found is None:
            self.pause = None
        elif found.is_like(before) and before is not None:
            self.pause = found.since(found.since_ms or before.since_ms)
        else:
            self.pause = found.since(found.since_ms or self._clock.now_ms())
        is_news = (before is None) != (found is None) or (found is not None and not found.is_like(before))
        if is_news:
            self._listener(self.pause)


def _too_long(pause: Pause) -> ThrottledTooLong:
    return ThrottledTooLong(
        f"the work was held back for too long by {pause.words}",
        hint="resume it once that is over, or raise --throttle-timeout or the limit",
    )


def no_throttle(clock: Clock | None = None) -> Throttle:
    """One that never pauses."""
    chosen = clock or SystemClock()
    return Throttle((), Pace(chosen, None), clock=chosen)
