"""`stovepipe queues`."""

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "list",
    example="stovepipe queues list",
    exits="0 listed, none included; 6 the database cannot be reached",
)
def list_queues(session: Session) -> object:
    """List the queues there are, from the queue and request tables together."""
    from stovepipe_cli.listing import list_queues as every_queue

    return every_queue(session.reading().directory)
