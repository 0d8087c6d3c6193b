"""Garbage collection while whole tables pass through memory."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Pages of rows are many young tuples without cycles, which a collection every few hundred would visit again and again.
ALLOCATIONS = 100_000


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Let the collector of this process run less often until the end of the block."""
    before = gc.get_threshold()
    gc.set_threshold(max(ALLOCATIONS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
