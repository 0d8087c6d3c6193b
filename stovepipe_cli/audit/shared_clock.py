"""A clock whose waits can be ended: an answer that is long in coming must not keep a signal from being heard."""

from collections.abc import Callable

from stovepipe_cli.clock import Clock

SLICE_SECONDS = 0.2


class AttentiveClock:
    """Waits in slices, and has `look` before each; whatever that raises ends the wait."""

    def __init__(self, clock: Clock, look: Callable[[], None]) -> None:
        self._clock, self._look = clock, look

    def now_ms(self) -> int:
        """Unix milliseconds."""
        return self._clock.now_ms()

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait, and look around meanwhile."""
        until = self._clock.monotonic() + seconds
        self._look()
        while (left := until - self._clock.monotonic()) > 0:
            self._clock.sleep(min(left, SLICE_SECONDS))
            self._look()
