"""Runs done in steps, from their start or from where they were left to the answer of their command."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from stovepipe_cli.commands.run_place import Pacing, queue_ledger, require_primary, with_helpers, workplace
from stovepipe_cli.errors import Busy, Refused

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run, RunKind
    from stovepipe_cli.reports import Report
    from stovepipe_cli.storage.ledger.contract import QueueLedger
    from stovepipe_cli.work import Fellows, JobArguments, Progress, Workplace, WorkResult

# Runs that are looked through for one that was left unfinished; the latest of its kind is among the first.
_RECENT = 200


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a command is about to start. `options` define its job, `recorded` are told with it, `body` makes it up."""

    kind: "RunKind"
    body: Mapping[str, object]
    options: Mapping[str, object] = field(default_factory=dict)
    recorded: Mapping[str, object] = field(default_factory=dict)
    plan: str = ""
    reason: str | None = None
    document: Mapping[str, object] = field(default_factory=dict)


def run_new(session: "Session", new: NewRun, pacing: Pacing) -> "Report":
    """Start the run, or go on with one of the same job that nobody works at, and do what there is to do.

    `Busy` where another run of the kind is at work, or was left unfinished with another job.
    """
    from stovepipe_cli.commands.run_header import new_run
    from stovepipe_cli.work import start_run

    pacing.validate()
    ledger = queue_ledger(session)
    arguments = _arguments(session, new.kind, new.options, new.plan)

    def begin(place: "Workplace") -> "Run":
        revisions = {"plan": new.plan} if new.plan else {}
        made = new_run(session, new.kind, new.recorded, revisions, new.reason, document=new.document)
        # Hosts whose clocks differ share the listing.
        run = replace(made, started_at_ms=ledger.steps.now_ms())
        try:
            return start_run(
                ledger, run, place.worker, arguments=arguments, body=new.body, ttl_ms=place.settings.ttl_ms
            )
        except Busy:
            left = _left_unfinished(place, arguments)
            if left is None:
                raise
            session.say(f"run '{left.run_id}' with the same job was left unfinished: going on with it")
            return _take_up(session, place, left.run_id, arguments)

    return _work(session, ledger, pacing, begin, new.kind, has_files=True)


def resume(session: "Session", name: str, pacing: Pacing) -> "Report":
    """Go on with a run that nobody works at; the document of the command that started it."""
    from stovepipe_cli.commands.job_kinds import READING_KINDS
    from stovepipe_cli.work import join_run

    pacing.validate()
    ledger, run = _found(session, name)
    arguments = _arguments_now(session, ledger, run)

    def begin(place: "Workplace") -> "Run":
        if run.kind in READING_KINDS:
            # Workers that are still at it write nothing and are welcome.
            return join_run(place, run.run_id, arguments)
        return _take_up(session, place, run.run_id, arguments)

    return _work(session, ledger, pacing, begin, run.kind, has_files=True)


def join(session: "Session", name: str, pacing: Pacing) -> "Report":
    """Work at a run beside others; the document of the command that started it."""
    from stovepipe_cli.work import join_run

    pacing.validate()
    ledger, run = _found(session, name)
    arguments = _arguments_now(session, ledger, run)

    def begin(place: "Workplace") -> "Run":
        return join_run(place, run.run_id, arguments)

    return _work(session, ledger, pacing, begin, run.kind, has_files=False)


def _work(
    session: "Session",
    ledger: "QueueLedger",
    pacing: Pacing,
    begin: "Callable[[Workplace], Run]",
    kind_name: str,
    *,
    has_files: bool,
) -> "Report":
    from stovepipe_cli.commands.job_kinds import READING_KINDS, kind_of, registry_of
    from stovepipe_cli.commands.process import signals_noted
    from stovepipe_cli.commands.run_throttle import forget_pause
    from stovepipe_cli.work import StopRequest, work

    is_reading = kind_name in READING_KINDS
    cluster = _cluster(session, pacing)
    with (
        signals_noted() as noted,
        workplace(
            session,
            ledger,
            pacing,
            StopRequest(lambda: noted() or session.surroundings.noted()),
            _teller(session),
            is_reading=is_reading,
        ) as place,
    ):
        run = begin(place)
        session.run_id = run.run_id
        forget_pause(session, run)
        kind = kind_of(session, ledger, run, has_files=has_files)
        with kind.files():
            if cluster is None:
                count, beside = kind.helpers(pacing)
                helped = with_helpers(
                    session, place, run.run_id, pacing, count=count, beside=beside, is_reading=is_reading
                )
            else:
                helped = replace(place, helpers=cluster(run.run_id))
            result = kind.ended(work(helped, run.run_id, registry_of(run, kind)))
        _tell(session, result)
        return kind.report(result)


