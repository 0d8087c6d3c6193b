"""Where a worker works: its ledger, its clock, what holds it back and what stops it."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.work.fellows import Fellows
from stovepipe_cli.work.identity import WorkerIdentity
from stovepipe_cli.work.settings import WorkSettings
from stovepipe_cli.work.stopping import StopRequest
from stovepipe_cli.work.tally import Progress
from stovepipe_cli.work.throttle import HoldGauge, Pace, Throttle
from stovepipe_cli.work.throttle.throttle import PauseListener

# How long a stop can go unheard.
SLICE_SECONDS = 0.2


def _ignore(_: object) -> None:
    return


@dataclass(frozen=True, slots=True)
class Workplace:
    """`deadline` is when the time budget is spent, in seconds of the clock's `monotonic`; None for no budget.

    `progress` hears how far the whole run is, about once a `poll_seconds`; `on_hold` of an operator's hold and of its
    end. `chance` gives numbers from 0 to 1. `helpers` are other processes that were started for the same run. Without
    `has_heartbeat` leases are renewed between batches alone, on the worker's own thread.
    """

    ledger: QueueLedger
    clock: Clock
    worker: WorkerIdentity
    throttle: Throttle
    settings: WorkSettings = field(default_factory=WorkSettings)
    stop: StopRequest = field(default_factory=StopRequest)
    deadline: float | None = None
    progress: Callable[[Progress], None] = _ignore
    on_hold: PauseListener = _ignore
    chance: Callable[[], float] = random.random
    helpers: Fellows | None = None
    has_heartbeat: bool = True

    @property
    def is_over(self) -> bool:
        """Whether a stop was asked for, or the time budget is spent."""
        return self.stop.stop is not None or (self.deadline is not None and self.clock.monotonic() >= self.deadline)

    def pause(self, seconds: float | None = None) -> None:
        """Wait that long, or as long as the settings say for others; no longer once the work is to stop."""
        until = self.clock.monotonic() + (self.settings.poll_seconds if seconds is None else seconds)
        while not self.is_over and (left := until - self.clock.monotonic()) > 0:
            self.clock.sleep(min(left, SLICE_SECONDS))

    def hold_of(self, run_id: str) -> Throttle:
        """Waits while an operator holds the run."""
        gauge = HoldGauge(partial(self.ledger.holds.of, run_id))
        return Throttle((gauge,), Pace(self.clock, None), clock=self.clock, listener=self.on_hold)
