"""Ledgers that break one sentence of the contract each, made from the right one in memory."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import Run, RunEnd
from stovepipe_cli.entities.work import StepStatus, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes
from stovepipe_cli.storage.ledger.contract import Claim, Claimed, QueueLedger, RunConflict, TransitionOutcome
from stovepipe_cli.storage.ledger.memory.book import Book
from stovepipe_cli.storage.ledger.memory.hold_store import MemoryHoldStore
from stovepipe_cli.storage.ledger.memory.ledger import system_clock_ms
from stovepipe_cli.storage.ledger.memory.records import Workflow
from stovepipe_cli.storage.ledger.memory.run_store import MemoryRunStore
from stovepipe_cli.storage.ledger.memory.step_store import MemoryStepStore
from stovepipe_cli.storage.ledger.memory.verified_queue_store import MemoryVerifiedQueueStore

Opener = Callable[[str], QueueLedger]
LENIENT = 1_000_000


def opener(
    runs: Callable[[Book, str], MemoryRunStore] = MemoryRunStore,
    steps: Callable[[Book, str], MemoryStepStore] = MemoryStepStore,
) -> Opener:
    """Opens queues of one new ledger with these stores."""
    book = Book(system_clock_ms, None, most_runs=LENIENT, is_read_only=False)
    return lambda queue: QueueLedger(
        queue,
        runs(book, queue),
        steps(book, queue),
        MemoryHoldStore(book, queue),
        MemoryVerifiedQueueStore(book, queue),
    )


class WrongRunStore(MemoryRunStore):
    """Reaches into the shelf of its queue."""

    def record(self, run_id: str) -> Any:  # noqa: ANN401  # what a wrong store gets at is its own affair
        with self._book.reading(self._queue) as shelf:
            return shelf.runs.get(key_bytes(run_id))


class OverwritesTheEnd(WrongRunStore):
    """The last end on record wins."""

    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        record = self.record(run_id)
        if record is not None and record.run.is_ended:
            record.fingerprint = None
        return super().transition(run_id, end)


class RefusesReplays(WrongRunStore):
    """A retried end is a conflict."""

    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        record = self.record(run_id)
        if record is not None and record.run.is_ended:
            raise RunConflict("it has ended")
        return super().transition(run_id, end)


class DigestsTheCounts(WrongRunStore):
    """Counts are taken for a part of the claim."""

    def __init__(self, book: Book, queue: str) -> None:
        super().__init__(book, queue)
        self._counts: dict[str, object] = {}

    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        if self._counts.setdefault(run_id, end.counts) != end.counts:
            raise RunConflict("other counts")
        return super().transition(run_id, end)


class SavesEndedRuns(WrongRunStore):
    """A terminal status comes in through the header."""

    def save(self, run: Run) -> Run:
        if run.finished_at_ms is None:
            return super().save(run)
        stored = super().save(replace(run, status="RUNNING", finished_at_ms=None))
        self.transition(run.run_id, RunEnd(run.status, run.finished_at_ms))
        return stored


class ReopensRuns(WrongRunStore):
    """A save of an ended run makes it run again."""

    def save(self, run: Run) -> Run:
        record = self.record(run.run_id)
        if record is not None and record.run.is_ended:
            record.run = replace(record.run, status="RUNNING", finished_at_ms=None)
        return super().save(run)


class IgnoresVersions(WrongRunStore):
    """The last header wins."""

    def save(self, run: Run) -> Run:
        record = self.record(run.run_id)
        return super().save(run if record is None else replace(run, version=record.run.version))


class ForgetsAttemptsOnSave(WrongRunStore):
    """A header takes the attempts with it."""

    def save(self, run: Run) -> Run:
        with self._book.writing(self._queue) as shelf:
            shelf.invocations.pop(key_bytes(run.run_id), None)
        return super().save(run)


class UnlocksAttempts(WrongRunStore):
    """A locked attempt is overwritten."""

    def record_invocation(self, invocation: Invocation) -> None:
        with self._book.writing(self._queue) as shelf:
            shelf.invocations.get(key_bytes(invocation.run_id), {}).pop(key_bytes(invocation.invocation_id), None)
        super().record_invocation(invocation)


class CountsAttemptsInTheVersion(WrongRunStore):
    """An attempt moves the header's version."""

    def record_invocation(self, invocation: Invocation) -> None:
        super().record_invocation(invocation)
        record = self.record(invocation.run_id)
        record.run = replace(record.run, version=record.run.version + 1)


class FiltersAfterTheLimit(WrongRunStore):
    """A page is cut out of all queues' runs before the others' are dropped."""

    def runs_in_queue(
        self, *, limit: int, since_ms: int | None = None, before: tuple[int, str] | None = None
    ) -> tuple[Run, ...]:
        mine = super().runs_in_queue(limit=LENIENT, since_ms=since_ms, before=before)
        with self._book.everything() as shelves:
            everybody = [record.read() for _, shelf in shelves for record in shelf.runs.values()]
        everybody.sort(key=lambda run: (-run.started_at_ms, key_bytes(run.run_id)))
        return tuple(run for run in everybody[:limit] if run in mine)


class WalksIntoOtherQueues(WrongRunStore):
    """A parent is looked for wherever it may be."""

    def ancestors_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        line = super().ancestors_of(run_id, limit=limit)
        last = line[-1] if line else self.find(run_id)
        parent = None if last is None else last.parent_run_id
        with self._book.everything() as shelves:
            for _, shelf in shelves:
                record = shelf.runs.get(key_bytes(parent or ""))
                if record is not None and record.run.queue != self._queue:
                    return (*line, record.read())
        return line


