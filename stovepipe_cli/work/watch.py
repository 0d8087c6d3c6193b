"""What a job is given to do one step with: when to go on, how many rows at once, and where to put what goes wrong."""

from collections.abc import Callable, Mapping

from stovepipe_cli.clock import Clock
from stovepipe_cli.entities.invocation import Invocation, InvocationStatus
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.ledger.contract import LeaseLost, RunEnded
from stovepipe_cli.work.batch_size import TARGET_SECONDS, BatchSize
from stovepipe_cli.work.errors import LedgerUnavailable, ledger_calls
from stovepipe_cli.work.lease import Lease
from stovepipe_cli.work.stopping import Interruption, Stop, run_ended
from stovepipe_cli.work.tally import MOST_TOLD, Quarantined, Tally
from stovepipe_cli.work.throttle import Throttle, ThrottledTooLong
from stovepipe_cli.work.workplace import Workplace

# A batch that is slower than meant must still end within the lease.
BUDGET_MS = int(TARGET_SECONDS * 1000) * 4


class StepWatch:
    """Of one attempt at one step. `ready` may end the attempt by an exception that the job lets pass."""

    def __init__(
        self,
        place: Workplace,
        lease: Lease,
        *,
        size: BatchSize,
        tally: Tally,
        hold: Throttle,
        pulse: Callable[[], None],
    ) -> None:
        self._place = place
        self._lease = lease
        self._size = size
        self._tally = tally
        self._hold = hold
        self._pulse = pulse
        self._document: Mapping[str, object] = {}
        self._told: list[Quarantined] = []
        self._stop_reason: str | None = None
        self._handled = 0
        self._quarantined = 0

    @property
    def run_id(self) -> str:
        """The run that the step belongs to."""
        return self._lease.run_id

    @property
    def step_index(self) -> int:
        """Which step it is, from 0."""
        return self._lease.step_index

    @property
    def attempt(self) -> int:
        """Which try it is, from 1. Above 1 some of the step may have been done."""
        return self._lease.attempt

    @property
    def invocation_id(self) -> str:
        """Under which this attempt is on record; no other one ever is."""
        return f"{self._lease.step_index}-{self._lease.fencing}"

    @property
    def worker(self) -> str:
        """Who does it."""
        return self._lease.worker

    @property
    def clock(self) -> Clock:
        """What batches are timed with."""
        return self._place.clock

    @property
    def size(self) -> int:
        """Rows of the next batch."""
        return self._size.rows

    @property
    def size_reason(self) -> str:
        """Why it is that many."""
        return self._size.reason

    def ready(self, budget_ms: int = BUDGET_MS) -> None:
        """Return when a batch that takes up to `budget_ms` may be begun; have no transaction open.

        Waits for holds and throttles. Ends the attempt where the work is to stop, the time is spent, or the lease does
        not last for the batch.
        """
        self._pulse()
        try:
            for throttle in (self._hold, self._place.throttle):
                throttle.wait(is_stopped=self._is_over, deadline=self._place.deadline)
        except ThrottledTooLong as error:
            raise Interruption(Stop("throttle", error.message)) from error
        self._pulse()
        # A budget beyond the lease could never be met.
        wanted = min(budget_ms, self._place.settings.ttl_ms // 2)
        if self._lease.remaining_ms < wanted or self._is_renewal_due:
            self._lease.renew()
        self._require_lease(wanted)

    def took(self, rows: int, seconds: float | None) -> None:
        """A batch of that many rows was written; the next one's size follows from how long it took, if that is told."""
        self._handled += rows
        if seconds is not None:
            self._size.took(rows, seconds)
        self._place.throttle.took(rows)

    def lasted(self, rows: int, seconds: float) -> None:
        """That many rows were looked at and, as far as need be, written, which makes the size of what comes next."""
        self._size.took(rows, seconds)

    def quarantine(self, key: str, reason: str) -> None:
        """Set one row aside, which is then neither written nor tried again. Stops the work where these are too many."""
        self._handled += 1
        self._quarantined += 1
        if len(self._told) < MOST_TOLD:
            self._told.append(Quarantined(key, reason))
        stop = self._tally.too_many(self._place.settings, rows=self._handled, quarantined=self._quarantined)
        if stop is not None:
            raise Interruption(stop)

    def record(self, document: Mapping[str, object]) -> None:
        """Put on record what this attempt is about to write, or what it wrote; it replaces what was recorded before.

        JSON values alone. On record before the batch, it is what a reader has after a kill in the middle of it.
        """
        self._document = document
        self._write("IN_FLIGHT")

    def keep(self, document: Mapping[str, object]) -> None:
        """The same once the attempt ends, for what is too large to be written twice."""
        self._document = document

    def stop_after_this(self, reason: str) -> None:
        """Begin no further step of the run, in any worker that is at work now, once this one is completed."""
        self._stop_reason = reason

    def output(self, result: Mapping[str, object]) -> dict[str, object]:
        """The step's output: what the job answered, and what was counted on the way."""
        output: dict[str, object] = {
            **result,
            "handled": self._handled,
            "quarantined": self._quarantined,
            "quarantine": [{"key": each.key, "reason": each.reason} for each in self._told],
            "ended_ms": self._lease.now_ms,
        }
        if self._stop_reason is not None:
            output["stop"] = self._stop_reason
        return output

    def finish(self, status: InvocationStatus, **more: object) -> None:
        """Lock the record of this attempt."""
        self._document = {**self._document, **more}
        self._write(status)

    def _write(self, status: InvocationStatus) -> None:
        lease = self._lease
        is_over = status != "IN_FLIGHT"
        attempt = Invocation(
            queue=self._place.ledger.queue,
            run_id=lease.run_id,
            # No other attempt ever has this fencing number, so that no attempt can write another one's record.
            invocation_id=self.invocation_id,
            step_index=lease.step_index,
            attempt=lease.attempt,
            worker=lease.worker,
            status=status,
            started_at_ms=lease.granted_ms,
            finished_at_ms=lease.now_ms if is_over else None,
            document=self._document,
        )
        try:
            with ledger_calls(lease.run_id):
                self._place.ledger.runs.record_invocation(attempt)
        except RunEnded as error:
            raise Interruption(run_ended(lease.run_id)) from error

    def _is_over(self) -> bool:
        if self._is_renewal_due:
            self._lease.renew()
        return self._place.stop.stop is not None or self._lease.remaining_ms <= 0

    @property
    def _is_renewal_due(self) -> bool:
        return not self._place.has_heartbeat and self._lease.is_due

    def _require_lease(self, wanted_ms: int) -> None:
        lease = self._lease
        if lease.is_run_ended:
            raise Interruption(run_ended(lease.run_id))
        if lease.is_lost:
            raise LeaseLost(f"the lease of step {lease.step_index} of run '{lease.run_id}' ran out or was taken over")
        if lease.remaining_ms >= wanted_ms:
            return
        failure = lease.failure
        if isinstance(failure, StorageUnavailable) or failure is None:
            with ledger_calls(lease.run_id):
                raise failure or LedgerUnavailable(
                    f"the lease of step {lease.step_index} of run '{lease.run_id}' could not be kept",
                    hint=f"rows written so far stand; 'stovepipe runs resume {lease.run_id}' goes on",
                )
        raise failure
