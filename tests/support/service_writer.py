"""A stand-in for the service: appends whole lifecycles to a queue, in its order of writes, until its stdin ends.

Run as `python -m tests.support.service_writer URL QUEUE FIRST_NUMBER LAG PAUSE EVERY`: every EVERY seconds a request is
accepted, the log follows each of its changes LAG seconds later, and the next change comes PAUSE seconds after that.
Prints a line once it writes, and how many lifecycles it ended with.
"""

import heapq
import select
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from stovepipe_cli.clock import SystemClock
from stovepipe_cli.entities import Build, Queue, Request, RequestURI, ValidationFact
from stovepipe_cli.history.entries import (
    accepted_entry,
    build_finished_entry,
    build_triggered_entry,
    fact_entry,
    outcome_entry,
    processing_entry,
)
from stovepipe_cli.history.materializer import Materializer
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.open import open_storage


@dataclass
class Service:
    """The only writer of its queue's coordination row."""

    storage: Storage
    lag: float
    pause: float
    clock: SystemClock = field(default_factory=SystemClock)

    def lifecycle(self, number: int) -> Iterator[float]:
        """One request from acceptance to its fact; yields the seconds to wait before it goes on."""
        storage, queue = self.storage, self.storage.queue
        persist = Materializer(storage, self.clock).persist
        uri = f"git://origin/{queue}/written-{number}"
        accepted = Request(queue, str(number), uri, "accepted", 1)
        storage.request_uris.create(RequestURI(queue, uri, accepted.id))
        storage.requests.create(accepted)
        self._change_queue(lambda row: replace(row, latest_request_id=accepted.id))
        yield self.lag
        persist(accepted_entry(accepted))
        yield self.pause
        processing = replace(accepted, state="processing", version=2, build_strategy="full")
        self._change_queue(lambda row: replace(row, in_flight_count=row.in_flight_count + 1))
        storage.requests.update(processing, old_version=1, new_version=2)
        yield self.lag
        persist(processing_entry(processing))
        yield self.pause
        build = Build(queue, f"w-{number}", accepted.id, "accepted", 1)
        storage.builds.create(build)
        yield self.lag
        persist(build_triggered_entry(build))
        yield self.pause
        finished = replace(build, status="succeeded", version=2)
        storage.builds.update(finished, old_version=1, new_version=2)
        yield self.lag
        persist(build_finished_entry(finished))
        yield self.pause
        ended = replace(processing, state="succeeded", version=3, terminal_build_id=build.id)
        storage.requests.update(ended, old_version=2, new_version=3)
        self._change_queue(lambda row: replace(row, in_flight_count=row.in_flight_count - 1))
        yield self.lag
        persist(outcome_entry(ended, "build_succeeded", build.id))
        yield self.pause
        fact = ValidationFact(queue, uri, "", 0.0, ended.id, self.clock.now_ms())
        storage.facts.create(fact)
        self._change_queue(lambda row: replace(row, last_green_uri=uri, last_green_request_id=ended.id))
        yield self.lag
        persist(fact_entry(fact))

    def _change_queue(self, change: Callable[[Queue], Queue]) -> None:
        row = self.storage.queues.get_or_create()
        changed = replace(change(row), version=row.version + 1)
        self.storage.queues.update(changed, old_version=row.version, new_version=changed.version)


def run(service: Service, first: int, every: float, goes_on: Callable[[float], bool]) -> int:
    """Begin a lifecycle every so often while it goes on, and carry all of them to their end; how many there were."""
    due: list[tuple[float, int]] = []
    living: dict[int, Iterator[float]] = {}
    number, next_start, ended = first, time.monotonic(), 0
    is_going_on = True
    while is_going_on or living:
        now = time.monotonic()
        if is_going_on and now >= next_start:
            living[number] = service.lifecycle(number)
            heapq.heappush(due, (now, number))
            number, next_start = number + 1, next_start + every
        while due and due[0][0] <= time.monotonic():
            _, current = heapq.heappop(due)
            wait = next(living[current], None)
            if wait is None:
                del living[current]
                ended += 1
            else:
                heapq.heappush(due, (time.monotonic() + wait, current))
        soonest = due[0][0] if due else next_start
        if is_going_on:
            is_going_on = goes_on(max(min(soonest, next_start) - time.monotonic(), 0))
        else:
            time.sleep(max(soonest - time.monotonic(), 0))
    return ended


def until_stdin_ends(seconds: float) -> bool:
    """Wait so long; False once nobody holds the other end of stdin any more."""
    readable, _, _ = select.select([sys.stdin], [], [], seconds)
    return not readable


def main(url: str, queue: str, first: str, *seconds: str) -> None:
    """The process."""
    lag, pause, every = map(float, seconds)
    with open_storage(url) as factory:
        service = Service(factory.for_queue(queue), lag, pause)
        print("writing", flush=True)
        print(run(service, int(first), every, until_stdin_ends), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
