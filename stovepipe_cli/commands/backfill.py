"""`stovepipe backfill`."""

from dataclasses import replace
from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session, WritePlan

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "acceptances",
    example="stovepipe backfill acceptances -q monorepo/main --apply",
    exits="0 done, unknown acceptance times included; 3 conflicts; 4 quarantined work; 5 the queue has no rows; "
    "7 not confirmed",
)
def acceptances(
    session: Session,
    apply: Annotated[bool, typer.Option("--apply", help="Write; without it nothing is written.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing, which is the default.")] = False,
    batch: Annotated[int, typer.Option("--batch", metavar="N", help="Requests read and mapped at a time.")] = 1000,
    rate: Annotated[float | None, typer.Option("--rate", metavar="N", help="Most rows a second.")] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A queue without any row has nothing to do.")
    ] = False,
    confirm_queue: Annotated[
        str | None,
        typer.Option("--confirm-queue", metavar="NAME", help="The queue's name, where the profile is protected."),
    ] = None,
) -> object:
    """Create the acceptance mappings that are missing, from the acceptance times that summaries know.

    A summary that lacks its acceptance time takes it from the retained accepted entry first. A time that nothing
    retained is counted and never invented.
    """
    from stovepipe_cli.backfill.acceptances import backfill_acceptances
    from stovepipe_cli.backfill.options import BackfillOptions
    from stovepipe_cli.commands.audit_options import require_one_of
    from stovepipe_cli.run_id import mint_run_id
    from stovepipe_cli.storage.contract import StorageReadOnly

    require_one_of(apply=apply, dry_run=dry_run)
    storage = session.writable_storage() if apply else session.storage()
    if apply and session.server().read_only:
        # The server's own refusal is not enough: it lets accounts with wider rights write all the same.
        raise StorageReadOnly(
            f"database '{session.server().database}' on '{session.server().host}' is read-only",
            hint="backfill on the primary; without --apply this one can be read",
        )
    if not allow_empty:
        session.require_rows(storage)
    options = BackfillOptions(batch=batch, apply=False, rate=rate)
    preview = backfill_acceptances(storage, options, clock=session.clock, run_id=mint_run_id(session.clock))
    if not apply:
        return preview
    session.confirm(
        WritePlan(
            "backfill acceptance mappings",
            {"request_acceptance": preview.mapped},
            {"request_summary": preview.summaries_updated},
        ),
        confirm_queue=confirm_queue,
    )
    return backfill_acceptances(
        storage,
        replace(options, apply=True),
        clock=session.clock,
        run_id=mint_run_id(session.clock),
        progress=lambda at: session.progress(f"{at.scanned:,} requests read, {at.mapped:,} mapped"),
    )
