"""How far a run is over all its workers, followed along its events."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from stovepipe_cli.entities.work import ENDINGS, WorkEvent
from stovepipe_cli.storage.ledger.contract import StepStore
from stovepipe_cli.work.settings import WorkSettings
from stovepipe_cli.work.stopping import Stop

PAGE = 1_000
# Rows and steps beyond these are counted and not told one by one.
MOST_TOLD = 1_000

Fold = Callable[[Mapping[str, int], Mapping[str, object]], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A row that was set aside, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of steps, and of rows in completed ones. `counts` are the job's own."""

    minted: int
    completed: int
    failed_steps: int
    waiting: int
    retries: int
    handled: int
    quarantined: int
    counts: Mapping[str, int]
    size: int = 0
    size_reason: str = ""


@dataclass(slots=True)
class Tally:
    """`quarantined` counts rows, and each step that failed for good as one. Every event is read once."""

    steps: StepStore
    run_id: str
    fold: Fold
    sequence: int = 0
    minted: int = 0
    completed: int = 0
    failed_steps: int = 0
    retries: int = 0
    handled: int = 0
    quarantined: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    told: list[Quarantined] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    waiting: dict[int, str] = field(default_factory=dict)
    stopped_at: int = 0
    stop_reason: str = ""
    is_ended: bool = False
    _failed: Counter[int] = field(default_factory=Counter)

    def follow(self) -> None:
        """Read what has happened since the last time."""
        while True:
            events = self.steps.load_events(self.run_id, limit=PAGE, after=self.sequence)
            for event in events:
                self._take(event)
                self.sequence = event.sequence
            if len(events) < PAGE:
                return

    def failures_of(self, step_index: int) -> int:
        """How often the step has failed so far."""
        return self._failed[step_index]

    def too_many(self, settings: WorkSettings, *, rows: int = 0, quarantined: int = 0) -> Stop | None:
        """Whether too much is set aside, with that many more rows handled and set aside than are on record."""
        share = settings.max_failure_share
        if share is None:
            return None
        handled, aside = self.handled + rows, self.quarantined - self.failed_steps + quarantined
        if handled >= settings.fewest_rows and aside > share * handled:
            return Stop("failure share", f"{aside} of {handled} rows were quarantined, at most {share:.1%} may be")
        ended = self.completed + self.failed_steps
        if ended >= settings.fewest_steps and self.failed_steps > share * ended:
            return Stop("failure share", f"{self.failed_steps} of {ended} steps failed, at most {share:.1%} may")
        return None

    def progress(self, size: int, size_reason: str) -> Progress:
        """The same, as a value."""
        return Progress(
            minted=self.minted,
            completed=self.completed,
            failed_steps=self.failed_steps,
            waiting=len(self.waiting),
            retries=self.retries,
            handled=self.handled,
            quarantined=self.quarantined,
            counts=dict(self.counts),
            size=size,
            size_reason=size_reason,
        )

    def totals(self) -> dict[str, int]:
        """The counts that the run's row is given."""
        return {**self.counts, "quarantined": self.quarantined}

    def sentences(self) -> tuple[str, ...]:
        """What was set aside, one sentence each."""
        rows = (f"'{each.key}' was quarantined: {each.reason}" for each in self.told)
        return (*self.failures, *rows)[:MOST_TOLD]

    def _take(self, event: WorkEvent) -> None:
        index, body = event.step_index, event.body
        if event.kind == "StepStarted":
            self.minted += "input" in body
        elif event.kind == "StepCompleted":
            self.completed += 1
            self._failed.pop(index, None)
            output = body.get("output")
            self._take_output(output if isinstance(output, Mapping) else {}, event.sequence)
        elif event.kind == "StepFailed":
            self._failed[index] += 1
            if body.get("is_final") is True:
                self._failed.pop(index, None)
                self.failed_steps += 1
                self.quarantined += 1
                if len(self.failures) < MOST_TOLD:
                    self.failures.append(f"step {index} failed for good: {body.get('reason', '')}")
        elif event.kind in ENDINGS:
            self.is_ended = True
        elif event.kind == "RetryScheduled":
            self.retries += 1
        elif event.kind == "StepWaiting":
            self.waiting[index] = str(body.get("reason", ""))
        elif event.kind == "StepResumed":
            self.waiting.pop(index, None)

    def _take_output(self, output: Mapping[str, object], sequence: int) -> None:
        self.handled += _number(output.get("handled"))
        self.quarantined += _number(output.get("quarantined"))
        self.counts = self.fold(self.counts, output)
        rows = output.get("quarantine")
        for row in rows if isinstance(rows, list | tuple) else ():
            if len(self.told) < MOST_TOLD and isinstance(row, Mapping):
                self.told.append(Quarantined(str(row.get("key", "")), str(row.get("reason", ""))))
        if "stop" in output:
            self.stopped_at, self.stop_reason = sequence, str(output["stop"])


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
