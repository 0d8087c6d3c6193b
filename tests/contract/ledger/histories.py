"""Random histories of one workflow: what several workers and an operator may do to it, right or wrong."""

from dataclasses import dataclass
from typing import cast

from hypothesis import strategies as st

from stovepipe_cli.entities.work import EventKind
from stovepipe_cli.errors import StovepipeError
from stovepipe_cli.storage.ledger.contract import Claimed, QueueLedger
from tests.contract.ledger.samples import LONG_MS, an_event

WORKERS = ("w1", "w2", "w3")
STEPS = 4


@dataclass(frozen=True, slots=True)
class Act:
    """One thing done. `is_short` is a lease that has run out when the next act begins."""

    kind: str
    step: int
    worker: str
    is_short: bool
    is_final: bool
    number: int


def acts() -> st.SearchStrategy[list[Act]]:
    kinds = ["claim"] * 6 + ["StepCompleted", "StepFailed", "RetryScheduled", "StepWaiting", "StepResumed"] * 2
    kinds += ["release", "take_over", "renew", "late", "WorkflowStarted"]
    one = st.builds(
        Act,
        kind=st.sampled_from(kinds),
        step=st.integers(0, STEPS),
        worker=st.sampled_from(WORKERS),
        is_short=st.booleans(),
        is_final=st.booleans(),
        number=st.integers(0, 3),
    )
    return st.lists(one, max_size=40)


class Player:
    """Plays acts on a ledger and remembers who was granted which lease."""

    def __init__(self, book: QueueLedger) -> None:
        self._book = book
        self._leases: dict[tuple[int, str], int] = {}
        self._fencing: dict[int, int] = {}
        book.steps.append_event(an_event(book.queue, "WorkflowStarted"))

    def play(self, act: Act) -> str:
        """Do it; what came of it, in words that are the same on every backend."""
        try:
            return self._do(act)
        except StovepipeError as error:
            return type(error).__name__

    def _do(self, act: Act) -> str:
        steps, fencing = self._book.steps, self._leases.get((act.step, act.worker), 0)
        match act.kind:
            case "claim":
                return self._claim(act)
            case "release":
                steps.release_lease("r1", act.step, act.worker, fencing=fencing)
                return ""
            case "renew":
                steps.renew_lease("r1", act.step, act.worker, fencing=fencing, ttl_ms=LONG_MS)
                return "renewed"
            case "take_over":
                return str(steps.take_over("r1", act.step, fencing=fencing, worker=act.worker))
            case "late":
                return self._append("StepCompleted", act, max(fencing - 1, 0))
            case _:
                return self._append(cast("EventKind", act.kind), act, fencing)

    def _claim(self, act: Act) -> str:
        ttl = 1 if act.is_short else LONG_MS
        covers = {"from": act.number}
        claim = self._book.steps.claim_step("r1", act.step, act.worker, ttl_ms=ttl, covers=covers)
        if not isinstance(claim, Claimed):
            return type(claim).__name__
        assert claim.fencing > self._fencing.get(act.step, 0), "a fencing number was used again"
        self._fencing[act.step] = self._leases[act.step, act.worker] = claim.fencing
        while act.is_short and self._book.steps.now_ms() < claim.until_ms:
            pass
        return f"{claim.fencing} {claim.attempt} {dict(claim.input)}"

    def _append(self, kind: EventKind, act: Act, fencing: int) -> str:
        bodies: dict[EventKind, dict[str, object]] = {
            "StepCompleted": {"output": {"n": act.number}},
            "StepFailed": {"reason": f"f{act.number}", "is_final": act.is_final},
            # Long ago or far away: both come true alike on every backend.
            "RetryScheduled": {"reason": f"r{act.number}", "not_before_ms": 10**15 if act.is_final else 0},
            "StepWaiting": {"reason": f"w{act.number}"},
            "StepResumed": {"input": {"answer": act.number}} if act.is_final else {},
        }
        index = -1 if kind == "WorkflowStarted" else act.step
        event = an_event(self._book.queue, kind, index, worker=act.worker, fencing=fencing, body=bodies.get(kind, {}))
        return str(self._book.steps.append_event(event).sequence)
