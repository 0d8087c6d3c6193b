"""`stovepipe db`."""

from typing import Annotated

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "init",
    example="stovepipe db init --database-url sqlite:///stovepipe.db",
    exits="0 every table is there; 6 the database cannot be reached or written",
    may_create=True,
)
def init(session: Session) -> object:
    """Create the tables that are absent, with byte-exact keys; tables that exist are left as they are."""
    from stovepipe_cli.inspection import create_tables

    return create_tables(session.writing().admin)


@command(
    group,
    "check",
    example="stovepipe db check",
    exits="0 every command works; 3 a difference stops a command; 6 the database cannot be reached",
)
def check(session: Session) -> object:
    """Compare the tables that are there with those this tool knows, collations included."""
    from stovepipe_cli.inspection import check_database

    return check_database(session.reading().admin)


@command(
    group,
    "ping",
    example="stovepipe db ping --wait 60s",
    exits="0 it answered; 6 it did not, or not in time",
)
def ping(
    session: Session,
    wait: Annotated[str, typer.Option("--wait", metavar="TIME", help="Keep asking for so long, as in 60s.")] = "0",
) -> object:
    """Ask the database who it is and how fast it answers."""
    from stovepipe_cli.inspection import ping_database
    from stovepipe_cli.instants import parse_duration

    return ping_database(lambda: session.reading().admin, session.clock, wait_ms=parse_duration(wait))


@command(
    group,
    "grants",
    example="stovepipe db grants --role audit --account stovepipe_audit@10.0.0.% --no-headers > grants.sql",
    exits="0 printed; 2 there is no such role or account; 6 the database cannot be reached",
)
def grants(
    session: Session,
    role: Annotated[str, typer.Option("--role", metavar="ROLE", help="audit, repair or ledger.")] = "audit",
    account: Annotated[
        str, typer.Option("--account", metavar="USER@HOST", help="The account that the rights are for.")
    ] = "stovepipe",
) -> object:
    """Print the statements that give an account the rights of a role, for a database administrator to run.

    The account is taken to exist.
    """
    from stovepipe_cli.look.grants import list_grants

    ledger = session.config.ledger.value
    return list_grants(
        lambda: session.reading().admin,
        role,
        account,
        ledger_database=ledger.target.database if ledger and ledger.target.backend == "mysql" else None,
    )
