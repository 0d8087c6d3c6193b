"""Which step a worker does next: one that somebody left behind, else the next of the job."""

from collections.abc import Mapping

from stovepipe_cli.entities.work import WorkStep
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.storage.ledger.contract import Claimed
from stovepipe_cli.work.lease import HeldStep
from stovepipe_cli.work.performing import JobFailed, Performer
from stovepipe_cli.work.stopping import Interruption, NotYet, Stop
from stovepipe_cli.work.workplace import Workplace

# Other workers look at the same ones at the same time.
CANDIDATES = 8
NOWHERE = -2


class Supply:
    """Of one worker. The job is asked for a step only when none is left behind."""

    def __init__(self, place: Workplace, run_id: str, performer: Performer) -> None:
        self._place = place
        self._steps = place.ledger.steps
        self._run_id = run_id
        self._performer = performer
        self._ended_behind = NOWHERE
        self._mint_failures = 0

    def next(self) -> HeldStep | None:
        """A step with its lease; None where there is none to be had now."""
        for step in self._steps.claimable(self._run_id, limit=CANDIDATES):
            if not self._performer.job.takes(step.input):
                continue
            held = self._claim(step.step_index, None)
            if held is not None:
                return held
        while True:
            last = self._steps.last_step(self._run_id)
            index = -1 if last is None else last.step_index
            if index == self._ended_behind:
                return None
            try:
                covers = self._mint(None if last is None else last.input)
            except NotYet:
                return None
            if covers is None:
                self._end_behind(last)
                return None
            if not self._performer.job.takes(covers):
                self._leave_if_all_is_left(None)
                return None
            held = self._claim(index + 1, covers)
            if held is not None:
                return held

    def is_used_up(self) -> bool:
        """Whether every step was minted and is disposed of. Stops where all that is left waits for an operator."""
        counts = self._steps.counts_by_status(self._run_id)
        if counts["pending"] or counts["running"]:
            return False
        # Asked behind the counts: a step made in between would be in neither.
        last = self._steps.last_step(self._run_id)
        if (-1 if last is None else last.step_index) != self._ended_behind:
            return False
        if counts["waiting"]:
            waiting = self._steps.steps(self._run_id, limit=1, status="waiting")
            reason = f": {waiting[0].reason}" if waiting and waiting[0].reason else ""
            some = "a step waits" if counts["waiting"] == 1 else f"{counts['waiting']} steps wait"
            raise Interruption(Stop("waiting", f"{some} for an operator{reason}"))
        return True

    def _end_behind(self, last: WorkStep | None) -> None:
        self._ended_behind = -1 if last is None else last.step_index
        # Where no step was ever made, there is none that others could take.
        if last is not None:
            self._leave_if_all_is_left(last)

    def _leave_if_all_is_left(self, last: WorkStep | None) -> None:
        """End this worker's part where no step but `last` is to be done, and that one is for others."""
        job = self._performer.job
        is_for_others = last is None or (not last.is_disposed and not job.takes(last.input))
        if job.relies_on_helpers or not is_for_others:
            return
        counts = self._steps.counts_by_status(self._run_id)
        if counts["pending"] + counts["running"] <= (last is not None):
            raise Interruption(Stop("left to others", "what is left to do is for who started or resumes the run"))

    def _claim(self, index: int, covers: dict[str, object] | None) -> HeldStep | None:
        self._performer.require_going_on()
        place = self._place
        asked_at = place.clock.monotonic()
        claim = self._steps.claim_step(
            self._run_id, index, place.worker.name, ttl_ms=place.settings.ttl_ms, covers=covers
        )
        return HeldStep(self._run_id, index, claim, asked_at) if isinstance(claim, Claimed) else None

    def _mint(self, last: Mapping[str, object] | None) -> dict[str, object] | None:
        while True:
            try:
                covers = self._performer.job.mint(last)
            except StorageUnavailable as error:
                self._mint_failures += 1
                if self._mint_failures >= self._place.settings.max_attempts:
                    raise JobFailed(error) from error
                self._performer.sit_out(self._mint_failures)
            except StovepipeError as error:
                raise JobFailed(error) from error
            else:
                self._mint_failures = 0
                return None if covers is None else dict(covers)
