"""Waits for what another process does, for as short as it takes and never for ever."""

import time
from collections.abc import Callable

POLL_SECONDS = 0.01


def comes_true(condition: Callable[[], bool], *, within_seconds: float) -> bool:
    """Whether `condition` holds now or before the time is up; it is asked at least once."""
    deadline = time.monotonic() + within_seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
