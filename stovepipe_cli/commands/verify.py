"""`stovepipe verify`."""

from pathlib import Path
from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

EXITS = (
    "0 clean; 3 findings; 4 could not look at everything; 5 the queue has no rows; 6 the database cannot be reached; "
    "findings outrank incomplete"
)


def add(app: typer.Typer) -> None:
    """Register the command on the root."""
    command(app, "verify", example="stovepipe verify -q monorepo/main", exits=EXITS)(verify)


def verify(
    session: Session,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only these rules: codes or prefixes, repeatable or a,b."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODES", help="Not these rules.")] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="SEVERITY", help="Least severity that counts: error, warning, info.")
    ] = "error",
    request: Annotated[
        list[str] | None, typer.Option("--request", metavar="REQUEST", help="Only this request; repeatable.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", help="Only the newest N requests by number.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only requests accepted at or after this time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only requests accepted before this time.")
    ] = None,
    settle: Annotated[
        str | None,
        typer.Option("--settle", metavar="TIME", help="Wait before the second look (5s; 0: no second look)."),
    ] = None,
    min_age: Annotated[
        str | None, typer.Option("--min-age", metavar="TIME", help="Younger latest steps count as pending (15m).")
    ] = None,
    show_pending: Annotated[bool, typer.Option("--show-pending", help="List what is pending.")] = False,
    history_since: Annotated[
        str | None,
        typer.Option(
            "--history-since", metavar="REQUEST", help="First request that has a history, or none; else it is detected."
        ),
    ] = None,
    require_history_since: Annotated[
        bool, typer.Option("--require-history-since", help="Refuse to detect where history begins.")
    ] = False,
    max_findings: Annotated[
        int, typer.Option("--max-findings", metavar="N", help="Most findings to show; all are counted.")
    ] = 1000,
    findings_file: Annotated[
        Path | None,
        typer.Option(
            "--findings-file", metavar="FILE", help="Write every finding to this file, one JSON object a line."
        ),
    ] = None,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="A queue without any row is clean.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Findings do not set the exit code.")] = False,
) -> object:
    """Find where the history of a queue and its request rows disagree. Writes nothing.

    A queue is clean only when everything could be looked at and nothing was found.
    """
    from stovepipe_cli.audit.verifier import verify as run_verify
    from stovepipe_cli.commands.audit_options import verify_options

    session.configure(settle=settle, min_age=min_age, history_since=history_since)
    chosen = verify_options(
        session,
        select=select,
        ignore=ignore,
        fail_on=fail_on,
        requests=request,
        last=last,
        since=since,
        until=until,
        show_pending=show_pending,
        require_history_since=require_history_since,
        max_findings=max_findings,
        findings_file=findings_file,
        allow_empty=allow_empty,
        exit_zero=exit_zero,
    )
    storage = session.storage()
    return session.suggest_queue(
        lambda: run_verify(
            storage,
            chosen,
            clock=session.clock,
            progress=lambda at: session.progress(f"{at.part}: {at.checked:,} checked"),
        )
    )
