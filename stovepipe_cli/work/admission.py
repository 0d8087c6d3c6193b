"""Puts a run on record before anything else is written, and lets in one writing run a queue and kind at a time.

Each kind that writes has a workflow of its own, the gate, with one step for every run that was ever let in. The step
names the run; whoever makes it first is in, which the ledger decides. It is completed once the run's row and the start
of its work are on record. A starter that dies before that leaves a step whose lease runs out: the next one looks how
far it came, and either lets that run stand or makes it void.
"""

from collections.abc import Mapping
from contextlib import suppress

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import WorkEvent, WorkStep
from stovepipe_cli.errors import Busy, Refused
from stovepipe_cli.instants import format_instant
from stovepipe_cli.storage.contract import StorageError
from stovepipe_cli.storage.ledger.contract import Claimed, HeldByOther, LeaseLost, QueueLedger
from stovepipe_cli.work.arguments import BODY_KEY, JobArguments
from stovepipe_cli.work.closing import cancel_run, settle
from stovepipe_cli.work.identity import WorkerIdentity
from stovepipe_cli.work.recovery import recover_gone
from stovepipe_cli.work.settings import DEFAULT_TTL_MS

WRITING_KINDS = frozenset({"repair-apply", "backfill-acceptances", "fixtures-load"})
JOB_KEY = "job"
NEVER_BEGUN = "its start was never finished, and nothing was written"
# Others may be let in and end while this one looks; more often than this, something else is wrong.
TRIES = 20

_RUN, _ADMITTED, _STARTED = "run_id", "admitted", "started"


def gate_of(kind: str) -> str:
    """The workflow in which runs of this kind are let in; no run has such an id."""
    return f"gate:{kind}"


def start_run(
    ledger: QueueLedger,
    run: Run,
    worker: WorkerIdentity,
    *,
    arguments: JobArguments,
    body: Mapping[str, object] | None = None,
    ttl_ms: int = DEFAULT_TTL_MS,
) -> Run:
    """The run, on record with what defines its job; `body` is all that its job is made of, on any host.

    First the row, then the start of its work; whatever cannot be put on record is raised, and nothing else is written.
    `Busy` where a run of a kind that writes is at work or was left unfinished, naming it.
    """
    if run.kind not in WRITING_KINDS:
        return _begin(ledger, run, arguments, body)
    gate = gate_of(run.kind)
    ledger.steps.append_event(WorkEvent(ledger.queue, gate, "WorkflowStarted", token=_STARTED))
    index, claim = _claim(ledger, run, gate, worker, ttl_ms)
    try:
        begun = _begin(ledger, run, arguments, body)
    except StorageError:
        with suppress(StorageError):
            ledger.steps.release_lease(gate, index, worker.name, fencing=claim.fencing)
        raise
    try:
        _decide(ledger, gate, index, claim, worker, is_admitted=True)
    except LeaseLost:
        step = ledger.steps.step(gate, index)
        if step is None or not _is_admitted(step):
            cancel_run(ledger, run.run_id, reason="another run was let in while it was starting")
            raise Busy(
                f"another {run.kind} of queue '{ledger.queue}' was let in while this one was starting",
                hint="nothing was written; 'stovepipe runs list' shows it",
            ) from None
    return begun


def require_admitted(ledger: QueueLedger, run: Run, worker: WorkerIdentity, *, ttl_ms: int) -> None:
    """`Refused` for a run of a kind that writes which was never let in; `Busy` while its starter still is at it."""
    if run.kind not in WRITING_KINDS:
        return
    gate = gate_of(run.kind)
    last = ledger.steps.last_step(gate)
    if last is not None and _named(last) == run.run_id and not last.is_disposed:
        recover_gone(ledger, gate, worker)
        claim = ledger.steps.claim_step(gate, last.step_index, worker.name, ttl_ms=ttl_ms)
        if isinstance(claim, HeldByOther):
            raise _being_started(run.run_id, run.kind, claim)
        if isinstance(claim, Claimed):
            _judge(ledger, gate, last.step_index, claim, worker)
        last = ledger.steps.step(gate, last.step_index)
    if last is None or _named(last) != run.run_id or not _is_admitted(last):
        raise Refused(
            f"run '{run.run_id}' was never let in: {NEVER_BEGUN}",
            hint=f"'stovepipe runs cancel {run.run_id}' and start anew",
        )


