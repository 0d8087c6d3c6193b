"""Why work stops before it is done, and how that reaches it."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

StopKind = Literal[
    "signal", "time budget", "throttle", "failure share", "waiting", "job", "ended", "left to others", "deserted"
]


@dataclass(frozen=True, slots=True)
class Stop:
    """`sentence` is what listings show. `ended`: somebody else ended the run.

    `left to others`: all that is left are steps that this process does not take. `deserted`: the same, and whoever
    took them has gone.
    """

    kind: StopKind
    sentence: str
    signal: int | None = None


def run_ended(run_id: str) -> Stop:
    """Nothing is left to do, because somebody else says so."""
    return Stop("ended", f"run '{run_id}' was ended by somebody else")


class Interruption(Exception):
    """Ends a step that is to be done again later. No failure of the step, so nothing may set it aside for that."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.sentence)
        self.stop = stop


class NotYet(Exception):
    """Raised by a job whose next step follows from what steps before it find."""


class NeedsOperator(Exception):
    """Raised by a job whose step must wait for somebody's decision."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _nothing_noted() -> int | None:
    return None


class StopRequest:
    """Asked for once, from a signal handler or another thread, and seen at the next batch border.

    `noted` tells the number of a signal that was caught elsewhere, None for none.
    """

    def __init__(self, noted: Callable[[], int | None] = _nothing_noted) -> None:
        self._noted = noted
        self._stop: Stop | None = None

    def ask(self, sentence: str, *, number: int | None = None) -> None:
        """Stop at the next border. The first request is the one that is told."""
        if self._stop is None:
            self._stop = Stop("signal", sentence, number)

    @property
    def stop(self) -> Stop | None:
        """The request, if there is one."""
        number = self._noted()
        if self._stop is None and number is not None:
            self._stop = Stop("signal", f"stopped by {signal.Signals(number).name}", number)
        return self._stop
