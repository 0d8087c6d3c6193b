"""One worker of one run: takes step after step, and closes the run behind the last one."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace

from stovepipe_cli.entities.run import Run
from stovepipe_cli.storage.contract import StorageError, StorageUnavailable
from stovepipe_cli.storage.ledger.contract import WorkflowEnded
from stovepipe_cli.work.admission import JOB_KEY, started_body
from stovepipe_cli.work.closing import close_run, settle
from stovepipe_cli.work.errors import ledger_calls
from stovepipe_cli.work.header import amend, require_run
from stovepipe_cli.work.job import JobRegistry
from stovepipe_cli.work.local_workers import DeadWorker
from stovepipe_cli.work.performing import JobFailed, Performer
from stovepipe_cli.work.recovery import recover_gone
from stovepipe_cli.work.stopping import Interruption, Stop
from stovepipe_cli.work.supply import Supply
from stovepipe_cli.work.tally import Progress, Quarantined
from stovepipe_cli.work.workplace import Workplace

# A worker without a step asks for one after this time, then after twice as long, up to what the settings say.
FIRST_POLL_SECONDS = 0.01
MOST_DOUBLINGS = 16


@dataclass(frozen=True, slots=True)
class WorkResult:
    """`run` is as on record afterwards; `stop` says why this worker left before the end, None where all is done.

    `has_closed` tells the one worker that completed the run. `progress`, `quarantined` and `failures` are of the whole
    run, whoever did its steps. `dead` are helpers that ended otherwise than they should.
    """

    run: Run
    stop: Stop | None
    has_closed: bool
    progress: Progress
    quarantined: tuple[Quarantined, ...]
    failures: tuple[str, ...]
    dead: tuple[DeadWorker, ...]


def work(place: Workplace, run_id: str, registry: JobRegistry) -> WorkResult:
    """Work at the run until it is done, or this worker is to stop; helpers do the same meanwhile, and end with it.

    `Refused` for a kind that is not registered. A failure that concerns the whole run is raised, with the lease given
    back and the run left RUNNING, saying why; `LedgerUnavailable` where that cannot be put on record.
    """
    place.settings.validate()
    with ledger_calls(run_id):
        run = require_run(place.ledger, run_id)
        body = (started_body(place.ledger, run_id) or {}).get(JOB_KEY)
    performer = Performer(place, run, registry.make(run, body if isinstance(body, dict) else {}))
    worker = _Worker(place, run_id, performer)
    try:
        with ledger_calls(run_id), place.helpers or nullcontext():
            stop = worker.until_done()
            if stop is not None and place.helpers is not None:
                place.helpers.stop()
    except JobFailed as failed:
        with suppress(StorageError):
            worker.leave(failed.error.message)
        raise failed.error from failed
    with ledger_calls(run_id):
        return worker.result(stop)


class _Worker:
    def __init__(self, place: Workplace, run_id: str, performer: Performer) -> None:
        self._place = place
        self._run_id = run_id
        self._performer = performer
        self._supply = Supply(place, run_id, performer)
        self._has_closed = False
        self._is_alone = False
        self._waits = 0

    def until_done(self) -> Stop | None:
        """Do steps; why it stopped, None once the run has ended as completed."""
        failures = 0
        try:
            self._performer.join()
            while True:
                try:
                    if self._is_done():
                        return self._close()
                    failures = 0
                except StorageUnavailable:
                    # The ledger's: a job's failures come as JobFailed. No lease is held here that could run out.
                    failures += 1
                    if failures >= self._place.settings.max_attempts:
                        raise
                    self._performer.sit_out(failures)
        except Interruption as interruption:
            return self._ended() if interruption.stop.kind == "ended" else interruption.stop
        except WorkflowEnded:
            return self._ended()

    def leave(self, sentence: str) -> None:
        """Put on record why nobody works at the run, if that is so."""
        if recover_gone(self._place.ledger, self._run_id, self._place.worker):
            return
        tally = self._performer.tally
        tally.follow()
        counts = tally.totals()
        amend(
            self._place.ledger,
            self._run_id,
            lambda header: replace(header, stopped_because=sentence, counts=counts),
        )

    def result(self, stop: Stop | None) -> WorkResult:
        """What there is to tell, with what is on record of the run."""
        ledger, tally, helpers = self._place.ledger, self._performer.tally, self._place.helpers
        if stop is not None and stop.kind != "ended":
            self.leave(stop.sentence)
        return WorkResult(
            run=settle(ledger, require_run(ledger, self._run_id)),
            stop=stop,
            has_closed=self._has_closed,
            progress=self._performer.tell(),
            quarantined=tuple(tally.told),
            failures=tally.sentences(),
            dead=() if helpers is None else tuple(helpers.dead),
        )

    def _is_done(self) -> bool:
        """Do a step, or wait for those of others; whether there is none left."""
        self._performer.pulse(at_border=True)
        held = self._supply.next()
        if held is not None:
            self._performer.perform(held)
        elif self._supply.is_used_up():
            return True
        else:
            # Others hold what is left, or it is for them, or it is not yet due.
            held_by_others = recover_gone(self._place.ledger, self._run_id, self._place.worker)
            self._look_for_helpers(is_held=bool(held_by_others))
            self._wait()
            return False
        self._waits = 0
        return False

    def _wait(self) -> None:
        """Often at first: most often another worker is about to end its step."""
        longest = self._place.settings.poll_seconds
        self._place.pause(min(longest, FIRST_POLL_SECONDS * 2**self._waits))
        self._waits = min(self._waits + 1, MOST_DOUBLINGS)

    def _look_for_helpers(self, *, is_held: bool) -> None:
        helpers = self._place.helpers
        if not self._performer.job.relies_on_helpers or is_held or (helpers is not None and helpers.running):
            self._is_alone = False
            return
        # What they completed last may make a step that this worker takes, so look once more before giving up.
        if self._is_alone:
            raise Interruption(Stop("deserted", "every worker has ended, and there are steps left"))
        self._is_alone = True

    def _close(self) -> Stop | None:
        tally = self._performer.tally
        tally.follow()
        run, self._has_closed = close_run(
            self._place.ledger, self._run_id, counts=tally.totals(), failures=tally.sentences()
        )
        return None if run.status == "COMPLETED" else self._ended()

    def _ended(self) -> Stop | None:
        """Another worker completed the run, or an operator ended it."""
        run = settle(self._place.ledger, require_run(self._place.ledger, self._run_id))
        self._performer.tally.follow()
        if run.status == "COMPLETED":
            return None
        return Stop("ended", run.header.stopped_because or f"run '{self._run_id}' is {run.status}")
