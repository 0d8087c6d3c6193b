"""What a run does, step by step, and how a process that knows its kind comes by it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from stovepipe_cli.entities.run import Run, RunKind
from stovepipe_cli.errors import Refused
from stovepipe_cli.work.batch_size import BatchBounds

if TYPE_CHECKING:
    from stovepipe_cli.work.watch import StepWatch


class Job(ABC):
    """Work in steps, each a JSON object that says what it covers.

    How large steps are never depends on how many workers there are. With `stops_at_waiting` no further step is begun
    once one waits for an operator. With `relies_on_helpers` this process leaves steps to helpers of its own. With
    `renews_at_batches` its batches are so short, and a step that is lost so harmless, that a lease is renewed between
    them and by no thread, until one was lost: beside a second thread, SQLite and the C library lock what they touch.
    """

    kind: ClassVar[RunKind]
    batch: BatchBounds = BatchBounds()
    stops_at_waiting: bool = False
    relies_on_helpers: bool = False
    renews_at_batches: bool = False

    @abstractmethod
    def mint(self, last: Mapping[str, object] | None) -> Mapping[str, object] | None:
        """What the step behind `last` covers, `last` None for the first; None where there is none.

        Where None was the answer to a `last`, it is for ever, in every process: the step that ends the work says so in
        what it covers. A run is closed on the strength of that. What is minted may depend on rows, for of two answers
        the first on record stands. `NotYet` where steps that were minted before have to be done first.
        """

    def takes(self, covers: Mapping[str, object]) -> bool:  # noqa: ARG002 - for those that leave steps to others
        """Whether this process does such a step; by default it does any. Others of the run do what it leaves."""
        return True

    @abstractmethod
    def perform(self, covers: Mapping[str, object], watch: "StepWatch") -> Mapping[str, object]:
        """Do a step, which may have been done in part or whole before, and answer with its output, a JSON object.

        `counts` in it are whole numbers by name. The engine adds `handled`, `quarantined`, `quarantine`, `ended_ms`,
        and `stop` where the watch was asked to stop behind this step.
        """

    def fold(self, counts: Mapping[str, int], output: Mapping[str, object]) -> Mapping[str, int]:
        """The run's counts with those of one more output, in whatever order outputs come; by default their sums."""
        own = output.get("counts")
        if not isinstance(own, Mapping):
            return counts
        return {**counts, **{name: counts.get(name, 0) + value for name, value in own.items()}}


JobFactory = Callable[[Run, Mapping[str, object]], Job]


class JobRegistry:
    """The kinds of runs that this process can work at, each with what makes its job.

    A factory is given the run and the body that was handed to `start_run`, on whatever host that was.
    """

    def __init__(self, factories: Mapping[RunKind, JobFactory]) -> None:
        self._factories = dict(factories)

    def __contains__(self, kind: str) -> bool:
        return kind in self._factories

    def make(self, run: Run, body: Mapping[str, object]) -> Job:
        """The job of a run; `Refused` for a kind that is not registered."""
        factory = self._factories.get(run.kind)
        if factory is None:
            raise Refused(
                f"run '{run.run_id}' is a {run.kind}, which this process cannot work at",
                hint=f"it knows {', '.join(sorted(self._factories)) or 'no kind'}",
            )
        return factory(run, body)
