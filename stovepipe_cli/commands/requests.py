"""`stovepipe requests`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session
from stovepipe_cli.errors import UsageError

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)

ORDERS = ("accepted", "number")


@command(
    group,
    "list",
    example="stovepipe requests list -q monorepo/main --state processing --order number",
    exits="0 listed, none included; 2 a bad option; 7 the cursor is not of this listing",
)
def list_requests(
    session: Session,
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="accepted (newest first) or number (highest first).")
    ] = "accepted",
    state: Annotated[str, typer.Option("--state", metavar="STATE", help="Only requests in this state.")] = "",
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="Only requests accepted so long ago, as in 2h.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only requests accepted at or after this time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only requests accepted before this time.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most requests of one page, 1 to 1000.")] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on behind the page that gave this.")
    ] = None,
) -> object:
    """List requests, newest acceptance first, or highest number first.

    The order by acceptance goes through the acceptance mappings: a request without one cannot appear, and a note on
    stderr says how many there are. The order by number shows every request whose id holds a number. With --state or a
    window a page may end before it is full, and its cursor goes on from there.
    """
    from stovepipe_cli.commands.request_filter import request_filter

    if order not in ORDERS:
        raise UsageError(f"there is no order '{order}'", hint=f"use {' or '.join(ORDERS)}")
    chosen = request_filter(session, state=state, older_than=older_than, since=since, until=until)
    storage = session.storage()
    if order == "number":
        from stovepipe_cli.look.requests_by_number import list_by_number as page
    else:
        from stovepipe_cli.look.requests_by_acceptance import list_by_acceptance as page
    report = page(storage, chosen, session.clock, limit=limit, cursor=cursor)
    if not report.items:
        session.warn_without_rows(storage)
    return report


@command(
    group,
    "show",
    example="stovepipe requests show -q monorepo/main @latest",
    exits="0 shown; 2 the reference fits several; 5 nothing is known of it",
)
def show_request(
    session: Session,
    request: Annotated[
        str,
        typer.Argument(
            metavar="REQUEST",
            help="A request id, its bare number, @latest, @last-green, or the beginning of a commit.",
            show_default=False,
        ),
    ],
) -> object:
    """Show a request with its summary, its builds and the verdict of its commit, which the fact alone gives."""
    from stovepipe_cli.history.reference import resolve_request
    from stovepipe_cli.look.request import show_request as one_request

    storage = session.storage()
    return session.suggest_queue(lambda: one_request(storage, resolve_request(storage, request), session.clock))
