"""`stovepipe queues`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "list",
    example="stovepipe queues list",
    exits="0 listed, none included, also where the ledger cannot be reached; 6 the database cannot be reached",
)
def list_queues(session: Session) -> object:
    """List the queues there are, from the queue and request tables together, with their last whole verify.

    When that was, and its verdict, is what the ledger knows of this database.
    """
    from stovepipe_cli.commands.verified import with_last_verified
    from stovepipe_cli.listing import list_queues as every_queue

    return with_last_verified(session, every_queue(session.reading().directory))


@command(
    group,
    "show",
    example="stovepipe queues show -q monorepo/main",
    exits="0 shown; 2 a bad option; 5 the queue has neither a row nor a request",
)
def show_queue(
    session: Session,
    look_back: Annotated[
        int, typer.Option("--look-back", metavar="N", help="How many of the newest request numbers to look at.")
    ] = 5000,
) -> object:
    """Show why the branch is, or is not, green: last green, newest verdict, what is unfinished, what disagrees."""
    from stovepipe_cli.look.queue import show_queue as one_queue

    storage = session.storage()
    return session.suggest_queue(lambda: one_queue(storage, session.clock, most=look_back))
