"""Runs, attempts and events as tests need them, and the ways to them."""

import itertools
from collections.abc import Mapping
from typing import Any

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import Run, RunEnd, RunHeader, RunStatus
from stovepipe_cli.entities.verified_queue import VerifiedQueue
from stovepipe_cli.entities.work import EventKind, WorkEvent
from stovepipe_cli.storage.ledger.contract import Claimed, QueueLedger

NOON_MS = 1_750_000_000_000
LONG_MS = 600_000
COVERS = {"after": "r1", "upto": "r9"}

_numbers = itertools.count(1)


def a_header(**fields: object) -> RunHeader:
    given: dict[str, Any] = {
        "profile": "prod",
        "target": {"identity": "mariadb:1", "database": "stovepipe"},
        "revisions": {"tool": "1.0", "rules": "sha256:1"},
        "options": {"select": ["H102"], "workers": 4, "exact": True, "share": 0.5, "none": None},
        "actor": "ann@host",
        "reason": "ticket 7",
        "counts": {"seen": 1},
        "failures": ("one", "two"),
        "document": {"plan": {"entries": [1, 2]}},
        **fields,
    }
    return RunHeader(**given)


def a_run(queue: str, run_id: str = "r1", **fields: object) -> Run:
    given: dict[str, Any] = {"kind": "repair-apply", "header": a_header(), "started_at_ms": NOON_MS, **fields}
    return Run(queue=queue, run_id=run_id, **given)


def an_end(status: RunStatus = "COMPLETED", at_ms: int = NOON_MS + 5, **fields: object) -> RunEnd:
    given: dict[str, Any] = dict(fields)
    return RunEnd(status, at_ms, **given)


def an_attempt(queue: str, invocation_id: str = "i1", **fields: object) -> Invocation:
    given: dict[str, Any] = {
        "run_id": "r1",
        "step_index": 0,
        "attempt": 1,
        "worker": "w1",
        "status": "IN_FLIGHT",
        "started_at_ms": NOON_MS,
        "document": {"rows": [1, 2]},
        **fields,
    }
    return Invocation(queue=queue, invocation_id=invocation_id, **given)


def an_event(queue: str, kind: EventKind, step_index: int = -1, **fields: object) -> WorkEvent:
    given: dict[str, Any] = {"run_id": "r1", "token": f"t{next(_numbers)}", **fields}
    return WorkEvent(queue=queue, kind=kind, step_index=step_index, **given)


def started(book: QueueLedger, run_id: str = "r1") -> QueueLedger:
    """The ledger with an open workflow."""
    book.steps.append_event(an_event(book.queue, "WorkflowStarted", run_id=run_id))
    return book


def claimed(
    book: QueueLedger, step_index: int = 0, worker: str = "w1", *, ttl_ms: int = LONG_MS, run_id: str = "r1"
) -> Claimed:
    """The lease of a step, made if need be, which nobody else holds."""
    claim = book.steps.claim_step(run_id, step_index, worker, ttl_ms=ttl_ms, covers=COVERS)
    assert isinstance(claim, Claimed)
    return claim


def expired(book: QueueLedger, step_index: int = 0, worker: str = "w1", *, run_id: str = "r1") -> Claimed:
    """A lease that has run out by the ledger's clock."""
    claim = claimed(book, step_index, worker, ttl_ms=1, run_id=run_id)
    wait_until(book, claim.until_ms)
    return claim


def wait_until(book: QueueLedger, until_ms: int) -> None:
    """Let the ledger's clock reach a time that is close."""
    while book.steps.now_ms() < until_ms:
        pass


def leased(
    book: QueueLedger, kind: EventKind, claim: Claimed, body: Mapping[str, object], **fields: object
) -> WorkEvent:
    """Append an event of a step under its lease."""
    given: dict[str, Any] = {"step_index": 0, "worker": "w1", "attempt": claim.attempt, "fencing": claim.fencing}
    return book.steps.append_event(an_event(book.queue, kind, body=body, **{**given, **fields}))


def completed(book: QueueLedger, step_index: int = 0, worker: str = "w1", *, run_id: str = "r1") -> WorkEvent:
    """A step done."""
    claim = claimed(book, step_index, worker, run_id=run_id)
    output = {"output": {"done": step_index}}
    return leased(book, "StepCompleted", claim, output, step_index=step_index, worker=worker, run_id=run_id)


def a_verified(queue: str, **fields: object) -> VerifiedQueue:
    given: dict[str, Any] = {
        "target": "mariadb:1",
        "run_id": "r1",
        "verdict": "clean",
        "verified_at_ms": NOON_MS,
        "boundary": "request/main/7",
        "boundary_number": 7,
        **fields,
    }
    return VerifiedQueue(queue=queue, **given)
