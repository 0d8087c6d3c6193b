"""Several queues in one run: which of them, in what order, and how much time each may take."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stovepipe_cli.clock import Clock
from stovepipe_cli.errors import UsageError
from stovepipe_cli.keys import key_bytes


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` shares of all queues; `number` counts from 1."""

    number: int
    count: int

    def holds(self, queue: str) -> bool:
        """Whether a queue falls into this share: by its name alone, so that no share depends on which others run."""
        digest = hashlib.sha256(key_bytes(queue)).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number - 1


def parse_shard(text: str) -> Shard:
    """A share written `3/16`; `UsageError` for anything else."""
    number, slash, count = text.partition("/")
    is_number = number.isascii() and number.isdigit() and count.isascii() and count.isdigit()
    if not slash or not is_number or not 1 <= int(number) <= int(count):
        raise UsageError(f"--shard '{text}' is no share", hint="write 3/16 for the third of sixteen")
    return Shard(int(number), int(count))


def choose(queues: Iterable[str], *, exclude: Sequence[str], shard: Shard | None) -> list[str]:
    """The queues to look at, each once and in their order."""
    left_out = frozenset(exclude)
    return [queue for queue in dict.fromkeys(queues) if queue not in left_out and (shard is None or shard.holds(queue))]


def stalest_first(queues: Sequence[str], verified_at_ms: Mapping[str, int]) -> list[str]:
    """Those never verified first, then by the time of the last verify, then by name."""
    return sorted(queues, key=lambda queue: (verified_at_ms.get(queue, -1), key_bytes(queue)))


class Budget:
    """Time for all queues together and for each of them; None: without bound."""

    def __init__(self, clock: Clock, *, total_ms: int | None, each_ms: int | None) -> None:
        self._clock = clock
        self._end = None if total_ms is None else clock.monotonic() + total_ms / 1000
        self._each_ms = each_ms

    def next_ms(self) -> int | None:
        """What the next queue may take, 0 where nothing is left."""
        if self._end is None:
            return self._each_ms
        left = max(round((self._end - self._clock.monotonic()) * 1000), 0)
        return left if self._each_ms is None else min(left, self._each_ms)
