"""Durable steps: a log of events that decides, and a projection that answers claims without replaying it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from stovepipe_cli.entities.work import StepStatus, WorkEvent, WorkStep
from stovepipe_cli.storage.ledger.contract.claim import Claim


@dataclass(frozen=True, slots=True)
class Execution:
    """A step whose lease ran out: which, in which attempt, and who had it."""

    queue: str
    run_id: str
    step_index: int
    attempt: int
    worker: str
    fencing: int
    expired_at_ms: int


class StepStore(ABC):
    """Workflows of one queue, each named by the id of its run.

    An event and its effect on the projection are written together or not at all. Events are never changed; only
    pruning removes those of workflows that have ended.
    """

    @abstractmethod
    def append_event(self, event: WorkEvent) -> WorkEvent:
        """Append; the event with its sequence and time.

        WorkflowStarted opens a workflow and is a replay, answered with the first one, where it is open already. An
        ending closes it: the same kind again is answered with the one on record, another kind is `RunConflict`.
        Afterwards everything else is `WorkflowEnded`. StepCompleted, StepFailed, RetryScheduled and StepWaiting need
        the step's lease: `LeaseLost` unless worker and fencing number are those on record and the lease has not run
        out. RetryScheduled follows the StepFailed of the same lease, which that event keeps. StepResumed takes a
        waiting step back to pending, and is `RunConflict` for any other. StepStarted, LeaseTakenOver and
        WorkerRecovered are written by claims and take-overs alone (`InvalidEntity`, as a body without what its kind
        needs). `NotFound` for a workflow or step that does not exist. An equal `token` is a replay.
        """

    @abstractmethod
    def load_events(self, run_id: str, *, limit: int, after: int = 0) -> tuple[WorkEvent, ...]:
        """Events in sequence, behind that number."""

    @abstractmethod
    def claim_step(
        self, run_id: str, step_index: int, worker: str, *, ttl_ms: int, covers: Mapping[str, object] | None = None
    ) -> Claim:
        """Take the lease of a step, if it is free; decided by compare-and-set inside one transaction.

        A step that does not exist is made with `covers` as its input, provided that the one before it exists; where
        two workers make it at once, the first one's input stands. `NotFound` without `covers` or without the step
        before. A lease that has run out is taken over: the attempt and the fencing number grow, and LeaseTakenOver
        tells from whom.
        A worker that already holds the lease is granted a new one, whose attempt and fencing number grow as well: the
        same name may be that of a later process. `WorkflowEnded` once the workflow ended.
        """

    @abstractmethod
    def renew_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int, ttl_ms: int) -> int:
        """Move the lease's end to now plus `ttl_ms`; that time. `LeaseLost` where it ran out, is another's or is none.

        `WorkflowEnded` once the workflow ended, so that workers learn of a cancellation.
        """

    @abstractmethod
    def release_lease(self, run_id: str, step_index: int, worker: str, *, fencing: int) -> None:
        """Let the lease run out now; nothing where it is another's already."""

    @abstractmethod
    def take_over(self, run_id: str, step_index: int, *, fencing: int, worker: str) -> bool:
        """Let the lease with this fencing number run out now, since `worker`, its holder, is known to be gone.

        Whether it has: False where the lease has changed hands or nobody has one. Appends WorkerRecovered unless it had
        run out before. `WorkflowEnded` once the workflow ended.
        """

    @abstractmethod
    def expired_leases(self, *, limit: int, run_id: str | None = None) -> tuple[Execution, ...]:
        """Running steps of open workflows whose lease has run out, the longest expired first."""

    @abstractmethod
    def live_leases(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        """Running steps whose lease has not run out, by step index."""

    @abstractmethod
    def step(self, run_id: str, step_index: int) -> WorkStep | None:
        """One step."""

    @abstractmethod
    def last_step(self, run_id: str) -> WorkStep | None:
        """The step with the highest index."""

    @abstractmethod
    def steps(
        self, run_id: str, *, limit: int, after: int = -1, status: StepStatus | None = None
    ) -> tuple[WorkStep, ...]:
        """Steps in order of their index, behind that one; those of one status where it is given."""

    @abstractmethod
    def claimable(self, run_id: str, *, limit: int) -> tuple[WorkStep, ...]:
        """Steps that a claim would be granted now: pending ones whose time has come and expired ones, by index."""

    @abstractmethod
    def counts_by_status(self, run_id: str) -> Mapping[StepStatus, int]:
        """How many steps of the workflow have each status; every status is named."""

    @abstractmethod
    def ending(self, run_id: str) -> WorkEvent | None:
        """The event that closed the workflow."""

    @abstractmethod
    def rebuild(self, run_id: str) -> int:
        """Make the projection anew from the events alone; how many steps it has.

        It equals the one it replaces, but for a lease that was renewed and whose row was lost: that lease ends where
        it was first granted to end, which costs a take-over at worst.
        """

    @abstractmethod
    def now_ms(self) -> int:
        """The ledger database's clock."""
