"""`stovepipe runs`."""

from typing import Annotated

import typer

from stovepipe_cli.commands import job_options
from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)

RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The id of a run, a unique beginning of it, or @latest.", show_default=False),
]


@command(
    group,
    "list",
    example="stovepipe runs list -q monorepo/main --since 7d --status abandoned",
    exits="0 listed, none included; 2 a bad option; 6 the ledger cannot be reached; 7 the cursor is not of this list",
)
def list_runs(
    session: Session,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most runs of one page, 1 to 1000.")] = 50,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only runs that started at or after this time.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="verify, repair-plan, repair-apply, backfill-acceptances or fixtures-load.",
        ),
    ] = "",
    status: Annotated[
        str,
        typer.Option(
            "--status", metavar="STATUS", help="RUNNING, COMPLETED, FAILED, CANCELLED, or abandoned by its workers."
        ),
    ] = "",
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on behind the page that gave this.")
    ] = None,
) -> object:
    """List what was done to a queue, newest first: by whom, with what outcome, and what is still under way.

    A run that has not ended and that nobody works at is abandoned. A COMPLETED one did all it set out to do, which
    says nothing about what it found.
    """
    from stovepipe_cli.commands.run_work import list_page

    return list_page(session, limit=limit, since=since, kind=kind, status=status, cursor=cursor)


@command(
    group,
    "show",
    example="stovepipe runs show -q monorepo/main @latest --rows -o ndjson",
    exits="0 shown; 2 the name fits several runs; 5 there is no such run; 6 the ledger cannot be reached; 7 with "
    "--undo-sql: the run wrote to another database",
)
def show_run(
    session: Session,
    run: RunName,
    events: Annotated[bool, typer.Option("--events", help="Also every event of its work.")] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Also every row that it wrote.")] = False,
    undo_sql: Annotated[
        bool,
        typer.Option("--undo-sql", help="Instead print SQL that takes out what it inserted; nothing runs it but you."),
    ] = False,
) -> object:
    """Show one run: who started it and with what, where its work stands, what holds it up, and what it left."""
    from stovepipe_cli.commands.run_work import show_one, undo_of

    if undo_sql:
        return undo_of(session, run, is_alone=not (events or rows))
    return show_one(session, run, events=events, rows=rows)


@command(
    group,
    "resume",
    example="stovepipe runs resume -q monorepo/main @latest",
    exits="0 the rest is done; 3 and 4 as the command that it resumes; 5 there is no such run; 7 it has ended, or the "
    "job is another one now; 8 somebody else works at it",
)
def resume_run(
    session: Session,
    run: RunName,
    workers: job_options.Workers = 1,
    rate: job_options.Rate = None,
    max_load: job_options.MaxLoad = None,
    max_lag: job_options.MaxLag = None,
    lag_url: job_options.LagURL = None,
    pause_file: job_options.PauseFile = None,
    max_failure_share: job_options.MaxFailureShare = None,
    lease: job_options.Lease = None,
) -> object:
    """Go on with a run that nobody works at, and answer as the command would have that started it."""
    from stovepipe_cli.commands.run_engine import resume
    from stovepipe_cli.commands.run_place import pacing_of

    session.configure(rate=rate, max_load=max_load, max_lag=max_lag, lag_url=lag_url, pause_file=pause_file)
    return resume(session, run, pacing_of(workers=workers, max_failure_share=max_failure_share, lease=lease))


@command(
    group,
    "work",
    example="stovepipe runs work -q monorepo/main 0197c1d2",
    exits="0 nothing is left to do; 3 and 4 as the command that started it; 5 there is no such run; 7 it has ended, or "
    "the job is another one here",
)
def work_run(
    session: Session,
    run: RunName,
    workers: job_options.Workers = 1,
    rate: job_options.Rate = None,
    max_load: job_options.MaxLoad = None,
    max_lag: job_options.MaxLag = None,
    lag_url: job_options.LagURL = None,
    pause_file: job_options.PauseFile = None,
    max_failure_share: job_options.MaxFailureShare = None,
    lease: job_options.Lease = None,
) -> object:
    """Work at a run beside those who do already, on any host that shares its ledger and its database."""
    from stovepipe_cli.commands.run_engine import join
    from stovepipe_cli.commands.run_place import pacing_of

    session.configure(rate=rate, max_load=max_load, max_lag=max_lag, lag_url=lag_url, pause_file=pause_file)
    return join(session, run, pacing_of(workers=workers, max_failure_share=max_failure_share, lease=lease))


@command(
    group,
    "cancel",
    example="stovepipe runs cancel -q monorepo/main 0197c1d2 --reason 'wrong queue'",
    exits="0 cancelled, or it was already; 5 there is no such run; 8 it has ended in another way",
)
def cancel_run(
    session: Session,
    run: RunName,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = None,
) -> object:
    """End a run: its workers stop at their next batch, what they wrote stays, and nobody can resume it.

    A verify or a plan that is under way is not stopped, and is on record as cancelled.
    """
    from stovepipe_cli.commands.run_work import cancel

    return cancel(session, run, reason)


@command(
    group,
    "hold",
    example="stovepipe runs hold -q monorepo/main @latest --reason 'replica is catching up'",
    exits="0 held; 2 no reason is given; 5 there is no such run; 8 it has ended",
)
def hold_run(
    session: Session,
    run: RunName,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; the workers show it.")],
) -> object:
    """Pause a run: its workers wait before their next batch until the hold is lifted or their time is up."""
    from stovepipe_cli.commands.run_work import hold

    return hold(session, run, reason)


@command(
    group,
    "release",
    example="stovepipe runs release -q monorepo/main @latest",
    exits="0 released, or it was not held; 5 there is no such run",
)
def release_run(session: Session, run: RunName) -> object:
    """Lift the hold of a run."""
    from stovepipe_cli.commands.run_work import release

    return release(session, run)