def _cluster(session: "Session", pacing: Pacing) -> "Callable[[str], Fellows] | None":
    """Workers of a Dask cluster for a run, None where none is asked for. It is connected to before anything begins."""
    if pacing.dask is None:
        return None
    from stovepipe_cli.commands.dask_workers import dask_client, dask_workers

    client = dask_client(session, pacing.dask)
    return lambda run_id: dask_workers(session, client, run_id, pacing)


def _take_up(session: "Session", place: "Workplace", run_id: str, arguments: "JobArguments") -> "Run":
    from stovepipe_cli.work import take_up

    return take_up(
        place,
        run_id,
        arguments,
        on_wait=lambda step: session.say(f"waiting for the lease of '{step.worker}' on step {step.step_index}"),
    )


def _teller(session: "Session") -> "Callable[[Progress], None]":
    def tell(progress: "Progress") -> None:
        aside = f", {progress.quarantined:,} set aside" if progress.quarantined else ""
        batches = f"; batches of {progress.size:,}: {progress.size_reason}" if progress.size_reason else ""
        steps = f"{progress.completed:,} of {progress.minted:,} steps"
        session.progress(f"{steps}, {progress.handled:,} rows{aside}{batches}")

    return tell


def _tell(session: "Session", result: "WorkResult") -> None:
    for dead in result.dead:
        session.say(f"warning: worker {dead.pid} died ({_cause(dead.code)}); what it had begun was done by others")
    stop = result.stop
    if stop is not None and not result.run.is_ended and session.config.ledger.value is not None:
        again = f"stovepipe runs resume -q {session.queue} {result.run.run_id}"
        session.say(f"run {result.run.run_id} is not at its end: {stop.sentence}; go on with: {again}")


def _cause(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _found(session: "Session", name: str) -> "tuple[QueueLedger, Run]":
    from stovepipe_cli.commands.run_work import found

    return found(session, name, read_only=False)


def _left_unfinished(place: "Workplace", arguments: "JobArguments") -> "Run | None":
    """The run of the same job that was let in and that nobody works at."""
    from stovepipe_cli.work import arguments_of, recover_gone
    from stovepipe_cli.work.admission import started_body

    for run in place.ledger.runs.runs_in_queue(limit=_RECENT):
        if run.kind != arguments.kind or run.is_ended:
            continue
        started = started_body(place.ledger, run.run_id)
        is_same = started is not None and arguments_of(started)[0] == arguments.digest
        return run if is_same and not recover_gone(place.ledger, run.run_id, place.worker) else None
    return None


def _arguments(session: "Session", kind: "RunKind", options: Mapping[str, object], plan: str) -> "JobArguments":
    from stovepipe_cli.audit.rules import rules_digest
    from stovepipe_cli.commands.repair_work import plan_target
    from stovepipe_cli.work import JobArguments

    return JobArguments(
        kind, session.queue, plan_target(session).identity, rules=rules_digest(), plan=plan, options=options
    )


def _arguments_now(session: "Session", ledger: "QueueLedger", run: "Run") -> "JobArguments":
    """What the run's job would be here and now: its own options, on this database, with these rules."""
    from stovepipe_cli.commands.job_kinds import READING_KINDS
    from stovepipe_cli.work import arguments_of, require_open
    from stovepipe_cli.work.admission import started_body

    # First of all: whether it could be gone on with does not matter any more.
    require_open(run)
    if run.kind in READING_KINDS:
        session.reading()
    else:
        session.writing()
        require_primary(session, hint="work at the run on the primary")
    started = started_body(ledger, run.run_id)
    if started is None:
        raise Refused(
            f"run '{run.run_id}', a {run.kind}, is the work of one process, which no other can go on with",
            hint="start it anew",
        )
    _, kept = arguments_of(started)
    options = {name.removeprefix("option "): value for name, value in kept.items() if name.startswith("option ")}
    return _arguments(session, run.kind, options, str(kept.get("plan", "")))
