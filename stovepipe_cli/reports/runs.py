"""Operator runs: a page of them, one in full, and what the ledger kept of its work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeVar, overload

from stovepipe_cli.reports.base import Report
from stovepipe_cli.reports.json_form import JsonValue

T = TypeVar("T")
RunState = Literal["RUNNING", "COMPLETED", "FAILED", "CANCELLED"]


class Pages(Sequence[T]):
    """Items that are read anew each time they are walked over, so that nobody has to hold all of them."""

    def __init__(self, read: Callable[[], Iterator[T]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        """The items, as they are read."""
        return self._read()

    def __len__(self) -> int:
        """How many there are; reads all of them."""
        return sum(1 for _ in self._read())

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """One item or some of them; reads all that come before."""
        if isinstance(at, slice) or at < 0:
            return tuple(self._read())[at]
        for item in islice(self._read(), at, None):
            return item
        raise IndexError(at)


@dataclass(frozen=True, slots=True)
class RunItem:
    """A run. `abandoned` tells that it has not ended and that nobody works at it."""

    run_id: str
    queue: str
    kind: str
    status: RunState
    abandoned: bool
    stopped_because: str | None
    started_at_ms: int
    finished_at_ms: int | None
    actor: str
    reason: str
    counts: Mapping[str, int]
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunsReport(Report):
    """A page of runs, newest first, and the cursor of the next, None at the end. `notes` are sentences for stderr."""

    items: tuple[RunItem, ...]
    next_cursor: str | None
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})


@dataclass(frozen=True, slots=True)
class WorkerView:
    """Who holds the lease of a step, and until when by the ledger's clock."""

    worker: str
    step_index: int
    attempt: int
    lease_until_ms: int


@dataclass(frozen=True, slots=True)
class HoldView:
    """An operator's hold: the run's workers pause until it is lifted."""

    reason: str
    actor: str
    since_ms: int


@dataclass(frozen=True, slots=True)
class FailedStep:
    """A step that is disposed of without being completed, or waits for an operator, and why."""

    step_index: int
    status: str
    attempt: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class EventView:
    """An event of a run's work; `step_index` is None where it is about the whole of it."""

    sequence: int
    at_ms: int
    at: str
    event: str
    step_index: int | None
    attempt: int
    worker: str
    fencing: int
    body: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A row that a run wrote. `is_certain` False: its attempt was about to, and nobody heard whether it did.

    `before` is None for an insert.
    """

    step_index: int
    attempt: int
    is_certain: bool
    action: str
    table: str
    key: Mapping[str, JsonValue]
    before: Mapping[str, JsonValue] | None
    after: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RunReport(RunItem, Report):
    """One run with its header, its lineage, and where its work stands.

    `steps` counts steps by status and is empty for a run without any. `workers` are those with a live lease. `result`
    is what the run left, such as its verdict and where its findings are. `events` and `rows` are None unless asked for.
    """

    profile: str | None
    target: Mapping[str, str]
    revisions: Mapping[str, str]
    options: Mapping[str, JsonValue]
    parent_run_id: str | None
    root_run_id: str | None
    ancestors: tuple[str, ...]
    children: tuple[str, ...]
    steps: Mapping[str, int]
    workers: tuple[WorkerView, ...]
    failed_steps: tuple[FailedStep, ...]
    hold: HoldView | None
    throttle: Mapping[str, JsonValue] | None
    result: Mapping[str, JsonValue]
    events: Sequence[EventView] | None = None
    rows: Sequence[WrittenRow] | None = None
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})


@dataclass(frozen=True, slots=True)
class RunUndoReport(Report):
    """SQL that takes out again what a run inserted, as long as it is as it was written; nothing runs it."""

    is_story = True

    run_id: str
    rows: int
    sql: str


@dataclass(frozen=True, slots=True)
class RunChangeReport(Report):
    """What an operator did to a run, and the run afterwards. `changed` False: it was so already."""

    changed: bool
    did: str
    run: RunItem
    hold: HoldView | None
    notes: tuple[str, ...] = field(default=(), metadata={"json": False})
