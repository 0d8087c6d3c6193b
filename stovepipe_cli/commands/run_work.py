"""Runs on record: listed, shown, held, ended, and the SQL that takes back what one wrote."""

from dataclasses import replace
from typing import TYPE_CHECKING

from stovepipe_cli.errors import Refused, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run
    from stovepipe_cli.reports import RunChangeReport, RunReport, RunsReport, RunUndoReport
    from stovepipe_cli.storage.ledger.contract import QueueLedger


def list_page(
    session: "Session", *, limit: int, since: str | None, kind: str, status: str, cursor: str | None
) -> "RunsReport":
    """One page of the queue's runs; says where other hosts have runs of their own."""
    from stovepipe_cli.commands.ledger_work import require_ledger
    from stovepipe_cli.instants import parse_instant
    from stovepipe_cli.look.runs import RunFilter, list_runs
    from stovepipe_cli.work.identity import this_worker

    since_ms = None if since is None else parse_instant(since, session.clock.now_ms())
    chosen = RunFilter(kind, status, since_ms)
    ledger = require_ledger(session, read_only=True)
    page = list_runs(ledger.for_queue(session.queue), chosen, this_worker(), limit=limit, cursor=cursor)
    if not ledger.is_private:
        return page
    alone = f"the ledger is a file of this host, {ledger.place}: runs of other hosts are not in it"
    return replace(page, notes=(*page.notes, alone))


def show_one(session: "Session", name: str, *, events: bool, rows: bool) -> "RunReport":
    """The run in full, with its events and the rows it wrote where they are asked for."""
    from stovepipe_cli.look.run import show_run
    from stovepipe_cli.repair.kept_rows import kept_rows
    from stovepipe_cli.reports.runs import Pages
    from stovepipe_cli.work.identity import this_worker

    ledger, run = found(session, name, read_only=True)
    report = show_run(ledger, run, this_worker(), events=events)
    return replace(report, rows=Pages(lambda: kept_rows(ledger, run.run_id))) if rows else report


def undo_of(session: "Session", name: str, *, is_alone: bool) -> "RunUndoReport":
    """SQL for the open database; `Refused` where the run wrote to another one."""
    from stovepipe_cli.commands.repair_work import plan_target
    from stovepipe_cli.repair.kept_rows import undo_of_run
    from stovepipe_cli.repair.sql_words import dialect_of
    from stovepipe_cli.reports import RunUndoReport

    if not is_alone:
        raise UsageError("--undo-sql is an answer of its own", hint="leave --events and --rows out")
    ledger, run = found(session, name, read_only=True)
    here, there = plan_target(session).identity, run.header.target.get("identity", "")
    if here != there:
        raise Refused(
            f"run '{run.run_id}' wrote to the database with identity '{there}', and this one has '{here}'",
            hint="name the database that it wrote to; 'stovepipe runs show' tells",
        )
    rows, sql = undo_of_run(ledger, run.run_id, session.storage(), dialect_of(session.server().backend))
    return RunUndoReport(run.run_id, rows, sql)


def cancel(session: "Session", name: str, reason: str | None) -> "RunChangeReport":
    """End the run as CANCELLED; `RunEnded` where it has ended in another way."""
    from stovepipe_cli.commands.run_header import actor
    from stovepipe_cli.storage.ledger.contract import RunEnded
    from stovepipe_cli.work.closing import cancel_run

    ledger, run = found(session, name, read_only=False)
    because = f"cancelled by {actor()}" + (f": {reason}" if reason else "")
    ended, is_ours = cancel_run(ledger, run.run_id, reason=because)
    if ended.status != "CANCELLED":
        raise RunEnded(f"run '{run.run_id}' is {ended.status} already", hint="there is nothing to cancel")
    return _changed(ledger, ended, "cancelled", changed=is_ours)


def hold(session: "Session", name: str, reason: str) -> "RunChangeReport":
    """Hold the run; an earlier hold stays as it is."""
    from stovepipe_cli.commands.run_header import actor
    from stovepipe_cli.storage.ledger.contract import RunEnded

    if not reason.strip():
        raise UsageError("--reason is empty", hint="say why; the workers of the run show it")
    ledger, run = found(session, name, read_only=False)
    if run.is_ended:
        raise RunEnded(f"run '{run.run_id}' is {run.status}, and nobody works at it", hint="there is nothing to hold")
    before = ledger.holds.of(run.run_id)
    ledger.holds.put(run.run_id, reason=reason, actor=actor())
    return _changed(ledger, run, "held", changed=before is None)


def release(session: "Session", name: str) -> "RunChangeReport":
    """Lift the hold."""
    ledger, run = found(session, name, read_only=False)
    return _changed(ledger, run, "released", changed=ledger.holds.lift(run.run_id))


def found(session: "Session", name: str, *, read_only: bool) -> "tuple[QueueLedger, Run]":
    """The session's queue in the ledger, and the run of that name."""
    from stovepipe_cli.commands.ledger_work import require_ledger
    from stovepipe_cli.look.run_reference import resolve_run

    ledger = require_ledger(session, read_only=read_only).for_queue(session.queue)
    return ledger, resolve_run(ledger, name)


def _changed(ledger: "QueueLedger", run: "Run", did: str, *, changed: bool) -> "RunChangeReport":
    from stovepipe_cli.look.run import hold_view
    from stovepipe_cli.look.runs import run_item
    from stovepipe_cli.reports import RunChangeReport
    from stovepipe_cli.work.identity import this_worker

    now = ledger.runs.find(run.run_id) or run
    item = run_item(ledger, now, this_worker())
    return RunChangeReport(changed, did, item, hold_view(ledger, run.run_id))