def started_body(ledger: QueueLedger, run_id: str) -> Mapping[str, object] | None:
    """What the start of the run's work left on record; None where none was begun."""
    events = ledger.steps.load_events(run_id, limit=1)
    return events[0].body if events else None


def _begin(ledger: QueueLedger, run: Run, arguments: JobArguments, body: Mapping[str, object] | None) -> Run:
    saved = ledger.runs.save(run)
    started = {BODY_KEY: arguments.body(), JOB_KEY: dict(body or {})}
    ledger.steps.append_event(WorkEvent(ledger.queue, run.run_id, "WorkflowStarted", token=_STARTED, body=started))
    return saved


def _claim(ledger: QueueLedger, run: Run, gate: str, worker: WorkerIdentity, ttl_ms: int) -> tuple[int, Claimed]:
    for _ in range(TRIES):
        last = ledger.steps.last_step(gate)
        index = 0 if last is None else _free_index(ledger, gate, last, worker)
        covers = {_RUN: run.run_id}
        claim = ledger.steps.claim_step(gate, index, worker.name, ttl_ms=ttl_ms, covers=covers)
        if isinstance(claim, HeldByOther):
            step = ledger.steps.step(gate, index)
            raise _being_started("" if step is None else _named(step), run.kind, claim)
        if isinstance(claim, Claimed):
            if claim.input.get(_RUN) == run.run_id:
                return index, claim
            with suppress(LeaseLost):
                _judge(ledger, gate, index, claim, worker)
    raise Busy(
        f"runs of kind {run.kind} come and go on queue '{ledger.queue}' faster than this one can be let in",
        hint="try again",
    )


def _free_index(ledger: QueueLedger, gate: str, last: WorkStep, worker: WorkerIdentity) -> int:
    """The step to claim; `Busy` while the run that was let in last is not over."""
    if not last.is_disposed:
        recover_gone(ledger, gate, worker)
        return last.step_index
    run = ledger.runs.find(_named(last)) if _is_admitted(last) else None
    if run is None:
        return last.step_index + 1
    run = settle(ledger, run)
    held = recover_gone(ledger, run.run_id, worker)
    if held:
        until = format_instant(max(step.lease_until_ms for step in held))
        how = f"has ended {run.status}, and its workers have not all heard of it" if run.is_ended else "is at work"
        raise Busy(
            f"run '{run.run_id}' of kind {run.kind} {how}: '{held[0].worker}' holds a lease until {until}",
            hint="wait for it" if run.is_ended else f"wait for it, or 'stovepipe runs cancel {run.run_id}'",
        )
    if not run.is_ended:
        raise Busy(
            f"run '{run.run_id}' of kind {run.kind} was left unfinished, and nobody works at it",
            hint=f"'stovepipe runs resume {run.run_id}' goes on, 'stovepipe runs cancel {run.run_id}' gives it up",
        )
    return last.step_index + 1


def _judge(ledger: QueueLedger, gate: str, index: int, claim: Claimed, worker: WorkerIdentity) -> None:
    """Decide about the run of a starter that did not finish: it stands once the start of its work is on record."""
    run = ledger.runs.find(str(claim.input.get(_RUN)))
    is_begun = run is not None and started_body(ledger, run.run_id) is not None
    if run is not None and not is_begun:
        cancel_run(ledger, run.run_id, reason=NEVER_BEGUN)
    _decide(ledger, gate, index, claim, worker, is_admitted=is_begun)


def _decide(
    ledger: QueueLedger, gate: str, index: int, claim: Claimed, worker: WorkerIdentity, *, is_admitted: bool
) -> None:
    ledger.steps.append_event(
        WorkEvent(
            ledger.queue,
            gate,
            "StepCompleted",
            token=f"decided-{index}-{claim.fencing}",
            step_index=index,
            attempt=claim.attempt,
            worker=worker.name,
            fencing=claim.fencing,
            body={"output": {_ADMITTED: is_admitted}},
        )
    )


def _named(step: WorkStep) -> str:
    return str(step.input.get(_RUN))


def _is_admitted(step: WorkStep) -> bool:
    return step.status == "completed" and step.output is not None and step.output.get(_ADMITTED) is True


def _being_started(run_id: str, kind: str, held: HeldByOther) -> Busy:
    return Busy(
        f"run '{run_id}' of kind {kind} is being started by '{held.worker}' until {format_instant(held.until_ms)}",
        hint="wait for it to end, or for its start to be given up",
    )
