"""What is kept of runs, attempts and workflows. Documents are texts, so that no caller shares one with the ledger."""

from dataclasses import dataclass, field, replace

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import Run, RunHeader
from stovepipe_cli.entities.work import StepStatus, WorkEvent, WorkStep
from stovepipe_cli.storage.ledger.documents import document_of, header_of

NO_HEADER = RunHeader()


@dataclass(slots=True)
class RunRecord:
    """A run whose header stands beside it. `fingerprint` is that of its end."""

    run: Run
    header: str
    fingerprint: str | None = None

    def read(self) -> Run:
        """The run with its header."""
        return replace(self.run, header=header_of(self.header, self.run.run_id))


@dataclass(frozen=True, slots=True)
class InvocationRecord:
    """An attempt whose document stands beside it; equal where every field is."""

    invocation: Invocation
    document: str

    def read(self) -> Invocation:
        """The attempt with its document."""
        return replace(self.invocation, document=document_of(self.document, self.invocation.invocation_id))


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event whose body stands beside it."""

    event: WorkEvent
    body: str

    def read(self) -> WorkEvent:
        """The event with its body."""
        return replace(self.event, body=document_of(self.body, f"event {self.event.sequence}"))


@dataclass(slots=True)
class StepRecord:
    """A step of the projection, changed in place."""

    index: int
    status: StepStatus
    attempt: int
    fencing: int
    worker: str
    lease_until_ms: int
    input: str
    output: str | None = None
    reason: str | None = None

    def is_leased(self, now_ms: int) -> bool:
        """Whether somebody holds it now."""
        return self.status == "running" and self.lease_until_ms > now_ms

    def is_expired(self, now_ms: int) -> bool:
        """Whether somebody held it and has lost it."""
        return self.status == "running" and self.lease_until_ms <= now_ms

    def read(self, queue: str, run_id: str) -> WorkStep:
        """The step as the contract has it."""
        subject = f"step {self.index}"
        return WorkStep(
            queue=queue,
            run_id=run_id,
            step_index=self.index,
            status=self.status,
            attempt=self.attempt,
            fencing=self.fencing,
            worker=self.worker,
            lease_until_ms=self.lease_until_ms,
            input=document_of(self.input, subject),
            output=None if self.output is None else document_of(self.output, subject),
            reason=self.reason,
        )


@dataclass(slots=True)
class Workflow:
    """The events of one run's work, in order, and what they make of the steps."""

    events: list[EventRecord] = field(default_factory=list)
    by_token: dict[str, EventRecord] = field(default_factory=dict)
    steps: dict[int, StepRecord] = field(default_factory=dict)
    ending: EventRecord | None = None

    def add(self, event: WorkEvent, body: str, now_ms: int) -> EventRecord:
        """Append an event, which gets the next number and the time."""
        record = EventRecord(replace(event, body={}, sequence=len(self.events) + 1, at_ms=now_ms), body)
        self.events.append(record)
        self.by_token[event.token] = record
        return record
