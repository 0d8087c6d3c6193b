"""Rows of runs, their ends and their attempts, as entities and back."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from stovepipe_cli.entities.invocation import Invocation, InvocationStatus
from stovepipe_cli.entities.run import Run, RunEnd, RunKind, RunStatus
from stovepipe_cli.keys import key_bytes, key_text
from stovepipe_cli.storage.ledger.documents import document_of, document_text, header_of, header_text
from stovepipe_cli.storage.ledger.sql.packing import packed, unpacked

Row = Sequence[Any]
Values = Mapping[str, object]


def run_values(run: Run) -> Values:
    """Every column of a run that is saved for the first time."""
    return {
        "queue": key_bytes(run.queue),
        "run_id": key_bytes(run.run_id),
        "kind": key_bytes(run.kind),
        "status": key_bytes(run.status),
        "started_at_ms": run.started_at_ms,
        "newest_first": -run.started_at_ms,
        "finished_at_ms": run.finished_at_ms,
        "parent_run_id": None if run.parent_run_id is None else key_bytes(run.parent_run_id),
        "root_run_id": None if run.root_run_id is None else key_bytes(run.root_run_id),
        "version": run.version,
        "touches": 0,
        "header": packed(header_text(run.run_id, run.header)),
    }


def run_of(row: Row) -> Run:
    """The run of a row."""
    queue, run_id, kind, status, started, _, finished, parent, root, version, _, header = row
    name = key_text(run_id)
    return Run(
        queue=key_text(queue),
        run_id=name,
        kind=cast("RunKind", key_text(kind)),
        header=header_of(unpacked(header), name),
        started_at_ms=int(started),
        parent_run_id=None if parent is None else key_text(parent),
        root_run_id=None if root is None else key_text(root),
        status=cast("RunStatus", key_text(status)),
        finished_at_ms=None if finished is None else int(finished),
        version=int(version),
    )


def end_values(run: Run, end: RunEnd, token: str, *, is_prunable: bool) -> Values:
    """Every column of a run's end."""
    return {
        "queue": key_bytes(run.queue),
        "run_id": key_bytes(run.run_id),
        "status": key_bytes(end.status),
        "finished_at_ms": end.finished_at_ms,
        "fingerprint": key_bytes(end.fingerprint),
        "token": key_bytes(token),
        "prunable": int(is_prunable),
    }


def invocation_values(invocation: Invocation) -> Values:
    """Every column of an attempt."""
    return {
        "queue": key_bytes(invocation.queue),
        "run_id": key_bytes(invocation.run_id),
        "invocation_id": key_bytes(invocation.invocation_id),
        "step_index": invocation.step_index,
        "attempt": invocation.attempt,
        "worker": key_bytes(invocation.worker),
        "status": key_bytes(invocation.status),
        "started_at_ms": invocation.started_at_ms,
        "finished_at_ms": invocation.finished_at_ms,
        "document": packed(document_text(f"attempt '{invocation.invocation_id}'", invocation.document)),
    }


def invocation_of(row: Row) -> Invocation:
    """The attempt of a row."""
    queue, run_id, invocation_id, step, attempt, worker, status, started, finished, document = row
    name = key_text(invocation_id)
    return Invocation(
        queue=key_text(queue),
        run_id=key_text(run_id),
        invocation_id=name,
        step_index=int(step),
        attempt=int(attempt),
        worker=key_text(worker),
        status=cast("InvocationStatus", key_text(status)),
        started_at_ms=int(started),
        finished_at_ms=None if finished is None else int(finished),
        document=document_of(unpacked(document), f"attempt '{name}'"),
    )
