"""Rows of events and steps, as entities and back."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from stovepipe_cli.entities.work import EventKind, StepStatus, WorkEvent, WorkStep
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.ledger.contract.step_store import Execution
from stovepipe_cli.storage.ledger.documents import document_of, document_text
from stovepipe_cli.storage.ledger.sql.packing import packed, unpacked

Row = Sequence[Any]
Values = Mapping[str, object]


def event_values(event: WorkEvent) -> Values:
    """Every column of an event."""
    return {
        "queue": key_bytes(event.queue),
        "run_id": key_bytes(event.run_id),
        "sequence": event.sequence,
        "token": key_bytes(event.token),
        "kind": key_bytes(event.kind),
        "step_index": event.step_index,
        "attempt": event.attempt,
        "worker": key_bytes(event.worker),
        "fencing": event.fencing,
        "at_ms": event.at_ms,
        "body": packed(document_text(f"event {event.kind}", event.body)),
    }


def event_of(row: Row) -> WorkEvent:
    """The event of a row."""
    queue, run_id, sequence, token, kind, step, attempt, worker, fencing, at, body = row
    return WorkEvent(
        queue=key_text(queue),
        run_id=key_text(run_id),
        kind=cast("EventKind", key_text(kind)),
        token=key_text(token),
        step_index=int(step),
        attempt=int(attempt),
        worker=key_text(worker),
        fencing=int(fencing),
        body=document_of(unpacked(body), f"event {sequence}"),
        sequence=int(sequence),
        at_ms=int(at),
    )


def step_values(step: WorkStep) -> Values:
    """Every column of a step."""
    subject = f"step {step.step_index}"
    return {
        "queue": key_bytes(step.queue),
        "run_id": key_bytes(step.run_id),
        "step_index": step.step_index,
        "status": key_bytes(step.status),
        "attempt": step.attempt,
        "fencing": step.fencing,
        "worker": key_bytes(step.worker),
        "lease_until_ms": step.lease_until_ms,
        "sequence": 0,
        "input": packed(document_text(subject, step.input)),
        "output": None if step.output is None else packed(document_text(subject, step.output)),
        "reason": None if step.reason is None else packed(step.reason),
    }


def step_of(row: Row) -> WorkStep:
    """The step of a row."""
    queue, run_id, index, status, attempt, fencing, worker, until, _, covers, output, reason = row
    subject = f"step {index}"
    return WorkStep(
        queue=key_text(queue),
        run_id=key_text(run_id),
        step_index=int(index),
        status=cast("StepStatus", key_text(status)),
        attempt=int(attempt),
        fencing=int(fencing),
        worker=key_text(worker),
        lease_until_ms=int(until),
        input=document_of(unpacked(covers), subject),
        output=None if output is None else document_of(unpacked(output), subject),
        reason=None if reason is None else unpacked(reason),
    )


def execution_of(row: Row) -> Execution:
    """The lost lease of a step's row."""
    step = step_of(row)
    return Execution(
        queue=step.queue,
        run_id=step.run_id,
        step_index=step.step_index,
        attempt=step.attempt,
        worker=step.worker,
        fencing=step.fencing,
        expired_at_ms=step.lease_until_ms,
    )
