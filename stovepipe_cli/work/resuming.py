"""Goes on with a run that nobody works at, or joins those who do, with the job that it was started with."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from shlex import quote

from stovepipe_cli.entities.run import Run
from stovepipe_cli.entities.work import WorkEvent, WorkStep
from stovepipe_cli.errors import Busy, Refused
from stovepipe_cli.instants import format_instant
from stovepipe_cli.storage.ledger.contract import RunConflict
from stovepipe_cli.work.admission import NEVER_BEGUN, require_admitted, started_body
from stovepipe_cli.work.arguments import JobArguments, require_same
from stovepipe_cli.work.closing import settle
from stovepipe_cli.work.header import amend, require_run
from stovepipe_cli.work.recovery import recover_gone
from stovepipe_cli.work.workplace import Workplace

PAGE = 1_000


def _ignore(_: WorkStep) -> None:
    return


def take_up(
    place: Workplace, run_id: str, arguments: JobArguments, *, on_wait: Callable[[WorkStep], None] = _ignore
) -> Run:
    """The run, ready to be worked at alone; steps that waited for an operator are open again.

    Where a lease is held, waits until it runs out, told to `on_wait` once; not for a process of this host that is gone.
    `Busy` where a lease is renewed or granted meanwhile. `Refused` for a run that has ended, that was never begun, or
    whose job is another one. `NotFound` without the run. A stop or a spent budget ends the wait.
    """
    run = _open(place, run_id, arguments)
    _outwait(place, run_id, on_wait)
    _resume_waiting(place, run_id)
    return _unstopped(place, run)


def join_run(place: Workplace, run_id: str, arguments: JobArguments) -> Run:
    """The run, ready to be worked at beside others. Refuses what `take_up` refuses, and waits for nobody."""
    return _unstopped(place, _open(place, run_id, arguments))


def _open(place: Workplace, run_id: str, arguments: JobArguments) -> Run:
    run = settle(place.ledger, require_run(place.ledger, run_id))
    require_open(run)
    started = started_body(place.ledger, run_id)
    if started is None:
        raise Refused(
            f"run '{run_id}' has no steps to go on with: {NEVER_BEGUN}, or it is the work of one process",
            hint=f"'stovepipe runs cancel {run_id}' and start anew",
        )
    require_same(run, started, arguments)
    require_admitted(place.ledger, run, place.worker, ttl_ms=place.settings.ttl_ms)
    return run


def require_open(run: Run) -> None:
    """`Refused` for a run that has ended, whatever it did."""
    if run.is_ended:
        at = "" if run.finished_at_ms is None else f" since {format_instant(run.finished_at_ms)}"
        whose = f"-q {quote(run.queue)}"
        raise Refused(
            f"run '{run.run_id}', a {run.kind}, is {run.status}{at} and has nothing left to do",
            hint=f"'stovepipe runs show {whose} {run.run_id}' tells how it ended, and "
            f"'stovepipe runs list {whose} --status abandoned' what can be gone on with",
        )


def _unstopped(place: Workplace, run: Run) -> Run:
    if run.header.stopped_because is None:
        return run
    return amend(place.ledger, run.run_id, lambda header: replace(header, stopped_because=None))


def _resume_waiting(place: Workplace, run_id: str) -> None:
    steps, after = place.ledger.steps, -1
    while waiting := steps.steps(run_id, limit=PAGE, after=after, status="waiting"):
        for step in waiting:
            # Another one may have resumed it first.
            with suppress(RunConflict):
                token = f"resumed-{step.step_index}-{step.fencing}"
                steps.append_event(
                    WorkEvent(place.ledger.queue, run_id, "StepResumed", token=token, step_index=step.step_index)
                )
        after = waiting[-1].step_index


def _outwait(place: Workplace, run_id: str, on_wait: Callable[[WorkStep], None]) -> None:
    held = recover_gone(place.ledger, run_id, place.worker)
    known = {step.step_index: step for step in held}
    if held:
        on_wait(held[0])
    while held and not place.is_over:
        place.pause()
        held = recover_gone(place.ledger, run_id, place.worker)
        for step in held:
            before = known.get(step.step_index)
            if before is None or (before.fencing, before.lease_until_ms) != (step.fencing, step.lease_until_ms):
                raise Busy(
                    f"run '{run_id}' is at work: '{step.worker}' renewed its lease of step {step.step_index}",
                    hint=f"'stovepipe runs work {run_id}' joins it, 'stovepipe runs cancel {run_id}' ends it",
                )
