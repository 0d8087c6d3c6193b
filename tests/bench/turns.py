"""Works in turn, so that what slows the machine slows all of them alike."""

import gc
import statistics
import time
from collections.abc import Callable, Sequence


def median_seconds(works: Sequence[Callable[[], object]], *, runs: int) -> list[float]:
    """The median time of each; the first turn fills the caches and does not count."""
    taken: list[list[float]] = [[] for _ in works]
    for run in range(runs + 1):
        for work, seconds in zip(works, taken, strict=True):
            gc.collect()
            started = time.perf_counter()
            work()
            if run:
                seconds.append(time.perf_counter() - started)
    return [statistics.median(seconds) for seconds in taken]
