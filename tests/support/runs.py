"""Runs on record for tests."""

from stovepipe_cli.entities.invocation import Invocation
from stovepipe_cli.entities.run import Run, RunEnd, RunHeader, RunKind, RunStatus
from stovepipe_cli.entities.work import EventKind, WorkEvent
from stovepipe_cli.repair.kept_rows import rows_document
from stovepipe_cli.reports import JsonValue, Written
from stovepipe_cli.storage.ledger.contract import QueueLedger

STARTED_MS = 1_767_268_800_000


def run_id(number: int) -> str:
    """An id that was minted at the start of that run."""
    moment = f"{STARTED_MS + number * 1_000:012x}"
    return f"{moment[:8]}-{moment[8:]}-7000-8000-{number:012x}"


def begin(ledger: QueueLedger, number: int, kind: RunKind = "verify", **header: object) -> Run:
    """A run that is RUNNING since `number` seconds after the first."""
    return ledger.runs.save(new_run(ledger, number, kind, **header))


def new_run(ledger: QueueLedger, number: int, kind: RunKind = "verify", **header: object) -> Run:
    """The same, not on record yet."""
    told = RunHeader(actor="ann@host", **header)  # type: ignore[arg-type]  # the test names fields of the header
    return Run(ledger.queue, run_id(number), kind, told, STARTED_MS + number * 1_000)


def end(ledger: QueueLedger, run: Run, status: RunStatus = "COMPLETED", **told: object) -> Run:
    """The run, ended five seconds after its start."""
    ledger.runs.transition(run.run_id, RunEnd(status, run.started_at_ms + 5_000, **told))  # type: ignore[arg-type]  # same
    found = ledger.runs.find(run.run_id)
    assert found is not None
    return found


def open_work(ledger: QueueLedger, run: Run) -> None:
    """The run gets a workflow."""
    append(ledger, run, "WorkflowStarted")


def append(ledger: QueueLedger, run: Run, kind: EventKind, token: str = "", **fields: object) -> None:
    ledger.steps.append_event(
        WorkEvent(ledger.queue, run.run_id, kind, token or kind, **fields)  # type: ignore[arg-type]  # the test's own
    )


def attempt(ledger: QueueLedger, run: Run, step: int, *rows: Written, number: int = 1, died: bool = False) -> None:
    """An attempt at a step that wrote these rows, or was about to when it died."""
    document: dict[str, JsonValue] = {"intended": rows_document(rows)}
    if not died:
        document["written"] = rows_document(rows)
    ledger.runs.record_invocation(
        Invocation(
            queue=ledger.queue,
            run_id=run.run_id,
            invocation_id=f"{step}-{number}",
            step_index=step,
            attempt=number,
            worker="worker",
            status="IN_FLIGHT" if died else "SUCCEEDED",
            started_at_ms=run.started_at_ms,
            finished_at_ms=None if died else run.started_at_ms + 1,
            document=document,
        )
    )