class BreaksTiesByChance(WrongRunStore):
    """Runs of one millisecond come as they were stored."""

    def runs_in_queue(
        self, *, limit: int, since_ms: int | None = None, before: tuple[int, str] | None = None
    ) -> tuple[Run, ...]:
        runs = super().runs_in_queue(limit=LENIENT, since_ms=since_ms, before=before)
        return tuple(sorted(runs, key=lambda run: (-run.started_at_ms, run.run_id.lower())))[:limit]


class MatchesByCollation(WrongRunStore):
    """Ids compare without case and trailing spaces."""

    def find(self, run_id: str) -> Run | None:
        with self._book.reading(self._queue) as shelf:
            for record in shelf.runs.values():
                if record.run.run_id.rstrip(" ").lower() == run_id.rstrip(" ").lower():
                    return record.read()
        return None


class WrongStepStore(MemoryStepStore):
    """Reaches into the workflows of its queue."""

    def workflow(self, run_id: str = "r1") -> Workflow:
        with self._book.reading(self._queue) as shelf:
            return shelf.workflows.get(key_bytes(run_id)) or Workflow()


class TakesLeasesByForce(WrongStepStore):
    """A lease goes to whoever asks last."""

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        step = self.workflow(run_id).steps.get(step_index)
        if step is not None and step.status == "running":
            step.lease_until_ms = 0
        return super().claim_step(run_id, step_index, worker, ttl_ms=ttl_ms, covers=covers)


class RunsCompletedStepsAgain(WrongStepStore):
    """A completed step is handed out once more."""

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        step = self.workflow(run_id).steps.get(step_index)
        if step is not None and step.status == "completed":
            step.status = "pending"
        return super().claim_step(run_id, step_index, worker, ttl_ms=ttl_ms, covers=covers)


class ReusesFencingNumbers(WrongStepStore):
    """A lease that is taken over keeps its number."""

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        claim = super().claim_step(run_id, step_index, worker, ttl_ms=ttl_ms, covers=covers)
        if isinstance(claim, Claimed):
            self.workflow(run_id).steps[step_index].fencing = 1
            return replace(claim, fencing=1)
        return claim


class BelievesLateWorkers(WrongStepStore):
    """An event is taken whoever holds the lease now."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        step = self.workflow(event.run_id).steps.get(event.step_index)
        if step is not None:
            event = replace(event, worker=step.worker, fencing=step.fencing)
        return super().append_event(event)


class BelievesExpiredLeases(WrongStepStore):
    """A lease that has run out is good until another takes it."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        step = self.workflow(event.run_id).steps.get(event.step_index)
        if step is not None and step.status == "running":
            step.lease_until_ms = 2**60
        return super().append_event(event)


class RenewsLostLeases(WrongStepStore):
    """A renewal brings back a lease that has run out."""

    def renew_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int, ttl_ms: int) -> int:
        step = self.workflow(run_id).steps.get(step_index)
        if step is not None and step.worker == worker:
            step.lease_until_ms = 2**60
        return super().renew_lease(run_id, step_index, worker, fencing=fencing, ttl_ms=ttl_ms)


class ForgetsTokens(WrongStepStore):
    """A repeated append is another event."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        self.workflow(event.run_id).by_token.clear()
        return super().append_event(event)


class WritesOnAfterTheEnd(WrongStepStore):
    """A closed workflow takes events."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        self.workflow(event.run_id).ending = None
        return super().append_event(event)


class LeavesGaps(WrongStepStore):
    """A refused event uses up a number."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        event = super().append_event(event)
        return replace(event, sequence=event.sequence * 2)

    def load_events(self, run_id: str, *, limit: int, after: int = 0) -> tuple[WorkEvent, ...]:
        found = super().load_events(run_id, limit=limit, after=after // 2)
        return tuple(replace(event, sequence=event.sequence * 2) for event in found)


class ProjectsWhatNoEventTells(WrongStepStore):
    """The step is changed in a way that the log does not tell."""

    def release_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int) -> None:
        super().release_lease(run_id, step_index, worker, fencing=fencing)
        step = self.workflow(run_id).steps.get(step_index)
        if step is not None and step.worker == worker and step.status == "running":
            step.status, step.worker = "pending", ""


class WritesTheLogAlone(WrongStepStore):
    """The event is written, and its step is not moved on."""

    def append_event(self, event: WorkEvent) -> WorkEvent:
        steps = self.workflow(event.run_id).steps
        step = steps.get(event.step_index)
        kept = None if step is None else replace(step)
        appended = super().append_event(event)
        if kept is not None and event.kind == "StepCompleted":
            steps[event.step_index] = kept
        return appended


class ListsClosedWorkflows(WrongStepStore):
    """Leases of closed workflows count as lost work."""

    def claimable(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        return self.steps(run_id, limit=limit)


class CountsWhatIsThere(WrongStepStore):
    """A status that no step has is left out."""

    def counts_by_status(self, run_id: str) -> Mapping[StepStatus, int]:
        return {status: count for status, count in super().counts_by_status(run_id).items() if count}


class MakesStepsAnywhere(WrongStepStore):
    """A step is made also where the one before it is absent."""

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        for index in range(step_index if covers is not None else 0):
            if self.step(run_id, index) is None:
                super().claim_step(run_id, index, worker, ttl_ms=ttl_ms, covers=covers)
        return super().claim_step(run_id, step_index, worker, ttl_ms=ttl_ms, covers=covers)
