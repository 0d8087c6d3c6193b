"""`stovepipe backfill`."""

from typing import Annotated

import typer

from stovepipe_cli.commands import job_options
from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "acceptances",
    example="stovepipe backfill acceptances -q monorepo/main --apply --workers 4",
    exits="0 done, unknown acceptance times included; 3 conflicts; 4 set aside or unfinished work; 5 the queue has no "
    "rows; 7 not confirmed; 8 another backfill of the queue is at work or was left unfinished; 130 or 143 a signal, "
    "after the batch at hand",
)
def acceptances(
    session: Session,
    apply: Annotated[bool, typer.Option("--apply", help="Write; without it nothing is written.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing, which is the default.")] = False,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only requests accepted at or after this time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only requests accepted before this time.")
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", help="Requests read and mapped at a time, at first.")
    ] = 1000,
    workers: job_options.Workers = 1,
    dask: job_options.Dask = None,
    rate: job_options.Rate = None,
    max_load: job_options.MaxLoad = None,
    max_lag: job_options.MaxLag = None,
    lag_url: job_options.LagURL = None,
    pause_file: job_options.PauseFile = None,
    max_failure_share: job_options.MaxFailureShare = None,
    lease: job_options.Lease = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A queue without any row has nothing to do.")
    ] = False,
    confirm_queue: Annotated[
        str | None,
        typer.Option("--confirm-queue", metavar="NAME", help="The queue's name, where the profile is protected."),
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")] = None,
) -> object:
    """Create the acceptance mappings that are missing, from the acceptance times that summaries know.

    A summary that lacks its acceptance time takes it from the retained accepted entry first. A time that nothing
    retained is counted and never invented. Batches adapt to how long they take; a run that was stopped or killed goes
    on when the same command is given again, or with 'runs resume'.
    """
    from stovepipe_cli.commands.audit_options import require_one_of
    from stovepipe_cli.commands.backfill_work import Window, backfill
    from stovepipe_cli.commands.run_place import pacing_of

    require_one_of(apply=apply, dry_run=dry_run)
    session.configure(rate=rate, max_load=max_load, max_lag=max_lag, lag_url=lag_url, pause_file=pause_file)
    pacing = pacing_of(workers=workers, max_failure_share=max_failure_share, lease=lease, dask=dask)
    return backfill(
        session,
        Window(since, until),
        pacing,
        apply=apply,
        batch=batch,
        allow_empty=allow_empty,
        confirm_queue=confirm_queue,
        reason=reason,
    )
