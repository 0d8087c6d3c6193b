"""One backfill that several processes share, of which one is killed, one is frozen and one comes late."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from stovepipe_cli.entities.work import WorkEvent, WorkStep
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger
from stovepipe_cli.work import WorkerIdentity
from tests.cli.running import Process
from tests.support.waiting import comes_true

T = TypeVar("T")

QUEUE = "load/shared"
LEASE_SECONDS = 3
DEADLINE_SECONDS = 600.0


@dataclass
class SharedBackfill:
    """`urls` are the database as each worker reaches it, in turn; `rate` is rows a second of each.

    `ledger_urls` are the ledger as each worker reaches it, in turn, and `ledger_url` as the test does.
    """

    home: Path
    urls: tuple[str, ...]
    ledger_url: str
    rate: int
    batch: int
    ledger_urls: tuple[str, ...] = ()
    lease_seconds: int = LEASE_SECONDS
    workers: list["subprocess.Popen[str]"] = field(default_factory=list)
    run_id: str = ""

    def start(self) -> None:
        """The command that starts the run, which is its first worker."""
        self._worker("backfill", "acceptances", "--apply", "--yes", "--batch", str(self.batch))

        def is_there() -> bool:
            with open_ledger(self.ledger_url, read_only=True) as ledger:
                runs = ledger.for_queue(QUEUE).runs.runs_in_queue(limit=1)
            self.run_id = runs[0].run_id if runs else ""
            return bool(runs)

        self._await(is_there)

    def join(self) -> None:
        """One more worker."""
        self._worker("runs", "work", self.run_id)

    def lease_of(self, number: int) -> WorkStep | None:
        """The step that a worker holds now."""
        leases = self.asked(lambda ledger: ledger.steps.live_leases(self.run_id, limit=100))
        return next((step for step in leases if _pid(step.worker) == self.workers[number].pid), None)

    def await_lease(self, number: int) -> None:
        """Until the worker holds a step."""
        self._await(lambda: self.lease_of(number) is not None)

    def kill(self, number: int) -> None:
        """End a worker that holds a step, without a word."""
        self.await_lease(number)
        self.workers[number].kill()
        self.workers[number].wait()

    def freeze(self, number: int) -> WorkStep:
        """Stop a worker in the middle of a step; the step."""
        while True:
            self.await_lease(number)
            self.workers[number].send_signal(signal.SIGSTOP)
            held = self.lease_of(number)
            if held is not None:
                return held
            self.workers[number].send_signal(signal.SIGCONT)

    def await_taken_over(self, lost: WorkStep) -> None:
        """Until another worker has the step that one had."""

        def is_taken() -> bool:
            step = self.asked(lambda ledger: ledger.steps.step(self.run_id, lost.step_index))
            return step is not None and step.fencing > lost.fencing

        self._await(is_taken)

    def thaw(self, number: int) -> None:
        """Let a frozen worker go on."""
        self.workers[number].send_signal(signal.SIGCONT)

    def ends(self) -> list[tuple[int, dict[str, int]]]:
        """Exit code and counts of each worker, once all have ended; a killed one has no counts."""
        found: list[tuple[int, dict[str, int]]] = []
        for worker in self.workers:
            stdout, stderr = worker.communicate(timeout=DEADLINE_SECONDS)
            assert "Traceback" not in stderr, stderr
            document = json.loads(stdout) if stdout else {"data": {}}
            assert document["data"] is not None, document["errors"]
            found.append((worker.returncode, document["data"]))
        return found

    def events(self) -> list[WorkEvent]:
        """Everything on record, in order."""

        def load(ledger: QueueLedger) -> list[WorkEvent]:
            events: list[WorkEvent] = []
            while page := ledger.steps.load_events(self.run_id, limit=1000, after=len(events)):
                events += page
            return events

        return self.asked(load)

    def asked(self, question: Callable[[QueueLedger], T]) -> T:
        """What the ledger says."""
        with open_ledger(self.ledger_url, read_only=True) as ledger:
            return question(ledger.for_queue(QUEUE))

    def close(self) -> None:
        """Leave no process behind."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
                worker.communicate()

    def _worker(self, *words: str) -> None:
        number = len(self.workers)
        url, ledger_urls = self.urls[number % len(self.urls)], self.ledger_urls or (self.ledger_url,)
        more = ("--rate", str(self.rate), "--lease", f"{self.lease_seconds}s", "--max-load", "none", "-o", "json")
        environ = {
            "STOVEPIPE_DATABASE_URL": url,
            "STOVEPIPE_LEDGER_URL": ledger_urls[number % len(ledger_urls)],
            "STOVEPIPE_QUEUE": QUEUE,
        }
        self.workers.append(Process(self.home).start(*words, *more, environ=environ))

    def _await(self, condition: Callable[[], bool]) -> None:
        def holds_or_ended() -> bool:
            return condition() or all(worker.poll() is not None for worker in self.workers)

        assert comes_true(holds_or_ended, within_seconds=DEADLINE_SECONDS)
        assert condition(), [worker.communicate() for worker in self.workers]


def completions_under_lost_leases(events: list[WorkEvent]) -> list[WorkEvent]:
    """Ends of steps whose lease had gone to another worker before."""
    holder: dict[int, tuple[str, int]] = {}
    wrong: list[WorkEvent] = []
    for event in events:
        if event.kind == "StepStarted":
            holder[event.step_index] = (event.worker, event.fencing)
        if event.kind == "StepCompleted" and holder[event.step_index] != (event.worker, event.fencing):
            wrong.append(event)
    return wrong


def kinds_of(events: list[WorkEvent]) -> Counter[str]:
    """How often each kind of event stands there."""
    return Counter(event.kind for event in events)


def is_gapless(events: list[WorkEvent]) -> bool:
    """Whether the sequence is 1, 2, 3 and so on."""
    return events[0].sequence == 1 and all(after.sequence == before.sequence + 1 for before, after in pairwise(events))


def _pid(worker: str) -> int:
    parsed = WorkerIdentity.parse(worker)
    return 0 if parsed is None else parsed.pid
