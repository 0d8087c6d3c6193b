"""`stovepipe repair`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from stovepipe_cli.commands import job_options
from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)

Select = Annotated[
    list[str] | None, typer.Option("--select", metavar="CODES", help="Only what these rules found: codes or prefixes.")
]
Requests = Annotated[
    list[str] | None, typer.Option("--request", metavar="REQUEST", help="Only this request; repeatable.")
]


@command(
    group,
    "plan",
    example="stovepipe repair plan -q monorepo/main --out plan.json",
    exits="0 a plan was made, also an empty one; 3 with --detailed-exitcode: it holds entries to apply or decide; "
    "5 the queue has no rows; 7 the file exists",
)
def plan(
    session: Session,
    select: Select = None,
    request: Requests = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Also write the plan to this file, for repair apply.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files of --out and --sql.")] = False,
    sql: Annotated[
        Path | None, typer.Option("--sql", metavar="FILE", help="Also write the plan as guarded SQL.")
    ] = None,
    expires: Annotated[
        str, typer.Option("--expires", metavar="TIME", help="How long the plan can be applied.")
    ] = "24h",
    insert_only: Annotated[bool, typer.Option("--insert-only", help="Leave projection updates out.")] = False,
    no_tag: Annotated[bool, typer.Option("--no-tag", help="Do not mark inserted entries with the run.")] = False,
    allow_retention_time: Annotated[
        bool,
        typer.Option(
            "--allow-retention-time",
            help="Where no row kept an entry's time, use the moment of insertion, which is what the field means.",
        ),
    ] = False,
    failed_reason: Annotated[
        list[str] | None,
        typer.Option("--failed-reason", metavar="REQUEST=REASON", help="Why that request failed; repeatable."),
    ] = None,
    superseded_by: Annotated[
        list[str] | None,
        typer.Option("--superseded-by", metavar="REQUEST=ID", help="The newer request that superseded it; repeatable."),
    ] = None,
    settle: Annotated[
        str | None, typer.Option("--settle", metavar="TIME", help="Wait before the second look (5s).")
    ] = None,
    min_age: Annotated[
        str | None, typer.Option("--min-age", metavar="TIME", help="Leave younger latest steps to the service.")
    ] = None,
    history_since: Annotated[
        str | None,
        typer.Option("--history-since", metavar="REQUEST", help="First request that has a history, or none."),
    ] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A queue without any row has an empty plan.")
    ] = False,
    detailed: Annotated[bool, typer.Option("--detailed-exitcode", help="3 when there is something to do.")] = False,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = None,
) -> object:
    """Plan the repair of what verify finds: only what stored rows prove. Writes nothing to the database.

    Each entry says what would be inserted, which rows prove it and where its time comes from; what cannot be proved
    is listed with the reason.
    """
    from stovepipe_cli.commands.repair_work import make_plan, record_plan, write_plan_files
    from stovepipe_cli.commands.run_record import Recorder

    session.configure(settle=settle, min_age=min_age, history_since=history_since)
    asked = {
        "select": select,
        "request": request,
        "out": out,
        "sql": sql,
        "expires": expires,
        "insert_only": insert_only,
        "no_tag": no_tag,
        "allow_retention_time": allow_retention_time,
        "failed_reason": failed_reason,
        "superseded_by": superseded_by,
    }
    record = session.keep(Recorder(session, "repair-plan", asked, reason=reason).start(session.queue))
    made = make_plan(
        session,
        session.reading,
        run_id=record.run_id,
        select=select,
        requests=request,
        expires=expires,
        insert_only=insert_only,
        no_tag=no_tag,
        allow_retention_time=allow_retention_time,
        failed_reason=failed_reason,
        superseded_by=superseded_by,
        allow_empty=allow_empty,
    )
    write_plan_files(session, made, out=out, sql=sql, force=force)
    record_plan(session, record, made)
    return replace(made, is_detailed=detailed, file=None if out is None else str(out))


@command(
    group,
    "apply",
    example="stovepipe repair apply -q monorepo/main plan.json",
    exits="0 all applied or identical; 3 any drifted, conflicting or failed; 4 it stopped before the end; 7 not "
    "confirmed, or a plan that is edited, expired or of another target; 8 another apply to the queue is at work or was "
    "left unfinished; 130 or 143 a signal, after the batch at hand",
)
def apply(
    session: Session,
    plan_file: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="A file of repair plan; none plans afresh, on a terminal.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="CODE|REQUEST", help="Only this rule code or request; repeatable."),
    ] = None,
    max_entries: Annotated[
        int | None, typer.Option("--max-entries", metavar="N", help="Apply at most so many entries.")
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", help="Most requests written between two looks at the result.")
    ] = 512,
    workers: job_options.Workers = 1,
    dask: job_options.Dask = None,
    rate: job_options.Rate = None,
    max_load: job_options.MaxLoad = None,
    max_lag: job_options.MaxLag = None,
    lag_url: job_options.LagURL = None,
    pause_file: job_options.PauseFile = None,
    lease: job_options.Lease = None,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Go on behind a conflict or a new finding.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Re-read everything and say what would happen.")] = False,
    accept_failover: Annotated[
        bool, typer.Option("--accept-failover", help="The database moved: apply if all that matters is equal.")
    ] = False,
    confirm_queue: Annotated[
        str | None,
        typer.Option("--confirm-queue", metavar="NAME", help="The queue's name, where the profile is protected."),
    ] = None,
    undo_sql: Annotated[
        Path | None,
        typer.Option("--undo-sql", metavar="FILE", help="Also write SQL that takes back what was inserted."),
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the receipt.")] = None,
) -> object:
    """Apply a plan: insert what it lists, as long as the rows that prove it are still what they were.

    Nothing that exists is changed but projections that the plan names, and those only forward. Applying a plan twice
    changes nothing. One that was stopped or killed goes on when the same plan is applied again, or with 'runs resume'.
    """
    from stovepipe_cli.commands.apply_work import apply_plan
    from stovepipe_cli.commands.audit_options import codes, verify_options
    from stovepipe_cli.commands.repair_work import load_or_make_plan
    from stovepipe_cli.commands.run_place import pacing_of
    from stovepipe_cli.repair.apply_options import ApplyOptions

    session.configure(rate=rate, max_load=max_load, max_lag=max_lag, lag_url=lag_url, pause_file=pause_file)
    options = ApplyOptions(
        only=codes(only),
        max_entries=max_entries,
        batch=batch,
        dry_run=dry_run,
        keep_going=keep_going,
        accept_failover=accept_failover,
        verify=verify_options(session),
    )
    return apply_plan(
        session,
        load_or_make_plan(session, plan_file),
        options,
        pacing_of(workers=workers, max_failure_share=None, lease=lease, dask=dask),
        plan_file=plan_file,
        confirm_queue=confirm_queue,
        undo_sql=undo_sql,
        reason=reason,
    )
