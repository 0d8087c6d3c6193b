"""A small job that inserts and never changes, and places to work at it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from stovepipe_cli.entities import RequestAcceptance
from stovepipe_cli.entities.run import Run, RunHeader, RunKind
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import Ledger, QueueLedger
from stovepipe_cli.storage.ledger.memory.ledger import MemoryLedger
from stovepipe_cli.storage.memory import MemoryFactory
from stovepipe_cli.work import (
    BatchBounds,
    Job,
    JobArguments,
    JobRegistry,
    StepWatch,
    WorkerIdentity,
    Workplace,
    WorkResult,
    WorkSettings,
    halve,
    start_run,
    this_worker,
    work,
)
from stovepipe_cli.work.throttle import no_throttle

QUEUE = "monorepo/main"
KIND: RunKind = "backfill-acceptances"
FIRST_MS = 1_767_225_600_000

Write = Callable[[Sequence[RequestAcceptance]], object]


def mapping_of(number: int) -> RequestAcceptance:
    return RequestAcceptance(QUEUE, FIRST_MS + number, f"request/{QUEUE}/{number}")


def _nothing(_covers: Mapping[str, object], _watch: StepWatch) -> None:
    return


@dataclass
class Mappings(Job):
    """Maps requests 0 to `rows`, `step` of them a step. `before` is called with each step that is about to be done."""

    storage: Storage
    rows: int
    step: int
    batch: BatchBounds = field(default_factory=lambda: BatchBounds(4, 1, 50))
    before: Callable[[Mapping[str, object], StepWatch], None] = _nothing
    stops_at_waiting: bool = False
    poison: frozenset[int] = frozenset()
    refused: Exception | None = None

    kind = "backfill-acceptances"

    def mint(self, last: Mapping[str, object] | None) -> Mapping[str, object] | None:
        start = 0 if last is None else int(str(last["to"]))
        return None if start >= self.rows else {"from": start, "to": min(start + self.step, self.rows)}

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        self.before(covers, watch)
        at, end, created = int(str(covers["from"])), int(str(covers["to"])), 0
        while at < end:
            upto = min(at + watch.size, end)
            batch = range(at, upto)
            watch.record({"writes": [at, upto]})
            created += sum(halve(batch, self.write, watch, key=lambda number: f"request {number}"))
            at = upto
        return {"counts": {"mapped": created}}

    def write(self, numbers: Sequence[int]) -> int:
        if self.refused is not None and self.poison.intersection(numbers):
            raise self.refused
        return len(self.storage.acceptances.create_missing([mapping_of(number) for number in numbers]))


@dataclass
class SleepingClock:
    """Moves by sleeping alone, by whole milliseconds and never by none; `on_sleep` happens meanwhile."""

    current_ms: int = FIRST_MS
    on_sleep: Callable[[], object] = lambda: None
    slept: list[float] = field(default_factory=list)

    def now_ms(self) -> int:
        return self.current_ms

    def monotonic(self) -> float:
        return self.current_ms / 1000

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.current_ms += max(1, math.ceil(round(seconds * 1000, 3)))
        self.on_sleep()


@dataclass
class Site:
    """A queue, a ledger and a clock that moves by sleeping alone."""

    clock: SleepingClock = field(default_factory=SleepingClock)
    storage: Storage = field(default_factory=lambda: MemoryFactory().for_queue(QUEUE))
    ledger: QueueLedger = field(init=False)
    worker: WorkerIdentity = field(default_factory=this_worker)
    opened: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.opened = MemoryLedger(clock=self.clock.now_ms)
        self.ledger = self.opened.for_queue(QUEUE)

    def place(self, **other: object) -> Workplace:
        """Where one worker works; the fields of `Workplace` by name."""
        own = Workplace(
            ledger=self.ledger,
            clock=self.clock,
            worker=this_worker(),
            throttle=no_throttle(self.clock),
            settings=WorkSettings(max_failure_share=None),
            chance=lambda: 1.0,
            has_heartbeat=False,
        )
        return replace(own, **other)  # type: ignore[arg-type]  # tests name fields with their types

    def run(self) -> Run:
        """A run that is not on record yet."""
        header = RunHeader(actor="ana@host", reason="test")
        return Run(QUEUE, mint_run_id(self.clock), KIND, header, started_at_ms=self.clock.now_ms())

    def start(self, **options: object) -> Run:
        return start_run(self.ledger, self.run(), self.worker, arguments=arguments(**options))

    def job(self, rows: int = 10, step: int = 4, **other: object) -> Mappings:
        return Mappings(self.storage, rows, step, **other)  # type: ignore[arg-type]  # as in place

    def work(self, run: Run, job: Job, **other: object) -> WorkResult:
        return work(self.place(**other), run.run_id, registry(job))

    def mapped(self) -> list[int]:
        """The numbers of all requests that are mapped, each as often as it is."""
        return mapped(self.storage)


def arguments(**options: object) -> JobArguments:
    return JobArguments(KIND, QUEUE, "server/uuid", rules="sha256:1", options=options)


def registry(job: Job) -> JobRegistry:
    return JobRegistry({KIND: lambda _run, _body: job})


def mapped(storage: Storage) -> list[int]:
    rows: list[int] = []
    before: tuple[int, str] | None = None
    while page := storage.acceptances.list_before(FIRST_MS, FIRST_MS + 10**9, before, 1000):
        rows += [row.accepted_at_ms - FIRST_MS for row in page]
        before = (page[-1].accepted_at_ms, page[-1].request_id)
    return sorted(rows)


def kinds(ledger: QueueLedger, run_id: str) -> list[str]:
    """What happened, in order."""
    return [event.kind for event in ledger.steps.load_events(run_id, limit=1000)]


T = TypeVar("T")


def altered(store: T, **methods: Callable[..., object]) -> T:
    """The same store, with some methods of the test's own."""
    kind = type(store)
    made: T = object.__new__(type(f"Altered{kind.__name__}", (kind,), {}))
    made.__dict__.update(store.__dict__, **methods)
    return made
