"""The record of runs, and the only way in which one ends."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Literal

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import Run, RunEnd, RunStatus

TransitionOutcome = Literal["APPLIED", "REPLAYED"]
RunListener = Callable[[Run], None]


class RunStore(ABC):
    """Runs of one queue. RUNNING leads to COMPLETED, FAILED or CANCELLED, and nothing leads on from those.

    Each part of a run has one writer: `save` the header, `record_invocation` the attempts, `transition` the end.
    COMPLETED says that every step of the run is completed or disposed of, which this store cannot see; whoever calls
    `transition` with it vouches for that. FAILED and CANCELLED say nothing about the work.
    """

    @abstractmethod
    def save(self, run: Run) -> Run:
        """Store the header of a run that is RUNNING and has no finish time; the run as stored, its version set.

        A new run names version 0 and gets 1. An update names the version on record, replaces the header whole and adds
        one to the version; `VersionMismatch` where another one is on record. Content equal to what is on record is a
        replay that changes nothing, whatever version it names. `RunEnded` where the run has ended, `InvalidEntity` for
        a run that is not RUNNING, `RunConflict` where kind, lineage or start time differ from the record.
        """

    @abstractmethod
    def record_invocation(self, invocation: Invocation) -> None:
        """Insert an attempt, or compare it with the one on record under its id.

        IN_FLIGHT on record is replaced whole. A locked one takes an equal write as a replay and refuses any other with
        `InvocationConflict`. The header and its version stay. `NotFound` without the run, `RunEnded` once it ended.
        """

    @abstractmethod
    def transition(self, run_id: str, end: RunEnd) -> TransitionOutcome:
        """End the run, if it is RUNNING: APPLIED, and the listener hears of it once.

        Where it has ended: REPLAYED if the fingerprint on record is this one's, and nothing changes; else
        `RunConflict`. The fingerprint on record is the one that was stored, never made anew. `NotFound` without the
        run. Parts of the end that are None leave the header's own.
        """

    @abstractmethod
    def find(self, run_id: str) -> Run | None:
        """The run of this queue with exactly this id."""

    @abstractmethod
    def invocations_of(
        self, run_id: str, *, limit: int, after: tuple[int, int, str] | None = None
    ) -> tuple[Invocation, ...]:
        """Attempts in plan order (step, attempt, invocation id), behind such a place."""

    @abstractmethod
    def runs_in_queue(
        self, *, limit: int, since_ms: int | None = None, before: tuple[int, str] | None = None
    ) -> tuple[Run, ...]:
        """Runs that started at or after `since_ms`, newest first, behind the place (started_at_ms, run id)."""

    @abstractmethod
    def children_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        """Runs whose parent is this one, newest first."""

    @abstractmethod
    def runs_of_root(self, root_run_id: str, *, limit: int, since_ms: int | None = None) -> tuple[Run, ...]:
        """Runs of this lineage, the root's own included, that started at or after `since_ms`, newest first."""

    @abstractmethod
    def ancestors_of(self, run_id: str, *, limit: int) -> tuple[Run, ...]:
        """The parent, its parent and so on, nearest first.

        Ends at a run without parent, at a parent that is not in this queue, at one that was already met, at the limit.
        """

    @abstractmethod
    def counts_by_status(self) -> Mapping[RunStatus, int]:
        """How many runs of the queue have each status; every status is named."""
