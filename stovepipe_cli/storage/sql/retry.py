"""How often a unit of work is redone after which fault, and how long to pause before."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stovepipe_cli.storage.sql.faults import Fault

# Tries in all, the first one included. A lock wait has cost seconds already; a deadlock costs nothing but the redo.
TRIES: Mapping[Fault, int] = MappingProxyType(
    {
        Fault.DEADLOCK: 10,
        Fault.LOCK_WAIT: 3,
        Fault.LOST: 5,
        Fault.UNREACHABLE: 5,
        Fault.OVERLOADED: 6,
        Fault.SERVER_READ_ONLY: 2,
        Fault.COLUMN_ABSENT: 2,
    }
)
MOST_TRIES = 15
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 2.0
# A connection that died while idle and a failover both deserve an immediate second try.
AT_ONCE = frozenset({Fault.LOST, Fault.SERVER_READ_ONLY, Fault.COLUMN_ABSENT})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Sources of time and chance, passed in so that tests wait for nothing."""

    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(slots=True)
class Tries:
    """The faults that one unit of work has met so far."""

    policy: RetryPolicy
    met: Counter[Fault] = field(default_factory=Counter)

    def another(self, fault: Fault) -> bool:
        """Whether to try again, after a pause that grows and is spread by chance; False at once where not."""
        self.met[fault] += 1
        count = self.met[fault]
        if count >= TRIES.get(fault, 1) or self.met.total() >= MOST_TRIES:
            return False
        if not (count == 1 and fault in AT_ONCE):
            longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**count)
            self.policy.sleep(longest * (0.5 + self.policy.chance() / 2))
        return True
