"""Workflows of one queue in memory."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace

from stovepipe_cli.entities.work import ENDINGS, StepStatus, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.contract.guards import require_limit
from stovepipe_cli.storage.ledger import guards, refusals
from stovepipe_cli.storage.ledger.contract.claim import Claim
from stovepipe_cli.storage.ledger.contract.step_store import Execution, StepStore
from stovepipe_cli.storage.ledger.documents import document_text
from stovepipe_cli.storage.ledger.memory import events
from stovepipe_cli.storage.ledger.memory.book import Book, spelled
from stovepipe_cli.storage.ledger.memory.claims import Claimant, claim
from stovepipe_cli.storage.ledger.memory.records import StepRecord, Workflow
from stovepipe_cli.storage.ledger.projection import projected


class MemoryStepStore(StepStore):
    """A list of events a workflow, and a dictionary of its steps."""

    def __init__(self, book: Book, queue: str) -> None:
        self._book = book
        self._queue = queue

    def append_event(self, event: WorkEvent) -> WorkEvent:
        guards.require_appendable(self._queue, event)
        body = document_text(f"event {event.kind}", event.body)
        event = replace(event, queue=spelled(event.queue), run_id=spelled(event.run_id))
        with self._book.writing(self._queue) as shelf:
            now = self._book.clock()
            workflow = shelf.workflows.get(key_bytes(event.run_id))
            if workflow is not None and event.token in workflow.by_token:
                return workflow.by_token[event.token].read()
            if event.kind == "WorkflowStarted":
                return events.start(shelf, workflow, event, body, now)
            if workflow is None:
                raise refusals.workflow_absent(self._queue, event.run_id)
            if event.kind in ENDINGS:
                return events.close(workflow, event, body, now)
            events.require_open(workflow, event.run_id)
            step = workflow.steps.get(event.step_index)
            if step is None:
                raise refusals.step_absent(event.run_id, event.step_index)
            events.require_right(step, event, now)
            events.change(step, event)
            return workflow.add(event, body, now).read()

    def load_events(self, run_id: str, *, limit: int, after: int = 0) -> tuple[WorkEvent, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            workflow = shelf.workflows.get(key_bytes(run_id), Workflow())
            start = guards.sequence_place(after)
            return tuple(record.read() for record in workflow.events[start : start + limit])

    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        guards.require_claim(run_id, step_index, worker, ttl_ms)
        covered = None if covers is None else document_text(f"step {step_index}", covers)
        claimant = Claimant(spelled(self._queue), spelled(run_id), worker, ttl_ms)
        with self._book.writing(self._queue) as shelf:
            workflow = shelf.workflows.get(key_bytes(run_id))
            if workflow is None:
                raise refusals.workflow_absent(self._queue, run_id)
            events.require_open(workflow, run_id)
            return claim(workflow, step_index, claimant, covered, self._book.clock())

    def renew_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int, ttl_ms: int) -> int:
        guards.require_claim(run_id, step_index, worker, ttl_ms)
        with self._book.writing(self._queue) as shelf:
            now = self._book.clock()
            workflow = shelf.workflows.get(key_bytes(run_id))
            if workflow is not None:
                events.require_open(workflow, run_id)
            step = events.held(workflow, step_index, worker, fencing, now)
            if step is None:
                raise refusals.lease_lost(run_id, step_index, worker, fencing)
            step.lease_until_ms = now + ttl_ms
            return step.lease_until_ms

    def release_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int) -> None:
        with self._book.writing(self._queue) as shelf:
            now = self._book.clock()
            step = events.held(shelf.workflows.get(key_bytes(run_id)), step_index, worker, fencing, now)
            if step is not None:
                step.lease_until_ms = now

    def take_over(self, run_id: str, step_index: int, *, fencing: int, worker: str) -> bool:
        with self._book.writing(self._queue) as shelf:
            now = self._book.clock()
            workflow = shelf.workflows.get(key_bytes(run_id))
            step = None if workflow is None else workflow.steps.get(step_index)
            if workflow is None or step is None or step.status != "running":
                return False
            events.require_open(workflow, run_id)
            if (step.fencing, step.worker) != (fencing, worker):
                return False
            if step.is_leased(now):
                step.lease_until_ms = now
                event = WorkEvent(
                    spelled(self._queue),
                    spelled(run_id),
                    "WorkerRecovered",
                    secrets.token_hex(16),
                    step_index,
                    step.attempt,
                    fencing=fencing,
                )
                workflow.add(event, document_text("event", {"worker": worker}), now)
            return True

    def expired_leases(self, *, limit: int, run_id: str | None = None) -> tuple[Execution, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            now = self._book.clock()
            found = [
                (step.lease_until_ms, name, step.index, step)
                for name, workflow in shelf.workflows.items()
                if workflow.ending is None and (run_id is None or name == key_bytes(run_id))
                for step in workflow.steps.values()
                if step.is_expired(now)
            ]
            return tuple(
                Execution(
                    spelled(self._queue), key_text(name), index, step.attempt, step.worker, step.fencing, expired_at
                )
                for expired_at, name, index, step in sorted(found, key=lambda each: each[:3])[:limit]
            )

    def live_leases(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        return self._steps(run_id, limit, lambda step: step.is_leased(self._book.clock()))

    def step(self, run_id: str, step_index: int) -> WorkStep | None:
        found = self._steps(run_id, 1, lambda step: step.index == step_index)
        return found[0] if found else None

    def last_step(self, run_id: str) -> WorkStep | None:
        with self._book.reading(self._queue) as shelf:
            workflow = shelf.workflows.get(key_bytes(run_id))
            if workflow is None or not workflow.steps:
                return None
            return workflow.steps[max(workflow.steps)].read(spelled(self._queue), spelled(run_id))

    def steps(
        self, run_id: str, *, limit: int, after: int = -1, status: StepStatus | None = None
    ) -> tuple[WorkStep, ...]:
        return self._steps(run_id, limit, lambda step: step.index > after and status in {None, step.status})

    def claimable(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        require_limit(limit)
        if self.ending(run_id) is not None:
            return ()
        now = self._book.clock()
        return self._steps(
            run_id, limit, lambda step: step.status in {"pending", "running"} and step.lease_until_ms <= now
        )

    def counts_by_status(self, run_id: str) -> Mapping[StepStatus, int]:
        counts: dict[StepStatus, int] = dict.fromkeys(("pending", "running", "waiting", "completed", "failed"), 0)
        with self._book.reading(self._queue) as shelf:
            for step in shelf.workflows.get(key_bytes(run_id), Workflow()).steps.values():
                counts[step.status] += 1
        return counts

    def ending(self, run_id: str) -> WorkEvent | None:
        with self._book.reading(self._queue) as shelf:
            ending = shelf.workflows.get(key_bytes(run_id), Workflow()).ending
            return None if ending is None else ending.read()

    def rebuild(self, run_id: str) -> int:
        with self._book.writing(self._queue) as shelf:
            workflow = shelf.workflows.get(key_bytes(run_id))
            if workflow is None:
                raise refusals.workflow_absent(self._queue, run_id)
            made: dict[int, WorkStep] = {}
            for record in workflow.events:
                after = projected(made.get(record.event.step_index), record.read())
                if after is not None:
                    made[after.step_index] = after
            before, workflow.steps = workflow.steps, {index: events.record_of(step) for index, step in made.items()}
            for index, step in workflow.steps.items():
                known = before.get(index)
                if known is not None and step.status == "running" and known.fencing == step.fencing:
                    step.lease_until_ms = known.lease_until_ms
            return len(workflow.steps)

    def now_ms(self) -> int:
        return self._book.clock()

    def _steps(self, run_id: str, limit: int, is_wanted: Callable[[StepRecord], bool]) -> tuple[WorkStep, ...]:
        require_limit(limit)
        with self._book.reading(self._queue) as shelf:
            workflow = shelf.workflows.get(key_bytes(run_id), Workflow())
            chosen = [step for _, step in sorted(workflow.steps.items()) if is_wanted(step)][:limit]
            return tuple(step.read(spelled(self._queue), spelled(run_id)) for step in chosen)
