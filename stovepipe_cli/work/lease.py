"""A step's lease as its holder sees it, and the thread that renews it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.contract import StorageError
from stovepipe_cli.storage.ledger.contract import Claimed, LeaseLost, StepStore, WorkflowEnded

RENEWALS_A_TTL = 3
# After a renewal that failed: tries left before the lease runs out, at least.
TRIES_A_TTL = 10
LONGEST_RETRY_SECONDS = 1.0
JOIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class HeldStep:
    """A step that was claimed; `asked_at` is when the claim was sent, in seconds of the clock's `monotonic`."""

    run_id: str
    index: int
    claim: Claimed
    asked_at: float


class Lease:
    """Of one step, held by one worker.

    Its end is reckoned from before the question was sent, so that it comes early rather than late: the ledger's
    lease cannot end before this one does, unless the two clocks run at different speeds.
    """

    def __init__(self, steps: StepStore, clock: Clock, held: HeldStep, *, worker: str, ttl_ms: int) -> None:
        self._steps = steps
        self._clock = clock
        self._claim = held.claim
        self.run_id = held.run_id
        self.step_index = held.index
        self.worker = worker
        self._ttl_ms = ttl_ms
        self._asked_at = held.asked_at
        self._until = held.asked_at + ttl_ms / 1000
        self._lock = threading.Lock()
        self._is_settled = False
        self.is_lost = False
        self.is_run_ended = False
        self.failure: StorageError | None = None

    @property
    def fencing(self) -> int:
        """Goes with every write of this holder."""
        return self._claim.fencing

    @property
    def attempt(self) -> int:
        """Which try at the step this is."""
        return self._claim.attempt

    @property
    def granted_ms(self) -> int:
        """When it was granted, by the ledger's clock."""
        return self._claim.until_ms - self._ttl_ms

    @property
    def now_ms(self) -> int:
        """The ledger's clock, reckoned from when the lease was granted."""
        return self.granted_ms + int((self._clock.monotonic() - self._asked_at) * 1000)

    @property
    def remaining_ms(self) -> float:
        """How long it certainly lasts; not positive once it may have run out."""
        return 0.0 if self.is_lost or self.is_run_ended else (self._until - self._clock.monotonic()) * 1000

    @property
    def is_due(self) -> bool:
        """Whether it is time for a renewal."""
        return self.remaining_ms < self._ttl_ms * (RENEWALS_A_TTL - 1) / RENEWALS_A_TTL

    def renew(self) -> bool:
        """Try to; whether it was renewed. What went wrong is kept in `is_lost`, `is_run_ended` or `failure`."""
        with self._lock:
            if self._is_settled or self.is_lost or self.is_run_ended:
                return False
            asked_at = self._clock.monotonic()
            try:
                self._steps.renew_lease(
                    self.run_id, self.step_index, self.worker, fencing=self.fencing, ttl_ms=self._ttl_ms
                )
            except LeaseLost:
                self.is_lost = True
            except WorkflowEnded:
                self.is_run_ended = True
            except StorageError as failure:
                self.failure = failure
            else:
                self._until = asked_at + self._ttl_ms / 1000
                self.failure = None
                return True
            return False

    def settle(self) -> None:
        """The step's record no longer names this lease; it is neither renewed nor released from now on."""
        self._is_settled = True

    def let_go(self) -> None:
        """Give it back, so that nobody has to wait for its end. Where that cannot be, it runs out."""
        if self._is_settled:
            return
        self._is_settled = True
        with suppress(StorageError):
            self._steps.release_lease(self.run_id, self.step_index, self.worker, fencing=self.fencing)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Meanwhile a thread renews it. A thread that cannot, or has died, leaves the lease to run out."""
        done = threading.Event()
        thread = threading.Thread(target=self._keep, args=(done,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            # It may be asking a server that does not answer; then it ends by itself, and has nothing left to renew.
            thread.join(JOIN_SECONDS)

    def _keep(self, done: threading.Event) -> None:
        pause = self._ttl_ms / 1000 / RENEWALS_A_TTL
        retry = min(LONGEST_RETRY_SECONDS, self._ttl_ms / 1000 / TRIES_A_TTL)
        wait = pause
        while not done.wait(wait):
            wait = pause if self.renew() else retry
            if self.is_lost or self.is_run_ended:
                return
