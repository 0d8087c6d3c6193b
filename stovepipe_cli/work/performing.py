"""One step at a time: done under its lease, its end put on record, its failures tried again or set aside."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import StepEventKind, WorkEvent
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import StorageError, StorageUnavailable
from stovepipe_cli.storage.ledger.contract import LeaseLost
from stovepipe_cli.work.batch_size import BatchSize
from stovepipe_cli.work.errors import LedgerUnavailable, concerns_run, ledger_calls
from stovepipe_cli.work.job import Job
from stovepipe_cli.work.lease import HeldStep, Lease
from stovepipe_cli.work.stopping import Interruption, NeedsOperator, Stop, run_ended
from stovepipe_cli.work.tally import Progress, Tally
from stovepipe_cli.work.watch import StepWatch
from stovepipe_cli.work.workplace import Workplace

BUDGET_ENDED = "the time budget ended"


class JobFailed(Exception):
    """Carries a failure of the job that concerns the whole run past whatever is said of the ledger's failures."""

    def __init__(self, error: StovepipeError) -> None:
        super().__init__(error.message)
        self.error = error


class Performer:
    """Of one worker at one run. Knows how far the run is, and whether to go on."""

    def __init__(self, place: Workplace, run: Run, job: Job) -> None:
        self.job = job
        self.tally = Tally(place.ledger.steps, run.run_id, job.fold)
        self._place = place
        self._run_id = run.run_id
        self._size = BatchSize(job.batch)
        self._hold = place.hold_of(run.run_id)
        self._joined_at = 0
        self._has_heartbeat = place.has_heartbeat and not job.renews_at_batches
        self._looked_at: float | None = None
        self._told_at: float | None = None

    def join(self) -> None:
        """Learn how far the run is. Requests to stop from before now are over."""
        self.tally.follow()
        self._joined_at = self.tally.sequence

    def tell(self) -> Progress:
        """How far the run is, also to whoever listens."""
        progress = self.tally.progress(self._size.rows, self._size.reason)
        self._told_at = self._place.clock.monotonic()
        self._place.progress(progress)
        return progress

    def pulse(self, *, at_border: bool = False) -> None:
        """Stop where that was asked for, the time is spent, or too much is set aside; tell the progress.

        The ledger is asked at every border between steps, and within a step now and then; before every batch where
        nothing is to be written behind a step that waits for an operator.
        """
        place, now = self._place, self._place.clock.monotonic()
        if place.stop.stop is not None:
            raise Interruption(place.stop.stop)
        if place.deadline is not None and now >= place.deadline:
            raise Interruption(Stop("time budget", BUDGET_ENDED))
        every, stands_still = place.settings.poll_seconds, self.job.stops_at_waiting
        if not at_border and not stands_still and self._looked_at is not None and now - self._looked_at < every:
            return
        self._looked_at = now
        # Within a step it is the lease that tells how long a ledger may be silent.
        with nullcontext() if at_border else suppress(StorageUnavailable):
            self.tally.follow()
        if self.tally.is_ended:
            raise Interruption(run_ended(self._run_id))
        stop = self.tally.too_many(place.settings)
        if stop is not None:
            raise Interruption(stop)
        # Race: a step that was claimed just before another one began to wait is not gone on with either.
        if not at_border:
            self._require_nobody_waits()
        if place.helpers is not None:
            place.helpers.look()
        if self._told_at is None or now - self._told_at >= every:
            self.tell()

    def require_going_on(self) -> None:
        """Begin nothing where a step asked for that, or waits for an operator in a job that then stands still."""
        if self.tally.stopped_at > self._joined_at:
            raise Interruption(Stop("job", self.tally.stop_reason))
        self._require_nobody_waits()

    def _require_nobody_waits(self) -> None:
        if self.job.stops_at_waiting and self.tally.waiting:
            raise Interruption(Stop("waiting", next(iter(self.tally.waiting.values()))))

    def sit_out(self, failures: int) -> int:
        """Wait out a database that does not answer; how long that was meant to be, in milliseconds."""
        backoff = self._backoff_ms(failures)
        self._place.pause(backoff / 1000)
        return backoff

    def perform(self, held: HeldStep) -> None:
        """Do the step, and put on record how that ended. Whatever happens, the lease is not kept."""
        place = replace(self._place, has_heartbeat=self._has_heartbeat)
        ttl_ms = place.settings.ttl_ms
        lease = Lease(place.ledger.steps, place.clock, held, worker=place.worker.name, ttl_ms=ttl_ms)
        watch = StepWatch(place, lease, size=self._size, tally=self.tally, hold=self._hold, pulse=self.pulse)
        try:
            with lease.kept() if place.has_heartbeat else nullcontext():
                pause_ms = self._perform(held.claim.input, lease, watch)
        finally:
            lease.let_go()
        place.pause(pause_ms / 1000)

    def _perform(self, covers: Mapping[str, object], lease: Lease, watch: StepWatch) -> int:
        """Milliseconds to do nothing afterwards, because a database does not answer."""
        try:
            result = self.job.perform(covers, watch)
        except NeedsOperator as need:
            watch.finish("CANCELLED", reason=need.reason)
            with suppress(LeaseLost):
                self._append(lease, "StepWaiting", reason=need.reason)
        except Interruption as interruption:
            with suppress(StorageError):
                watch.finish("CANCELLED", reason=interruption.stop.sentence)
            raise
        except LeaseLost as lost:
            # Whoever holds it now does the step again; this worker is well, and goes on with another one.
            watch.finish("CANCELLED", reason=lost.message)
            self._has_heartbeat = self._place.has_heartbeat
        except LedgerUnavailable:
            raise
        except StovepipeError as error:
            return self._fail(error, lease, watch)
        else:
            # On record first: whoever completes the last step may see the run closed before it can write again.
            watch.finish("SUCCEEDED")
            with suppress(LeaseLost):
                self._append(lease, "StepCompleted", output=watch.output(result))
        return 0

    def _fail(self, error: StovepipeError, lease: Lease, watch: StepWatch) -> int:
        watch.finish("FAILED", reason=error.message, code=error.code)
        self.tally.follow()
        failures = self.tally.failures_of(lease.step_index) + 1
        is_last = failures >= self._place.settings.max_attempts
        is_outage = isinstance(error, StorageUnavailable) and concerns_run(error)
        if concerns_run(error) and (is_last or not is_outage):
            raise JobFailed(error) from error
        if is_last or not error.retryable:
            with suppress(LeaseLost):
                if self.job.stops_at_waiting:
                    # Set aside, it would let the steps behind it be begun, which is not for this job to decide.
                    self._append(lease, "StepWaiting", reason=error.message)
                else:
                    self._append(lease, "StepFailed", reason=error.message, is_final=True)
            return 0
        backoff = self._backoff_ms(failures)
        not_before = self._place.ledger.steps.now_ms() + backoff
        with suppress(LeaseLost):
            self._append(lease, "StepFailed", reason=error.message)
            self._append(lease, "RetryScheduled", reason=error.message, not_before_ms=not_before)
        # Every other step would meet the same outage, and use up its tries.
        return backoff if is_outage else 0

    def _append(self, lease: Lease, kind: StepEventKind, **body: object) -> None:
        event = WorkEvent(
            self._place.ledger.queue,
            lease.run_id,
            kind,
            token=f"{kind}-{lease.step_index}-{lease.fencing}",
            step_index=lease.step_index,
            attempt=lease.attempt,
            worker=lease.worker,
            fencing=lease.fencing,
            body=body,
        )
        with ledger_calls(lease.run_id):
            self._place.ledger.steps.append_event(event)
        if kind != "StepFailed" or body.get("is_final") is True:
            lease.settle()

    def _backoff_ms(self, failures: int) -> int:
        settings = self._place.settings
        longest = min(settings.longest_backoff_ms, settings.first_backoff_ms * 2 ** (failures - 1))
        # Spread, so that workers that failed together do not come back together.
        return int(longest * (0.5 + self._place.chance() / 2))
