"""Workers as processes over a ledger and a database that they share, and the operator who goes on where they died."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.entities.run import Run, RunHeader
from stovepipe_cli.errors import Busy, Refused
from stovepipe_cli.run_id import mint_run_id
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from stovepipe_cli.work import (
    BatchBounds,
    StepWatch,
    Workplace,
    WorkResult,
    WorkSettings,
    cancel_run,
    join_run,
    start_run,
    take_up,
    this_worker,
    work,
)
from stovepipe_cli.work.throttle import no_throttle
from tests.work.failpoints import Tick, ticking_ledger, ticking_storage
from tests.work.jobs import KIND, QUEUE, Mappings, arguments, registry

ENDED_WELL, LEFT = 0, 4


@dataclass(frozen=True, slots=True)
class Urls:
    """Of a ledger and of a database, both empty and with their tables."""

    ledger: str
    database: str


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a job, and of the leases under which it is done."""

    rows: int
    step: int
    batch: BatchBounds = field(default_factory=lambda: BatchBounds(4, 4, 4))
    ttl_ms: int = 30_000

    def job(self, storage: Storage) -> Mappings:
        return Mappings(storage, self.rows, self.step, batch=self.batch)


def in_process(target: Callable[..., None], *args: object) -> BaseProcess:
    """Start a process that is forked from one which knows all modules and has no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=target, args=args)
    process.start()
    return process


@contextmanager
def opened(urls: Urls, tick: Tick | None = None) -> Iterator[tuple[QueueLedger, Storage]]:
    """The queue of both; `tick` is called at every boundary between statements."""
    with (
        ticking_ledger(urls.ledger, tick) if tick else open_ledger(urls.ledger) as ledger,
        ticking_storage(urls.database, tick) if tick else open_storage(urls.database) as storage,
    ):
        yield ledger.for_queue(QUEUE), storage.for_queue(QUEUE)


def place_at(ledger: QueueLedger, shape: Shape) -> Workplace:
    clock = SystemClock()
    settings = WorkSettings(ttl_ms=shape.ttl_ms, poll_seconds=0.1, first_backoff_ms=50)
    return Workplace(ledger, clock, this_worker(), no_throttle(clock), settings=settings)


def new_run(ledger: QueueLedger) -> Run:
    return Run(QUEUE, mint_run_id(SystemClock()), KIND, RunHeader(), started_at_ms=ledger.steps.now_ms())


def begin(urls: Urls, shape: Shape) -> Run:
    with opened(urls) as (ledger, _):
        return start_run(ledger, new_run(ledger), this_worker(), arguments=arguments(), ttl_ms=shape.ttl_ms)


def go_on(urls: Urls, shape: Shape, tick: Tick | None = None) -> WorkResult:
    """Start a run, or take up the one that is in the way, and work at it; a start that came to nothing is given up."""
    with opened(urls, tick) as (ledger, storage):
        place = place_at(ledger, shape)
        while True:
            try:
                run = start_run(ledger, new_run(ledger), place.worker, arguments=arguments(), ttl_ms=shape.ttl_ms)
            except Busy:
                run = next(each for each in ledger.runs.runs_in_queue(limit=100) if not each.is_ended)
                try:
                    take_up(place, run.run_id, arguments())
                except Refused:
                    cancel_run(ledger, run.run_id, reason="it came to nothing")
                    continue
            return work(place, run.run_id, registry(shape.job(storage)))


def join(urls: Urls, shape: Shape, run_id: str, marks: Mapping[int, int], seconds_a_step: float = 0.0) -> None:
    """A worker of a run. `marks` tells signals that it sends itself in the middle of its nth step, from 1."""
    with opened(urls) as (ledger, storage):
        place = place_at(ledger, shape)
        job, done = shape.job(storage), [0]

        def before(covers: Mapping[str, object], _watch: StepWatch) -> None:
            done[0] += 1
            place.clock.sleep(seconds_a_step)
            if done[0] in marks:
                first = int(str(covers["from"]))
                job.write(range(first, first + 1))
                os.kill(os.getpid(), marks[done[0]])

        job.before = before
        join_run(place, run_id, arguments())
        result = work(place, run_id, registry(job))
    os._exit(ENDED_WELL if result.run.status == "COMPLETED" else LEFT)


def go_on_until(urls: Urls, shape: Shape, nth: int) -> None:
    """The same as `go_on`, killed at the nth boundary between statements."""
    count = [0]

    def tick() -> None:
        count[0] += 1
        if count[0] == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    go_on(urls, shape, tick)
    os._exit(ENDED_WELL)


def exit_code(process: BaseProcess) -> int | None:
    process.join(60)
    return process.exitcode
