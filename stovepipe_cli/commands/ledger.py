"""`stovepipe ledger`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "check",
    example="stovepipe ledger check",
    exits="0 it can be used; 2 there is none; 3 this version must not use it, or tables are missing; 6 nobody answers",
)
def check(session: Session) -> object:
    """Look at the ledger: where it is, whether it answers, of which version it is and whether it is whole."""
    from stovepipe_cli.commands.ledger_work import check_ledger

    return check_ledger(session)


@command(
    group,
    "init",
    example="stovepipe ledger init --ledger-url mysql://stovepipe@db.example/stovepipe_ledger",
    exits="0 every table is there; 2 there is no ledger; 6 nobody answers; 7 a newer version made it",
)
def init(session: Session) -> object:
    """Make the ledger's tables where they are missing. Repeatable; a file of your own is made by itself."""
    from stovepipe_cli.commands.ledger_work import init_ledger

    return init_ledger(session)


@command(
    group,
    "upgrade",
    example="stovepipe ledger upgrade",
    exits="0 it is of this version; 2 there is no ledger; 6 nobody answers; 7 a newer version made it",
)
def upgrade(session: Session) -> object:
    """Bring the ledger's tables to this version. Older versions of the tool may then only read it, or not even that."""
    from stovepipe_cli.commands.ledger_work import upgrade_ledger

    return upgrade_ledger(session)


@command(
    group,
    "prune",
    example="stovepipe ledger prune --older-than 90d --apply",
    exits="0 pruned, or counted; 2 a bad age; 6 nobody answers; 7 not confirmed",
)
def prune(
    session: Session,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="Only runs that completed so long ago, as in 90d.")
    ],
    apply: Annotated[bool, typer.Option("--apply", help="Remove; without it nothing is removed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing, which is the default.")] = False,
) -> object:
    """Remove what completed verifies and plans left beside their runs: events, steps and lists of findings.

    The runs themselves stay, and so does everything about runs that wrote to a database.
    """
    from stovepipe_cli.commands.ledger_work import prune_ledger

    return prune_ledger(session, older_than, apply=apply, dry_run=dry_run)
