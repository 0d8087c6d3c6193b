"""Many at once on one ledger, each with connections and a clock of its own."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier

import pytest

from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.ledger.contract import Ledger, QueueLedger
from tests.contract.ledger.samples import COVERS, LONG_MS, started

Act = Callable[[QueueLedger, int, int], object]

RACERS = 8
SKEW_SECONDS = 600


@contextmanager
def clocks_apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Let threads believe in different times; the function that is given makes its thread one of them."""
    own = threading.local()
    real, real_ns = time.time, time.time_ns
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: real() + getattr(own, "skew", 0))
        patch.setattr(time, "time_ns", lambda: real_ns() + getattr(own, "skew", 0) * 1_000_000_000)

        def skew(number: int) -> None:
            own.skew = (number % 3 - 1) * SKEW_SECONDS

        yield skew


def race(open_again: Callable[[], Ledger], queue: str, rounds: int, act: Act) -> list[Counter[object]]:
    """In each round all racers act at once; how often each outcome came in each round, errors as their class."""
    start = Barrier(RACERS)

    def run(number: int) -> list[object]:
        outcomes: list[object] = []
        with open_again() as ledger:
            book = ledger.for_queue(queue)
            for turn in range(rounds):
                start.wait()
                try:
                    outcomes.append(act(book, number, turn))
                except StovepipeError as error:
                    outcomes.append(type(error))
        return outcomes

    with ThreadPoolExecutor(RACERS) as pool:
        results = list(pool.map(run, range(RACERS)))
    return [Counter(outcomes) for outcomes in zip(*results, strict=True)]


def racing_claims(
    first: Ledger, open_again: Callable[[], Ledger], queue: str, rounds: int, skew: Callable[[int], None]
) -> None:
    """In each round one step is claimed by all at once: one owner, whoever wins, and no other write."""
    with ExitStack() as stack:
        book = started(stack.enter_context(first).for_queue(queue))

        def act(mine: QueueLedger, number: int, turn: int) -> object:
            skew(number)
            return type(mine.steps.claim_step("r1", turn, f"w{number}", ttl_ms=LONG_MS, covers=COVERS)).__name__

        outcomes = race(open_again, queue, rounds, act)
        assert outcomes == [Counter(Claimed=1, HeldByOther=RACERS - 1)] * rounds
        steps = book.steps.steps("r1", limit=rounds + 1)
        assert [(step.step_index, step.attempt, step.fencing) for step in steps] == [(n, 1, 1) for n in range(rounds)]
        events = book.steps.load_events("r1", limit=2 * rounds + 2)
        assert [event.sequence for event in events] == list(range(1, rounds + 2))
        assert [event.worker for event in events[1:]] == [step.worker for step in steps]
